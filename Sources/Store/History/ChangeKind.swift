/// What happened to an object in a transaction.
public enum ChangeKind: String, Hashable, Sendable, CaseIterable {
  case insert, update, delete
}
