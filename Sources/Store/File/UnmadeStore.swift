public import FoundationEssentials
import Glibc
import SQLite

extension Store {
  /// True where there is no file, or one in which nobody has made anything yet, because the program
  /// that began to was stopped.
  public static func isUnmade(_ file: URL) throws -> Bool {
    let path = file.path(percentEncoded: false)
    guard access(path, F_OK) == 0 else { return true }
    guard access(path, W_OK) == 0 else { return false }
    return try describingErrors(at: path) {
      let connection = try Connection(path: path, mode: .readWrite)
      connection.setBusyTimeout(.seconds(10))
      let tables = try connection.prepare("SELECT count(*) FROM sqlite_schema")
      return try tables.step() && tables.int64(at: 0) == 0
    }
  }
}
