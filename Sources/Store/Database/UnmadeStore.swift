import Glibc
import SQLite

/// Whether the file is missing or has no tables: the store was never created, or its creation was
/// interrupted.
func isUnmadeStore(at path: String) throws -> Bool {
  guard access(path, F_OK) == 0 else { return true }
  guard access(path, W_OK) == 0 else { return false }
  return try describingErrors(at: path) {
    let connection = try Connection(path: path, mode: .readWrite)
    connection.setBusyTimeout(.seconds(10))
    return try !connection.hasRow("SELECT 1 FROM sqlite_schema")
  }
}
