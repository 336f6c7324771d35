import Adoption
import Format
import SQLite

/// Creates and migrates the tables in a replica of an adopted file.
///
/// The replica has the tables of the program but not the program's triggers, because the logs
/// contain the changes that the triggers made.
enum AdoptedReplica {
  /// Creates the program's tables, and Travelog's tables with a prefix that no table of the program
  /// has.
  static func create(
    _ schema: StoreSchema,
    on connection: Connection,
    provenance: Provenance
  ) throws {
    let objects = schema.adopted ?? []
    var prefix = CaptureNames.usualPrefix
    while objects.contains(where: { CaptureNames(prefix: prefix).own($0.name) }) { prefix += "_" }
    // The encoding must be set before the first table exists.
    if let encoding = schema.encoding { try connection.setEncoding(encoding.rawValue) }
    try connection.useTables(prefix: prefix)
    try connection.execute(Catalog.statements(connection.tables))
    try create(objects, on: connection)
    let names = CaptureNames(prefix: prefix)
    try AdoptedFile.createRowidIndexes(schema, names: names, on: connection)
    try installGuards(schema, on: connection)
    try setHeader(schema, on: connection)
    try RowsDigests.begin(schema, on: connection)
    let schemaID = try Catalog.add(schema, on: connection)
    let birth = provenance.birth()
    try Catalog.set(AdoptedFile.mark, value: .text(prefix), on: connection)
    try Catalog.set("format", value: .integer(Int64(Catalog.format)), on: connection)
    try Catalog.set("identifier", value: .text(birth.identifier), on: connection)
    try Catalog.set("lineage", value: .integer(0), on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    try Catalog.set("created", value: .text(birth.time), on: connection)
  }

  /// Creates the program's triggers in a replica that the program will write to.
  ///
  /// A trigger is left out if it uses a table that is not recorded. The replica does not have this
  /// table, so every write to the trigger's table would fail.
  ///
  /// - Returns: The triggers that are left out, each with the name of the missing table.
  static func createTriggers(
    _ schema: StoreSchema,
    on connection: Connection
  ) throws -> [(trigger: String, table: String)] {
    var leftOut: [(trigger: String, table: String)] = []
    for object in schema.adopted ?? [] where object.type == "trigger" {
      try create([object], types: ["trigger"], on: connection)
      guard let entity = schema[object.table],
        let table = try missingTable(for: entity, on: connection)
      else { continue }
      try connection.execute("DROP TRIGGER \(quoted(object.name))")
      leftOut.append((object.name, table))
    }
    return leftOut
  }

  /// A table that a trigger of another table uses and that does not exist; nil if there is none.
  private static func missingTable(
    for entity: Entity,
    on connection: Connection
  ) throws -> String? {
    let name = quoted(entity.name)
    let settings = entity.attributes.filter { $0.isGenerated != true }
      .map { "\(quoted($0.name)) = \(quoted($0.name))" }.joined(separator: ", ")
    // SQLite finds the tables of triggers when it prepares a statement.
    for statement in [
      "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET \(settings)", "DELETE FROM \(name)",
    ] {
      do {
        _ = try connection.prepare("EXPLAIN " + statement)
      } catch let error as SQLiteError where error.primaryCode == SQLiteError.error {
        // Other errors don't prevent writes by the program. For example, only the program may have
        // a function that the trigger calls.
        let words = "no such table: "
        guard error.message.hasPrefix(words) else { continue }
        let table = error.message.dropFirst(words.count)
        return String(table.hasPrefix("main.") ? table.dropFirst(5) : table)
      }
    }
    return nil
  }

  /// Creates some objects of the program.
  ///
  /// - Returns: The unique indexes that were left out, because rows violate them.
  @discardableResult
  static func create(
    _ objects: [SchemaObject],
    types: [String] = ["table", "index", "view"],
    on connection: Connection
  ) throws -> [String] {
    var violated: [String] = []
    for type in types {
      for object in objects where object.type == type {
        do {
          // A forged log can contain any text here, so the text must begin with CREATE. `prepare`
          // ensures that the text is a single statement.
          guard isCreation(object.sql) else {
            let name = abbreviated(object.name)
            throw StoreError(.invalidSchema, at: connection.path) {
              "In the schema for \(connection.path), the statement for '\(name)' does something"
                + " else than create '\(name)'."
                + "\nThe log that contains this schema was altered; use another copy."
            }
          }
          try connection.prepare(object.sql).run()
        } catch let error as SQLiteError where error.code == SQLiteError.error && type == "table" {
          // A CHECK constraint can need a function that only the program has. SQLite refuses to
          // create such a table, but can read and write it.
          guard try RelaxedTables.create(object, on: connection) else { throw error }
        } catch SQLiteError.error where type == "index" {
          // An index can need a function that only the program has. Such an index is left out,
          // because the replica works without it.
        } catch SQLiteError.constraintUnique where type == "index" {
          // The origin itself can have such rows, if its program dropped the index before it wrote
          // them. ``createMissingIndexes(_:on:)`` tries again after the next import.
          violated.append(object.name)
        }
      }
    }
    return violated
  }

  /// Changes the tables of a replica when the schema of its origin changes.
  ///
  /// Tables whose rows will be recorded again become empty. All other tables keep their rows, under
  /// the new names of the tables and columns.
  static func migrate(
    from old: StoreSchema,
    to new: StoreSchema,
    on connection: Connection
  ) throws {
    let oldObjects = old.adopted ?? []
    let newObjects = new.adopted ?? []
    let replaced = Set(new.replaced ?? [])
    func isKept(_ object: SchemaObject) -> Bool {
      guard object.type == "table", newObjects.contains(object),
        new[object.name]?.originalName == nil
      else { return false }
      // A full-text table with its own content contains the rows of its `_content` table.
      return !replaced.contains(object.name)
        && !(isFullText(object.sql) && replaced.contains(object.name + "_content"))
    }
    let sequences = try readSequences(connection)
    var moved: [(from: Entity, table: String, to: Entity)] = []
    // Without this setting, SQLite would change the references in other tables to the temporary
    // name of a table.
    try connection.execute("PRAGMA legacy_alter_table = ON")
    defer {
      do {
        try connection.execute("PRAGMA legacy_alter_table = OFF")
      } catch {
        // The statement can't fail on an open connection.
      }
    }
    // A view or an index can refer to a changed table, so views and indexes are created again.
    for type in ["view", "index", "table"] {
      for object in oldObjects where object.type == type && !isKept(object) {
        if type == "table", let entity = old[object.name],
          let successor = new.successor(of: entity.name)
        {
          let table = "\(connection.tablePrefix ?? "")moved_\(moved.count)"
          try connection.execute("ALTER TABLE \(quoted(object.name)) RENAME TO \(table)")
          moved.append((entity, table, successor))
        } else {
          try connection.execute("DROP \(type) IF EXISTS \(quoted(object.name))")
        }
      }
    }
    let added = newObjects.filter { !isKept($0) || !oldObjects.contains($0) }
    try create(added, types: ["table"], on: connection)
    for (from, table, to) in moved {
      try copyRows(of: table, from, to: to, on: connection)
      try connection.execute("DROP TABLE \(table)")
    }
    for entity in new.entities {
      guard let before = old[entity.name],
        newObjects.contains(where: {
          $0.name == entity.name && isKept($0)
        })
      else { continue }
      try resetColumns(from: before, to: entity, on: connection)
    }
    try create(added, types: ["index", "view"], on: connection)
    let schemaID = try Catalog.add(new, on: connection)
    try Catalog.set("schema", value: .integer(schemaID), on: connection)
    connection.removeCachedStatements()
    if let names = AdoptedFile.names(on: connection) {
      try AdoptedFile.createRowidIndexes(new, names: names, on: connection)
    }
    try installGuards(new, on: connection)
    try raise(sequences, of: new, on: connection)
    try setHeader(new, on: connection)
    try RowsDigests.migrate(from: old, to: new, on: connection)
    // A table that a full-text table indexes can be empty now.
    try rebuildFullText(of: new, on: connection)
  }

  /// Sets the columns of a table that were recorded and are left out now, or the other way round, to
  /// their placeholders or to their first values.
  private static func resetColumns(
    from old: Entity,
    to new: Entity,
    on connection: Connection
  ) throws {
    var settings: [String] = []
    var values: [Value] = []
    for column in new.leftOutColumns ?? []
    where old.attributes.contains(where: { $0.name == column.name && $0.isGenerated != true }) {
      let name = quoted(column.name)
      let placeholder = new.placeholders.first { $0.column == name }?.placeholder
      settings.append("\(name) = \(placeholder ?? "NULL")")
    }
    for attribute in new.attributes where attribute.isGenerated != true {
      guard old.leftOutColumns?.contains(where: { $0.name == attribute.name }) == true else {
        continue
      }
      values.append(attribute.defaultValue ?? .null)
      settings.append("\(quoted(attribute.name)) = ?\(values.count)")
    }
    guard !settings.isEmpty else { return }
    try connection.run(
      "UPDATE OR ABORT \(quoted(new.name)) SET \(settings.joined(separator: ", "))",
      values: values
    )
  }

  /// Copies the rows of a table to the table that continues it.
  private static func copyRows(
    of table: String,
    _ old: Entity,
    to new: Entity,
    on connection: Connection
  ) throws {
    var columns: [String] = []
    var sources: [String] = []
    var values: [Value] = []
    if let rowid = new.identity?.rowid, let before = old.identity?.rowid {
      columns.append(quoted(rowid))
      sources.append(quoted(before))
    }
    for attribute in new.attributes where attribute.isGenerated != true {
      columns.append(quoted(attribute.name))
      if old.attributes.contains(where: { $0.name == attribute.source }) {
        sources.append(quoted(attribute.source))
      } else {
        values.append(attribute.defaultValue ?? .null)
        sources.append("?\(values.count)")
      }
    }
    for (column, placeholder) in new.placeholders {
      columns.append(column)
      sources.append(placeholder)
    }
    guard !columns.isEmpty else { return }
    let statement =
      "INSERT OR ABORT INTO \(quoted(new.name)) (\(columns.joined(separator: ", ")))"
      + " SELECT \(sources.joined(separator: ", ")) FROM \(table)"
    do {
      try connection.run(statement, values: values)
    } catch let error as SQLiteError where error.code == SQLiteError.constraintUnique {
      guard try RelaxedUnique.relax(new.name, on: connection) else { throw error }
      try connection.run(statement, values: values)
    }
  }
}
