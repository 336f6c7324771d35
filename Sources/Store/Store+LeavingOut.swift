import Adoption
import Format
import FoundationEssentials
import SQLite

extension Store {
  /// The parts with the names that the tables and columns have in the file.
  ///
  /// - Throws: ``StoreError`` if there is no such table or column, or if a column is in a key.
  static func checked(
    _ parts: [LeftOut],
    names: CaptureNames?,
    on connection: Connection
  ) throws -> [LeftOut] {
    guard !parts.isEmpty else { return [] }
    let tables = try readTables(connection, without: names)
    return try parts.map { part in
      guard let table = tables.first(where: { hasSameName($0.name, part.table) }) else {
        throw unknownPart(part.name, at: connection.path)
      }
      let index = tables.first { $0.recording == .through(table.name) }
      if let index, table.name.hasPrefix(index.name + "_") {
        throw StoreError(.misuse, at: connection.path) {
          "'\(table.name)' has the content of the full-text table '\(index.name)'."
            + "\nLeave out the full-text table: --without-table '\(index.name)'"
        }
      }
      guard let name = part.column else { return LeftOut(table: table.name) }
      guard let column = table.columns.first(where: { hasSameName($0.name, name) }) else {
        throw unknownPart(part.name, at: connection.path)
      }
      let known = LeftOut(table: table.name, column: column.name)
      if case .triggers(let key) = table.recording, key.columns.contains(column.name) {
        throw StoreError(.misuse, at: connection.path) {
          "The column '\(known.name)' is a part of the key of its table, which identifies rows."
            + "\nLeave out the whole table: --without-table '\(known.table)'"
        }
      }
      return known
    }
  }

  /// Whether a database of a program is adopted already.
  package static func hasHistory(at path: String) throws -> Bool {
    try describingErrors(at: path) {
      guard try !isOfApple(path) else { return false }
      return try AdoptedFile.prefix(on: Connection(path: path, mode: .readOnly)) != nil
    }
  }

  /// Changes which tables and columns of an adopted file are left out.
  ///
  /// - Parameters:
  ///   - path: The adopted file.
  ///   - added: The tables and columns to leave out from now on.
  ///   - removed: The names of tables and columns to record again, as in `user.password`.
  ///   - busyTimeout: The maximum time to wait for another writer.
  /// - Returns: The tables and columns that were added, each with the number of changes in history
  ///   that still have its values.
  /// - Throws: ``StoreError``; nothing is changed then.
  package static func leaveOut(
    _ path: String,
    adding added: [LeftOut],
    removing removed: [String] = [],
    busyTimeout: Duration = .seconds(10)
  ) throws -> [(part: LeftOut, changes: Int64)] {
    try describingErrors(at: path, timeout: busyTimeout) {
      let connection = try openAdopted(path, busyTimeout: busyTimeout)
      guard let names = AdoptedFile.names(on: connection) else { return [] }
      try connection.setTriggers(enabled: false)
      let folder = BlobFolder(besides: path)
      try AdoptedFile.seal(on: connection, blobFolder: folder, timeout: busyTimeout)
      let blobs = Blobs(connection, folder: folder)
      return try AdoptedFile.inTransaction(waiting: busyTimeout, blobs: blobs, on: connection) {
        guard try Capture.isCurrent(on: connection) else {
          throw changedMeanwhile(at: path)
        }
        // A program can have committed changes since the seal.
        try Capture.sealAll(names, blobs: blobs, on: connection)
        let catalog = try Catalog(on: connection)
        var parts = catalog.schema.leftOut ?? []
        for name in removed {
          guard let index = parts.firstIndex(where: { hasSameName($0.name, name) }) else {
            throw unknownPart(name, at: path)
          }
          parts.remove(at: index)
        }
        let new = try checked(added, names: names, on: connection).filter { part in
          !parts.contains { $0.contains(part) }
        }
        // A column of a table that is left out needs no entry of its own.
        parts = parts.filter { part in !new.contains { $0.contains(part) } } + new
        let renewal = SchemaRenewal(
          connection: connection,
          names: names,
          catalog: catalog,
          blobs: blobs
        )
        if parts != catalog.schema.leftOut ?? [] { try renewal.leaveOut(parts) }
        return try new.map { ($0, try changes(of: $0, on: connection)) }
      }
    }
  }

  /// The number of changes in history that have values of a table or of a column.
  private static func changes(of part: LeftOut, on connection: Connection) throws -> Int64 {
    let named = "FROM \(connection.tables.change) WHERE entity = ?1"
    guard let column = part.column else {
      return try connection.first("SELECT count(*) \(named)", values: [.text(part.table)]) {
        $0.int64(at: 0)
      } ?? 0
    }
    var key: [UInt8] = []
    appendJSONString(column, to: &key)
    key.append(UInt8(ascii: ":"))
    return try connection.first(
      """
      SELECT count(*) \(named)
        AND (instr(CAST("before" AS BLOB), ?2) OR instr(CAST("after" AS BLOB), ?2))
      """,
      values: [.text(part.table), .blob(Data(key))]
    ) { $0.int64(at: 0) } ?? 0
  }
}

private func unknownPart(_ name: String, at path: String) -> StoreError {
  StoreError(.misuse, at: path) {
    "\(path) has no '\(abbreviated(name))' that could be left out."
      + "\nTo list the tables: travelog adopt --dry-run \(path)"
  }
}
