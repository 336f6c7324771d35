import Adoption
import Format
import SQLite

extension AdoptedFile {
  /// Gives an empty index to each table in which only the rowid identifies rows, and removes the
  /// earlier indexes of this kind.
  ///
  /// VACUUM gives new numbers only to the rows of tables without an index.
  static func createRowidIndexes(
    _ schema: StoreSchema,
    names: CaptureNames,
    on connection: Connection
  ) throws {
    try removeRowidIndexes(names: names, on: connection)
    for (number, entity) in schema.entities.enumerated() {
      guard entity.identity?.columns.isEmpty == true, let column = entity.attributes.first else {
        continue
      }
      try connection.execute(
        "CREATE INDEX \(names.rowids(number)) ON \(quoted(entity.name)) (\(quoted(column.name)))"
          + " WHERE 0"
      )
    }
  }

  static func removeRowidIndexes(names: CaptureNames, on connection: Connection) throws {
    for object in try ours(names, on: connection)
    where object.type == "index" && object.name.hasPrefix(names.prefix + "rowids_") {
      try connection.execute("DROP INDEX \(quoted(object.name))")
    }
  }

  /// Rebuilds a file without new numbers for the rows of tables without a key, which only an adopted
  /// file has.
  ///
  /// VACUUM renumbers only the rows of tables that have no index. So tables without an index get an
  /// empty index while the file is rebuilt. The documentation of SQLite does not promise this, so
  /// the numbers are compared. If the numbers changed, the next run records the rows of these
  /// tables again.
  ///
  /// - Throws: Errors of the closure; ``StoreError`` if the numbers of a replica's rows changed.
  static func keepRowids(on connection: Connection, while rebuild: () throws -> Void) throws {
    guard let names = names(on: connection) else { return try rebuild() }
    let (before, version) = try connection.inTransaction {
      let isCurrent = try Capture.isCurrent(on: connection)
      let found = try Rowids.all(on: connection)
      for (number, rowids) in found.enumerated() where !rowids.hasIndex {
        try connection.execute(
          "CREATE INDEX IF NOT EXISTS \(names.prefix)keep_\(number)"
            + " ON \(quoted(rowids.table)) (\(quoted(rowids.column))) WHERE 0"
        )
      }
      if isCurrent { try Capture.noteVersion(on: connection) }
      return (found, isCurrent ? try Capture.schemaVersion(on: connection) : nil)
    }
    connection.removeCachedStatements()
    try rebuild()
    let renumbered = try connection.inTransaction {
      let after = try Rowids.all(on: connection)
      let isOnlyRebuilt = try version.map { $0 &+ 1 } == Capture.schemaVersion(on: connection)
      for object in try ours(names, on: connection)
      where object.type == "index" && object.name.hasPrefix(names.prefix + "keep_") {
        try connection.execute("DROP INDEX \(quoted(object.name))")
      }
      let renumbered = zip(before, after).first { !$0.isSame(as: $1) }?.0.table
      if isOnlyRebuilt, renumbered == nil { try Capture.noteVersion(on: connection) }
      return renumbered
    }
    if let renumbered, try Catalog(on: connection).isReplica {
      throw StoreError(.damaged, at: connection.path) {
        "SQLite rebuilt \(connection.path) and renumbered the rows of '\(abbreviated(renumbered))',"
          + " which only their numbers identify."
          + "\nCreate a new replica: travelog import LOGS --into NEW"
      }
    }
  }
}

/// The rowids of a table in which some or all rows are identified only by their rowid.
private struct Rowids {
  let table: String
  let column: String
  let hasIndex: Bool
  /// The count, the least and the greatest number.
  ///
  /// VACUUM keeps the order of the rows and numbers them from 1. So if these three values are the
  /// same as before, no number has changed.
  private let extent: [Int64?]

  func isSame(as other: Rowids) -> Bool { extent == other.extent }

  static func all(on connection: Connection) throws -> [Rowids] {
    try Catalog(on: connection).schema.entities.compactMap { entity in
      guard let rowid = entity.identity?.rowid, let column = entity.attributes.first else {
        return nil
      }
      let extent = try connection.first(
        "SELECT count(*), min(\(quoted(rowid))), max(\(quoted(rowid))) FROM \(quoted(entity.name))"
      ) { row in (0..<3).map { row.isNull(at: $0) ? nil : row.int64(at: $0) } }
      return Rowids(
        table: entity.name,
        column: column.name,
        hasIndex: try connection.hasRow(
          "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 COLLATE NOCASE",
          values: [.text(entity.name)]
        ),
        extent: extent ?? []
      )
    }
  }
}
