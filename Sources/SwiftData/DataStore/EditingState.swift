/// What a store knows of the context that asks.
public struct EditingState: Hashable, Identifiable, Sendable {
  /// Tells contexts apart.
  public let id: UUID
  /// The author whose changes these are.
  public var author: String?

  /// Makes the state of somebody who is no context, for calling a store by hand.
  public init(author: String? = nil) {
    id = UUID()
    self.author = author
  }
}
