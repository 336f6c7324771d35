import Adoption
import Format
import FoundationEssentials
import Glibc
import SQLite
import Stopping

extension PastState {
  /// Writes tables to a new file, which other programs can open as an ordinary database.
  ///
  /// The file gets its name when it is complete, and an existing file is never replaced.
  ///
  /// - Parameters:
  ///   - path: The path of the new file.
  ///   - names: The tables; all tables of the state if the list is empty.
  ///   - tick: Called after each row; its error ends the call.
  /// - Returns: The number of rows.
  /// - Throws: ``StoreError``.
  package func write(
    to path: String,
    tables names: [String] = [],
    tick: () throws -> Void = {}
  ) throws -> Int64 {
    guard access(path, F_OK) != 0 else { throw existing(path) }
    let wanted = names.isEmpty ? tables : tables.filter { names.contains($0.name) }
    let temporary = "\(path).\(getpid())"
    Leftovers.add(temporary)
    defer {
      unlink(temporary)
      Leftovers.forget(temporary)
    }
    var count: Int64 = 0
    try describingErrors(at: path) {
      let connection = try Connection(path: temporary, mode: .readWriteCreate)
      try connection.setEncoding(encoding)
      try connection.execute(
        """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON;
        BEGIN;
        """
      )
      var relaxed = RelaxedTables(connection)
      for table in wanted { table.use() }
      for table in wanted {
        try create(table, on: connection)
        count += try copy(table, to: connection, relaxed: &relaxed, tick: tick)
      }
      try relaxed.restore()
      let kept = Set(wanted.map(\.name))
      _ = try AdoptedReplica.create(
        objects.filter { $0.type != "index" || kept.contains($0.table) }
          .filter { $0.type != "view" || names.isEmpty },
        types: ["index", "view"],
        on: connection
      )
      if names.isEmpty {
        _ = try AdoptedReplica.create(foreignFullText, types: ["table"], on: connection)
      }
      try rebuildFullText(of: schema, contents: names.isEmpty ? nil : kept, on: connection)
      if let version { try connection.execute("PRAGMA user_version = \(version)") }
      try connection.execute("COMMIT")
      try connection.sync()
    }
    guard link(temporary, path) == 0 else {
      let number = errno
      if number == EEXIST { throw existing(path) }
      throw StoreError(.inputOutput, at: path) {
        "Can't write \(path): \(String(cString: strerror(number)))."
      }
    }
    return count
  }

  /// The full-text tables whose content is in other tables.
  private var foreignFullText: [SchemaObject] {
    (schema.adopted ?? []).filter {
      $0.type == "table" && isFullText($0.sql) && schema[$0.name + "_content"] == nil
    }
  }

  private func existing(_ path: String) -> StoreError {
    StoreError(.misuse, at: path) {
      "\(path) exists, and an existing file is never replaced.\nName a new file."
    }
  }

  private func create(_ table: PastTable, on connection: Connection) throws {
    do {
      try connection.prepare(table.definition).run()
    } catch let error as SQLiteError where error.code == SQLiteError.error {
      let object = SchemaObject(
        type: "table",
        name: table.name,
        table: table.name,
        sql: table.definition
      )
      guard try RelaxedTables.create(object, on: connection) else { throw error }
    }
  }

  private func copy(
    _ table: PastTable,
    to connection: Connection,
    relaxed: inout RelaxedTables,
    tick: () throws -> Void
  ) throws -> Int64 {
    let places = table.columns.indices.filter { !table.columns[$0].isGenerated }
    var names = places.map { quoted(table.columns[$0].name) }
    // The row IDs are the only names of such rows.
    if let rowid = table.rowIDName { names.append(rowid) }
    let parameters = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let insertion = try connection.prepare(
      "INSERT INTO main.\(quoted(table.name)) (\(names.joined(separator: ", ")))"
        + " VALUES (\(parameters))"
    )
    let rows = try table.rows()
    var count: Int64 = 0
    while try rows.step() {
      for (index, place) in places.enumerated() {
        try insertion.bind(Int32(clamping: index) + 1, rows.value(at: Int32(clamping: place)))
      }
      if table.rowIDName != nil {
        let place = Int32(clamping: table.columns.count)
        try insertion.bind(Int32(clamping: names.count), rows.int64(at: place))
      }
      do {
        try insertion.run()
      } catch let error as SQLiteError where error.code == SQLiteError.constraintNotNull {
        guard try relaxed.relax(table.name) else { throw error }
        try insertion.run()
      }
      count += 1
      try tick()
    }
    return count
  }
}
