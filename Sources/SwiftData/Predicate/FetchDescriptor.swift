/// A type that describes the criteria, sort order, and other settings of a fetch.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(
///   predicate: #Predicate { $0.name == "Fjord" }, sortBy: [SortDescriptor(\.name)])
/// descriptor.fetchLimit = 10
/// ```
public struct FetchDescriptor<T: PersistentModel> {
  /// The condition that models must meet; nil for all models.
  public var predicate: Predicate<T>?
  /// The order of the models.
  public var sortBy: [SortDescriptor<T>]
  /// The most models to fetch; nil for all.
  public var fetchLimit: Int?
  /// How many models to leave out at the beginning.
  public var fetchOffset: Int?
  /// True if changes that are not saved are seen.
  public var includePendingChanges = true
  /// True if models of subclasses are fetched too.
  var includeSubclasses = true
  /// The properties to read at once, or none for all; the others are read when they are touched.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose objects are read at once.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Describes a fetch.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension FetchDescriptor: @unchecked Sendable {
  // Key paths of models are constants; the type parameter alone hides that they are Sendable.
}
