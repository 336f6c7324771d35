import Adoption
import Format
import SQLite

/// Compares the tables of an adopted file with the schema in its catalog, and records the changes.
///
/// If a program drops a table and creates it again, no trigger captures the new rows, and history
/// does not have all earlier rows. Then all rows of the table are recorded again. In all other
/// cases, only the differences are recorded. The transaction has the op `migration` if `adopt
/// --suspend` ran the program, and `difference` otherwise.
///
/// If a table has both a new definition and different rows, there are two transactions. The first
/// transaction has a transitional schema, whose tables have the old and the new columns and no
/// constraints. So each row can get its new values before its table gets the new constraints.
///
/// The caller must have the write lock and must have sealed the captured changes.
struct SchemaRenewal {
  let connection: Connection
  let names: CaptureNames
  let catalog: Catalog
  let blobs: Blobs
  /// The rows before a migration; nil if they are not known.
  var earlier: EarlierTables?
  /// Further members of the details of transactions, as JSON that begins with a comma.
  var details = ""

  /// If SQLite's schema version changed, compares the tables with the schema in the catalog, and
  /// returns whether they differ.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/locked`` while another process has suspended
  ///   the triggers for a migration.
  func run() throws -> Bool {
    let suspension = try Suspension(on: connection)
    if let suspension, suspension.isRunning {
      throw StoreError(.locked, at: connection.path) {
        "The triggers of \(connection.path) are temporarily removed, because process"
          + " \(suspension.process) is changing the tables."
          + "\nTry again when process \(suspension.process) has finished."
      }
    }
    guard try suspension != nil || !Capture.isCurrent(on: connection) else {
      try renewHeader()
      return false
    }
    let old = catalog.schema.withoutOrigins
    let program = try programSchema(
      leavingOut: Capture.leftOut(since: old, names: names, on: connection)
    )
    let matching = try TableMatching(from: old, to: program.schema, on: connection)
    let match = try match(matching, since: suspension)
    let isSame =
      match.isEmpty && program.schema.entities == old.entities
      && program.schema.adopted == old.adopted && program.schema.leftOut == old.leftOut
    if isSame, suspension == nil {
      try Capture.noteVersion(on: connection)
      try renewHeader()
      return false
    }
    try AdoptedFile.removeCapture(names: names, on: connection)
    try AdoptedFile.install(program, names: names, on: connection)
    // Brackets that were written while the triggers were missing belong to no transaction, so they
    // are deleted.
    try connection.execute("DELETE FROM \(names.bracket)")
    if !isSame {
      try record(match, matching, operation: suspension == nil ? .difference : .migration)
    } else {
      try renewHeader()
    }
    // While the triggers were missing, no change updated a digest.
    if suspension == nil {
      let present = try Catalog(on: connection).schema
      try RowsDigests.migrate(
        from: catalog.schema,
        to: present,
        continued: Dictionary(match.pairs.map { ($0.new.name, $0.old) }) { first, _ in first },
        on: connection
      )
    } else {
      try RowsDigests.renew(program.schema, on: connection)
    }
    try Suspension.remove(on: connection)
    try Capture.noteVersion(on: connection)
    // The program or `adopt --suspend` may have changed rows without triggers until now.
    try CommitPlace.note(isCompared: suspension != nil, on: connection)
    return !isSame
  }

  private func programSchema(leavingOut leftOut: [LeftOut]) throws -> ProgramSchema {
    try ProgramSchema(
      connection,
      names: names,
      leavingOut: leftOut,
      version: version(after: 1)
    )
  }

  /// Records with another choice of tables and columns from now on.
  ///
  /// The tables must have been compared with the catalog. Rows and values that history no longer
  /// gets are not changes.
  func leaveOut(_ leftOut: [LeftOut]) throws {
    let program = try programSchema(leavingOut: leftOut)
    guard !program.schema.entities.isEmpty else {
      throw nothingToRecord(at: connection.path)
    }
    let matching = try TableMatching(
      from: catalog.schema.withoutOrigins,
      to: program.schema,
      on: connection
    )
    let match = try matching.matchNames()
    try AdoptedFile.removeCapture(names: names, on: connection)
    try AdoptedFile.install(program, names: names, on: connection)
    try record(match, matching, operation: .migration, author: Author())
    try RowsDigests.migrate(
      from: catalog.schema,
      to: Catalog(on: connection).schema,
      on: connection
    )
    try Capture.noteVersion(on: connection)
  }

  /// Records the differences between the earlier rows and the present rows of tables that may have
  /// other definitions.
  func record(_ schema: StoreSchema) throws {
    guard let earlier else { return }
    let matching = try TableMatching(
      from: catalog.schema.withoutOrigins,
      to: schema,
      on: connection
    )
    try record(matching.match(earlier), matching, operation: .difference)
    try RowsDigests.migrate(
      from: catalog.schema,
      to: Catalog(on: connection).schema,
      on: connection
    )
    try RowsDigests.renew(schema, on: connection)
  }

  private func match(
    _ matching: TableMatching,
    since suspension: Suspension?
  ) throws -> TableMatch {
    guard let suspension else { return try matching.match(names) }
    if let earlier { return try matching.match(earlier) }
    return try matching.match(suspension.tables)
  }

  // MARK: Recording

