import Adoption
import Format
import SQLite

/// The values that free pages of a store in tombstone mode may contain.
///
/// In tombstone mode, Travelog's connections overwrite deleted bytes. Other deleted bytes remain in
/// the file: those of foreign writers, and those from the time before the mode was set. Only VACUUM
/// removes these bytes. It is due if the bytes may be values of a deleted object. The catalog
/// records the state of the free pages, so an interrupted program does not forget a due VACUUM.
enum FreeSpace: String {
  /// Earlier values of objects; no object was deleted since then.
  case values
  /// Values of objects that were deleted.
  case erased

  private static let key = "free_space"

  /// The state that the catalog records; nil if free pages contain no values.
  private static func noted(on connection: Connection) throws -> FreeSpace? {
    guard case .text(let name) = try Catalog.value(key, on: connection) else { return nil }
    return FreeSpace(rawValue: name)
  }

  static func note(_ left: FreeSpace, on connection: Connection) throws {
    guard try noted(on: connection) != .erased else { return }
    try Catalog.set(key, value: .text(left.rawValue), on: connection)
  }

  /// Remembers that foreign writers may have left values, and returns whether a VACUUM is due.
  static func noteForeignChanges(on connection: Connection) throws -> Bool {
    var hasValues = false
    for table in try CapturedTables.names(on: connection) {
      let kinds = try connection.first(
        """
        SELECT max(event & 7 IN (\(CapturedKind.delete.rawValue), \(CapturedKind.victim.rawValue))),
          max(event & 7 = \(CapturedKind.update.rawValue)) FROM \(quoted(table))
        """
      ) { ($0.int64(at: 0) != 0, $0.int64(at: 1) != 0) }
      guard let (hasDeletion, hasUpdate) = kinds else { continue }
      if hasDeletion {
        try note(.erased, on: connection)
        return true
      }
      if hasUpdate { hasValues = true }
    }
    if hasValues { try note(.values, on: connection) }
    return false
  }

  /// Remembers that objects were deleted; free pages may contain their earlier values.
  static func noteDeletion(on connection: Connection) throws {
    if try noted(on: connection) == .values { try note(.erased, on: connection) }
  }

  /// Whether free pages may contain values of deleted or erased objects.
  static func hasErased(on connection: Connection) throws -> Bool {
    try noted(on: connection) == .erased
  }

  /// Runs VACUUM if it is due.
  ///
  /// The values are gone only after the write-ahead log has been emptied as well.
  ///
  /// VACUUM needs the time and the space for a copy of the file, and fails while another program
  /// writes. `emptyLog` is called after VACUUM; if it throws, the next call runs VACUUM again.
  static func clear(on connection: Connection, emptyLog: () throws -> Void = {}) throws {
    guard try noted(on: connection) == .erased else { return }
    let version = try connection.dataVersion()
    try connection.execute("VACUUM")
    try emptyLog()
    try connection.inTransaction {
      // If another program committed during the VACUUM, free pages may contain old values again.
      if try connection.dataVersion() == version { try Catalog.remove(key, on: connection) }
    }
  }
}
