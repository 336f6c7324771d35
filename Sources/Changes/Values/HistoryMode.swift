/// The values of a deleted object that history keeps.
package enum HistoryMode: String, Hashable, Sendable, CaseIterable {
  /// All values, of the deleted object and of its earlier changes.
  case full
  /// Only the values of attributes that are marked for tombstones; all others are erased, also from
  /// earlier transactions.
  case tombstones
}
