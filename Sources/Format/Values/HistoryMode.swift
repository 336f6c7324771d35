/// How much history keeps of a deleted object.
package enum HistoryMode: String, Hashable, Sendable, CaseIterable {
  /// All values: those of the deleted object, and those of its earlier changes.
  case full
  /// Only the values of attributes that are marked for tombstones. All other values are erased,
  /// also from earlier transactions.
  case tombstones
}
