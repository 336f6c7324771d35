/// A type that describes the criteria, sort order, and other settings of a fetch.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(
///   predicate: #Predicate { $0.name == "Fjord" }, sortBy: [SortDescriptor(\.name)])
/// descriptor.fetchLimit = 10
/// ```
public struct FetchDescriptor<T: PersistentModel> {
  /// The condition that a model must meet; nil selects all models.
  public var predicate: Predicate<T>?
  /// The order of the models; if empty, saved models are ordered by row, then new ones by
  /// insertion.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of models; nil or 0 means no limit.
  public var fetchLimit: Int?
  /// The number of models to skip at the beginning; nil for none.
  public var fetchOffset: Int?
  /// Whether unsaved changes are visible; true by default.
  public var includePendingChanges = true
  var includeSubclasses = true
  /// The properties that the fetch reads; others are read at their first use.
  ///
  /// If the list is empty, the fetch reads all properties.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose destinations the fetch reads too; empty by default.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// Describes a fetch; without arguments, it selects all models of the class and its subclasses.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension FetchDescriptor: @unchecked Sendable {
  // Key paths of models are constants and therefore Sendable, but the type parameter hides this
  // from the compiler.
}
