import ChangeLog
import Store

/// Reads a token; nil where there is none.
func readToken(_ path: String) throws -> Bookmark? {
  try readSmallFile(path).map { try Bookmark(json: $0) }
}

/// Writes how far a store is exported into a token, which may speak of other stores too.
func writeToken(_ point: HistoryPoint, of store: String, to path: String) throws {
  // A token that can't be read was reported when it was read first, and is written anew.
  var points = (try? readToken(path))?.points ?? [:]
  guard points[store] != point else { return }
  points[store] = point
  try makeFolders(parentFolder(path))
  try writeDurably(Bookmark(store: store, points: points).json(), to: path)
}
