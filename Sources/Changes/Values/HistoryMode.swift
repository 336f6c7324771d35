/// The values of a deleted object that history keeps.
package enum HistoryMode: String, Hashable, Sendable, CaseIterable {
  /// All values, of the deleted object and of its earlier changes.
  case full
  /// Only the values of attributes that are marked for tombstones; all other values are erased, also
  /// from earlier transactions.
  case tombstones
}
