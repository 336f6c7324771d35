import SQLite

/// The values that the free space of a file may still contain if history keeps only tombstones.
///
/// Our own connections overwrite what they delete there. Foreign ones don't, and ours did not
/// before the mode was set. Only a VACUUM removes the rest, which is due if it may be values of a
/// deleted object. The catalog notes that, so an interrupted program does not lose it.
enum FreeSpace: String {
  /// Earlier values of objects that may still exist.
  case values
  /// Values of objects that were deleted.
  case erased

  private static let key = "free_space"

  /// Nil if nothing remains.
  private static func noted(on connection: Connection) throws -> FreeSpace? {
    guard case .text(let name) = try Catalog.value(key, on: connection) else { return nil }
    return FreeSpace(rawValue: name)
  }

  static func note(_ left: FreeSpace, on connection: Connection) throws {
    guard try noted(on: connection) != .erased else { return }
    try Catalog.set(key, value: .text(left.rawValue), on: connection)
  }

  /// Notes what foreign writers may have left, and returns whether a VACUUM is due.
  static func noteForeignChanges(on connection: Connection) throws -> Bool {
    let kinds = try connection.cached(
      """
      SELECT max("kind" = 'delete' OR "kind" = 'victim'), max("kind" = 'update')
        FROM "history_foreign"
      """
    )
    defer { kinds.reset() }
    guard try kinds.step() else { return false }
    if kinds.int64(at: 0) != 0 {
      try note(.erased, on: connection)
      return true
    }
    if kinds.int64(at: 1) != 0 { try note(.values, on: connection) }
    return false
  }

  /// Notes that objects were deleted, whose earlier values may remain.
  static func noteDeletion(on connection: Connection) throws {
    if try noted(on: connection) == .values { try note(.erased, on: connection) }
  }

  /// Runs VACUUM if it is due; the values are gone when the write-ahead log has been emptied.
  ///
  /// It takes the time and space of a copy, and fails while another program writes.
  static func clear(on connection: Connection) throws {
    guard try noted(on: connection) == .erased else { return }
    let version = try connection.dataVersion()
    try connection.execute("VACUUM")
    try connection.inTransaction {
      // Commits of others since then may have left values again.
      if try connection.dataVersion() == version { try Catalog.remove(key, on: connection) }
    }
  }
}
