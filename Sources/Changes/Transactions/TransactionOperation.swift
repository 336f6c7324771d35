/// How a transaction came into history.
package enum TransactionOperation: String, Hashable, Sendable, CaseIterable {
  /// The writer recorded it.
  case recorded
  /// A writer that is not ours made it, and triggers caught it.
  case foreign
  /// It is the state of the store when its history began.
  case snapshot
  /// It was made up later from what rows and history differed in.
  case gap
  /// It marks that older history was deleted.
  case prune
  /// The store got another schema.
  case migration
}
