/// What one context knows of the objects of custom stores: a row number for each identity, which is
/// valid only in this context, and snapshots that need not be requested again.
final class StoreIdentities {
  private var rows: [PersistentIdentifier: Int64] = [:]
  private var identifiers: [Int64: PersistentIdentifier] = [:]
  private var lastRow: Int64 = 0
  /// Snapshots that no request selected, but that stores have returned since the last fetch.
  var atHand: [PersistentIdentifier: any DataStoreSnapshot] = [:]

  /// The row number of an identity; the first call assigns it.
  func row(for identifier: PersistentIdentifier) -> Int64 {
    if let row = rows[identifier] { return row }
    lastRow += 1
    rows[identifier] = lastRow
    identifiers[lastRow] = identifier
    return lastRow
  }

  func knownRow(for identifier: PersistentIdentifier) -> Int64? { rows[identifier] }

  func identifier(of row: Int64) -> PersistentIdentifier? { identifiers[row] }

  var isEmpty: Bool { rows.isEmpty }

  func keepOnly(_ used: Set<Int64>) {
    for (row, identifier) in identifiers where !used.contains(row) {
      rows[identifier] = nil
      identifiers[row] = nil
    }
  }
}
