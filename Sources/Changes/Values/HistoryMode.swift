/// What history keeps of an object that is deleted.
package enum HistoryMode: String, Hashable, Sendable, CaseIterable {
  /// All values, and those that it had before.
  case full
  /// Only the values of attributes that are to survive deletion; all others are erased, from
  /// earlier transactions too.
  case tombstones
}
