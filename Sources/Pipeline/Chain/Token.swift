import ChangeLog
import Changes
import Store

/// Far more than a token has that speaks of a hundred stores.
private let largestToken = 1 << 16

/// Reads a token; nil if there is none.
func readToken(_ path: String) throws -> Bookmark? {
  try readSmallFile(path, limit: largestToken, isOurs: true).map { try Bookmark(json: $0) }
}

/// Whether an error is of a token that was cut, altered or replaced by something else, so that it can be
/// rebuilt from the logs.
///
/// One that the disk does not give, or that a newer program wrote, may still say what only it knows.
func isDamagedToken(_ error: any Error) -> Bool {
  (error as? StoreError)?.code == .damaged
    || (error as? LogError).map { [.damaged, .notALog].contains($0.code) } ?? false
}

/// Writes how far a store is exported into a token, which may speak of other stores too.
func writeToken(_ point: HistoryPoint, of store: String, to path: String) throws {
  var points: [String: HistoryPoint] = [:]
  do {
    points = try readToken(path)?.points ?? [:]
  } catch  where isDamagedToken(error) {
    // The first read reported it; now it is replaced.
  }
  guard points[store] != point else { return }
  points[store] = point
  try makeFolders(parentFolder(path))
  try writeDurably(Bookmark(store: store, points: points).json(), to: path)
}
