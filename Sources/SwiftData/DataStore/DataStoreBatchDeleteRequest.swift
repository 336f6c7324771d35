/// A request to delete objects without fetching them.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: @unchecked Sendable {
  // Predicates are Sendable; the type parameter alone hides it.

  /// The objects to delete; nil for all.
  public let predicate: Predicate<T>?
  /// True if objects of subclasses are meant too.
  public let includeSubclasses: Bool
  /// The context that asks.
  public let editingState: EditingState

  /// Makes a request, for calling a store by hand.
  public init(
    predicate: Predicate<T>? = nil,
    includeSubclasses: Bool = true,
    editingState: EditingState = EditingState()
  ) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
    self.editingState = editingState
  }
}
