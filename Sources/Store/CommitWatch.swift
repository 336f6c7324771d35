import SQLite

/// Tells whether a store was written to since it was last asked, by any process.
///
/// It is used by one thread at a time.
package final class CommitWatch {
  private let store: Store
  /// A connection of its own, which SQLite tells of the commits of all others.
  private let connection: Connection?
  private var version: Int64?

  init(_ store: Store, connection: Connection?) {
    self.store = store
    self.connection = connection
  }

  /// True if there may be something new; the first answer is true.
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