  private func record(
    _ match: TableMatch,
    _ matching: TableMatching,
    operation: TransactionOperation,
    author: Author = Author(process: "")
  ) throws {
    let changed = try matching.changed(match, since: earlier)
    var schema = matching.new
    schema.replaced = match.replaced.sorted()
    if !(changed.isEmpty && match.dropped.isEmpty && match.rekeyed.isEmpty) {
      try recordTransition(
        match,
        matching,
        changed: changed,
        operation: operation,
        author: author
      )
      schema.version = version(after: 2)
    }
    for pair in match.pairs where !pair.isSame {
      guard let index = schema.entities.firstIndex(where: { $0.name == pair.new.name }) else {
        continue
      }
      schema.entities[index] = pair.successor(
        isAfterTransition: changed.contains { $0.old.name == pair.old.name }
      )
    }
    let layouts = try schema.layouts()
    _ = try record(schema, operation: operation, author: author) { changes in
      for layout in layouts {
        let name = layout.entity.name
        let table = Table(connection, layout: layout, layouts: layouts)
        if match.isInserted(name) {
          try changes.insertAll(of: table)
        } else if let pair = match.pairs.first(where: { $0.isSame && $0.new.name == name }) {
          try changes.compare(pair, earlier?.table(pair.old.name), table, encoding: table)
        }
      }
    }
  }

  /// Records the changes of all tables that have another definition, or no definition, afterwards.
  private func recordTransition(
    _ match: TableMatch,
    _ matching: TableMatching,
    changed: [TablePair],
    operation: TransactionOperation,
    author: Author
  ) throws {
    let deleted = Set(match.dropped.map(\.name) + match.rekeyed.map(\.old.name))
    let schema = transition(match, matching, changed: changed, deleted: deleted)
    let layouts = try schema.layouts()
    _ = try record(schema, operation: operation, author: author, boundary: "assumed") { changes in
      for layout in layouts {
        let name = layout.entity.name
        let table = Table(connection, layout: layout, layouts: layouts)
        let rows = earlier?.table(name)
        if let rows, deleted.contains(name) {
          try changes.deleteAll(of: rows, encoding: table)
        } else if let pair = changed.first(where: { $0.old.name == name }),
          let present = matching.table(pair.new)
        {
          try changes.compare(pair, rows, present, encoding: table)
        }
      }
    }
  }

  /// The old schema with the transitional tables, and without tables whose rows were lost.
  private func transition(
    _ match: TableMatch,
    _ matching: TableMatching,
    changed: [TablePair],
    deleted: Set<String>
  ) -> StoreSchema {
    var schema = matching.old
    let kept = Set(match.pairs.map(\.old.name)).union(deleted)
    let lost = Set(
      schema.entities.map(\.name).filter { !kept.contains($0) && matching.new[$0] == nil }
    )
    schema.version = version(after: 1)
    schema.replaced = nil
    schema.isTransitional = true
    schema.entities = schema.entities.filter { !lost.contains($0.name) }.map { entity in
      changed.first { $0.old.name == entity.name }?.transitional ?? entity
    }
    let objects = schema.adopted ?? []
    let taken = Set(objects.map(\.name))
    schema.adopted = objects.flatMap { object -> [SchemaObject] in
      if lost.contains(object.table) { return [] }
      guard let pair = changed.first(where: { $0.old.name == object.table }) else {
        return [object]
      }
      return object.type == "table" ? pair.transitionalObjects(besides: taken) : []
    }
    return schema
  }

  private func record(
    _ schema: StoreSchema,
    operation: TransactionOperation,
    author: Author = Author(process: ""),
    boundary: String = "proven",
    isCaptured: Bool = true,
    _ body: (inout RecordedRows) throws -> Void
  ) throws -> Int64 {
    let schemaID = try Catalog.add(schema, on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    let recorder = try Capture.recorder(schema, id: schemaID, blobs: blobs, on: connection)
    try recorder.begin()
    var changes = RecordedRows(recorder: recorder, blobs: blobs)
    try body(&changes)
    var details = Array(#"{"boundary":"\#(boundary)","replaced":["#.utf8)
    for (index, name) in (schema.replaced ?? []).enumerated() {
      if index > 0 { details.append(UInt8(ascii: ",")) }
      appendJSONString(name, to: &details)
    }
    details += "]\(self.details)\(isCaptured ? "}" : #","captured":false}"#)".utf8
    try recorder.close(
      author,
      operation: operation,
      details: String(decoding: details, as: UTF8.self)
    )
    return recorder.transaction
  }

  /// Records all rows of some tables again, because history differs from the rows.
  func recordAgain(_ tables: Set<String>, author: Author) throws -> Int64 {
    var schema = catalog.schema.withoutOrigins
    schema.version = version(after: 1)
    schema.replaced = tables.sorted()
    let layouts = try schema.layouts()
    try RowsDigests.renew(schema, where: tables.contains, on: connection)
    // Other tables were compared before this transaction began.
    try CommitPlace.note(isCompared: false, on: connection)
    return try record(schema, operation: .difference, author: author, isCaptured: false) {
      changes in
      for layout in layouts where tables.contains(layout.entity.name) {
        try changes.insertAll(of: Table(connection, layout: layout, layouts: layouts))
      }
    }
  }

  func version(after steps: Int64) -> String {
    "\((Int64(catalog.schema.version) ?? 0) + steps)"
  }
}
