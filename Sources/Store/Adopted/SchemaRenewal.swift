import Adoption
import Changes
import FoundationEssentials
import Glibc
import SQLite

/// Compares the tables of an adopted file with the schema in its catalog, and records the changes.
///
/// If a program drops a table and creates it again, no trigger captures the new rows. A comparison
/// is not possible, because history does not have all earlier rows. Therefore all rows of the table
/// are recorded again, in a transaction of op `difference`. The caller must have the write lock and
/// must have sealed the captured changes.
struct SchemaRenewal {
  let connection: Connection
  let names: CaptureNames
  let catalog: Catalog
  let blobs: Blobs

  /// If SQLite's schema version changed, compares the tables with the schema in the catalog, and
  /// returns whether they differ.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/locked`` while another process has suspended
  ///   the triggers for a migration.
  func run() throws -> Bool {
    let suspension = try Suspension(on: connection)
    if let suspension, suspension.isRunning {
      throw AdoptionFailure.suspended(process: suspension.process).at(connection.path)
    }
    guard try suspension != nil || !AdoptedFile.isCurrent(on: connection) else {
      try renewHeader()
      return false
    }
    let program = try ProgramSchema(connection, names: names, version: nextVersion)
    let changed = try changedTables(program, since: suspension)
    let isSame =
      changed.isEmpty && program.schema.entities == catalog.schema.entities
      && program.schema.adopted == catalog.schema.adopted
    if isSame, suspension == nil {
      try AdoptedFile.noteVersion(on: connection)
      try renewHeader()
      return false
    }
    try AdoptedFile.removeCapture(names: names, on: connection)
    try AdoptedFile.install(program, names: names, on: connection)
    // Brackets that were written while the triggers were missing belong to no transaction, so they
    // are deleted.
    try connection.execute("DELETE FROM \(names.bracket)")
    if !isSame {
      var schema = program.schema
      schema.replaced = changed
      _ = try record(schema, operation: suspension == nil ? .difference : .migration)
    } else {
      try renewHeader()
    }
    try Suspension.remove(on: connection)
    try AdoptedFile.noteVersion(on: connection)
    return !isSame
  }

  /// The recorded tables whose rows may have changed without a trigger, sorted by name.
  private func changedTables(
    _ program: ProgramSchema,
    since suspension: Suspension?
  ) throws -> [String] {
    let old = catalog.schema
    let layouts = try program.schema.layouts()
    return try layouts.compactMap { layout -> String? in
      let entity = layout.entity
      guard let before = old[entity.name], before == entity,
        statement(of: entity.name, in: old) == statement(of: entity.name, in: program.schema)
      else { return entity.name }
      if let suspension {
        let table = AdoptedTable(connection, layout: layout, layouts: layouts)
        return try suspension.tables[entity.name] == TableDigest(table)
          ? nil : entity.name
      }
      let number = old.entities.firstIndex { $0.name == entity.name } ?? 0
      return try hasTriggers(number, on: entity.name) ? nil : entity.name
    }
  }

  private func statement(of table: String, in schema: StoreSchema) -> String? {
    schema.adopted?.first { $0.type == "table" && $0.name == table }?.sql
  }

  private func hasTriggers(_ number: Int, on table: String) throws -> Bool {
    let found = try connection.all(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1",
      values: [.text(table)]
    ) { $0.string(at: 0) }
    return ["after_insert", "after_update", "after_delete"].allSatisfy {
      found.contains("\(names.prefix)\($0)_\(number)")
    }
  }

  /// Records a schema and all rows of its replaced tables, and returns the transaction.
  private func record(
    _ schema: StoreSchema,
    operation: TransactionOperation,
    author: Author = Author(process: "")
  ) throws -> Int64 {
    let schemaID = try Catalog.add(schema, on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    let recorder = try ChangeRecorder(
      connection,
      schema: schema,
      schemaID: schemaID,
      blobs: blobs,
      provenance: .system
    )
    let layouts = try schema.layouts()
    try recorder.begin()
    for layout in layouts where schema.replaced?.contains(layout.entity.name) == true {
      let table = AdoptedTable(connection, layout: layout, layouts: layouts)
      try table.forEachInsertion(blobs: blobs, from: recorder.count) {
        try recorder.copy($0, of: recorder.transaction)
      }
    }
    var details = Array(#"{"boundary":"proven","replaced":["#.utf8)
    for (index, name) in (schema.replaced ?? []).enumerated() {
      if index > 0 { details.append(UInt8(ascii: ",")) }
      appendJSONString(name, to: &details)
    }
    details += "]}".utf8
    try recorder.close(
      author,
      operation: operation,
      details: String(decoding: details, as: UTF8.self)
    )
    return recorder.transaction
  }

  /// Records all rows of some tables again, because history differs from the rows.
  func recordAgain(_ tables: Set<String>, author: Author) throws -> Int64 {
    var schema = catalog.schema
    schema.version = nextVersion
    schema.replaced = tables.sorted()
    return try record(schema, operation: .difference, author: author)
  }

  var nextVersion: String { "\((Int64(catalog.schema.version) ?? 0) + 1)" }
}

extension AdoptedTable {
  /// Calls the closure with every row as an insertion, numbered from 1.
  ///
  /// Large values are stored as blobs.
  func forEachInsertion(
    blobs: Blobs,
    from sequence: Int64,
    _ body: (Change) throws -> Void
  ) throws {
    let rows = try rows()
    var text = ChangeText()
    var sequence = sequence
    while try rows.step() {
      let row = try row(at: rows)
      text.removeAll()
      try text.after.append(row.values, encoder: encoder, blobs: blobs)
      try text.withChange(.insert, sequence: sequence, table: self, name: row.name, body)
      sequence += 1
    }
  }
}

/// The number of a table's rows, and one SHA-256 over the names and values of all rows in the
/// table's order.
struct TableDigest: Codable, Hashable {
  let rows: Int64
  let digest: String

  init(_ table: AdoptedTable) throws {
    var hash = SHA256()
    let statement = try table.rows()
    var count: Int64 = 0
    var line: [UInt8] = []
    while try statement.step() {
      let row = try table.row(at: statement)
      line.removeAll(keepingCapacity: true)
      line += row.name.bytes
      for value in row.values {
        line.append(UInt8(ascii: "\t"))
        appendCanonical(value, as: .any, to: &line)
      }
      line.append(UInt8(ascii: "\n"))
      line.withUnsafeBytes { hash.update($0) }
      count += 1
    }
    rows = count
    digest = hash.finish().description
  }
}

/// The entry in the catalog that says that `adopt --suspend` has removed the triggers.
struct Suspension: Codable {
  private static let key = "suspended"

  /// The process that will restore the triggers.
  let process: Int32
  /// The digests of the tables at the time when the triggers were removed.
  let tables: [String: TableDigest]

  init(tables: [String: TableDigest]) {
    process = getpid()
    self.tables = tables
  }

  /// Reads the suspension in a file's catalog; nil if the triggers are not suspended.
  init?(on connection: Connection) throws {
    guard case .text(let json) = try Catalog.value(Self.key, on: connection) else { return nil }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
    } catch {
      throw FileFailure.damagedCatalog(.schema).at(connection.path, cause: error)
    }
  }

  /// Whether another process removed the triggers and is still running.
  var isRunning: Bool { process != getpid() && (kill(process, 0) == 0 || errno == EPERM) }

  func note(on connection: Connection) throws {
    let json = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    try Catalog.set(Self.key, value: .text(json), on: connection)
  }

  static func remove(on connection: Connection) throws {
    try Catalog.remove(key, on: connection)
  }
}
