import ChangeLog
import Format

/// The maximum size of a token in bytes.
///
/// Even a token with the points of a hundred stores is far smaller than this maximum.
private let largestToken = 1 << 16

/// Reads a token; nil if the file does not exist.
func readToken(_ path: String) throws -> Bookmark? {
  try readSmallFile(path, limit: largestToken).map { try Bookmark(json: $0) }
}

/// Whether an error means that a token was cut, altered or replaced by something else.
///
/// A damaged token can be rebuilt from the logs. The result is false if the disk can't be read, or
/// if a newer program wrote the token: its token can contain facts that the logs lack.
func isDamagedToken(_ error: any Error) -> Bool {
  (error as? StoreError)?.code == .damaged
    || (error as? LogError).map { [.damaged, .notALog].contains($0.code) } ?? false
}

/// Writes the exported point of a store into a token, which may contain the points of other stores.
func writeToken(_ point: HistoryPoint, of store: String, to path: String) throws {
  var points: [String: HistoryPoint] = [:]
  do {
    points = try readToken(path)?.points ?? [:]
  } catch  where isDamagedToken(error) {
    // The command reported the damage of the token earlier, when it read the token. Now it replaces
    // the damaged token.
  }
  guard points[store] != point else { return }
  points[store] = point
  try makeFolders(parentFolder(path))
  try writeDurably(Bookmark(store: store, points: points).json(), to: path)
}
