import SQLite

/// What the free space of a file may still hold, where history keeps tombstones alone.
///
/// Our own connections overwrite what they delete there. Those of others don't, and ours did not
/// before the store kept tombstones alone. Bytes that are left inside a page no statement reaches:
/// they go when the file is written anew, which is done when they may be those of a deleted object.
/// The catalog keeps it until then, so that a program that is stopped in between loses nothing.
enum FreeSpace: String {
  /// Values that were changed, of objects that may still be there.
  case values
  /// Values of objects that were deleted.
  case erased

  private static let key = "free_space"

  /// What the catalog says; nil if nothing is left.
  private static func noted(on connection: Connection) throws -> FreeSpace? {
    guard case .text(let name) = try Catalog.value(key, on: connection) else { return nil }
    return FreeSpace(rawValue: name)
  }

  /// Notes what may be left.
  static func note(_ left: FreeSpace, on connection: Connection) throws {
    guard try noted(on: connection) != .erased else { return }
    try Catalog.set(key, value: .text(left.rawValue), on: connection)
  }

  /// Notes what others may have left by what was caught of them.
  ///
  /// - Returns: True if the file is to be written anew.
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

  /// Notes that objects are deleted whose earlier values may be left.
  static func noteDeletion(on connection: Connection) throws {
    if try noted(on: connection) == .values { try note(.erased, on: connection) }
  }

  /// Writes the file anew, if that is due; what was there goes when the write-ahead log is emptied.
  ///
  /// It takes time and room as a copy of the file does, and fails where somebody else is writing.
  static func clear(on connection: Connection) throws {
    guard try noted(on: connection) == .erased else { return }
    let version = try connection.dataVersion()
    try connection.execute("VACUUM")
    try connection.inTransaction {
      // What others committed since may have left something again.
      if try connection.dataVersion() == version { try Catalog.remove(key, on: connection) }
    }
  }
}
