import SQLite

/// Detects commits of any process, for one thread at a time.
package final class CommitWatch {
  private let store: Store
  /// A separate connection, because SQLite reports only the commits of other connections.
  private let connection: Connection?
  private var version: Int64?

  init(_ store: Store, connection: Connection?) {
    self.store = store
    self.connection = connection
  }

  /// Whether a process may have committed since the previous call; true at the first call.
  package func hasChanged() throws -> Bool {
    let now = try currentVersion()
    defer { version = now }
    return now != version
  }

  private func currentVersion() throws -> Int64 {
    guard let connection else { return try store.read { try $0.lastTransaction() } }
    return try connection.dataVersion()
  }
}
