import Format
import SQLite

/// The tables of a database that another program owns, as the schema of its history.
package struct ProgramSchema {
  package let schema: StoreSchema
  /// All tables, including tables that are not recorded.
  package let tables: [TableDescription]

  /// The recorded tables, in the order of the schema's entities.
  package var recorded: [TableDescription] {
    schema.entities.compactMap { entity in tables.first { $0.name == entity.name } }
  }

  /// Reads the program's tables, without the tables that `adopt` added.
  ///
  /// The connection must know the prefix of these tables.
  ///
  /// `leftOut` has the tables and columns that must not get into history.
  ///
  /// - Throws: ``SQLiteError``.
  package init(
    _ connection: Connection,
    names: CaptureNames,
    leavingOut leftOut: [LeftOut],
    version: String
  ) throws {
    let tables = try readTables(connection, without: names, leavingOut: leftOut)
    self.tables = tables
    var schema = StoreSchema(
      version: version,
      entities: tables.compactMap(Entity.init),
      adopted: try objects(connection, names: names, tables: tables),
      encoding: TextEncoding(rawValue: connection.encoding)
    )
    try schema.readHeader(connection)
    schema.leftOut = leftOut.isEmpty ? nil : leftOut.described(by: tables)
    self.schema = schema
  }
}

extension StoreSchema {
  /// Reads the numbers that a program keeps in the header of its database, and the highest ids that
  /// SQLite gave to rows.
  package mutating func readHeader(_ connection: Connection) throws {
    func number(_ pragma: String) throws -> Int32? {
      let reading = try connection.prepare("PRAGMA \(pragma)")
      guard try reading.step() else { return nil }
      let number = Int32(truncatingIfNeeded: reading.int64(at: 0))
      return number == 0 ? nil : number
    }
    userVersion = try number("user_version")
    applicationID = try number("application_id")
    let sequences = try readSequences(connection).filter { self[$0.table] != nil }
    self.sequences = sequences.isEmpty ? nil : sequences
  }
}

/// Whether a database has the table in which SQLite keeps the highest ids.
package func hasSequences(_ connection: Connection) throws -> Bool {
  try connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").step()
}

/// The highest ids of the AUTOINCREMENT tables of a database, sorted by table.
package func readSequences(_ connection: Connection) throws -> [TableSequence] {
  guard try hasSequences(connection) else { return [] }
  // A program can write any value into the table.
  let reading = try connection.prepare(
    "SELECT name, max(seq) FROM sqlite_sequence"
      + " WHERE typeof(name) = 'text' AND typeof(seq) = 'integer' GROUP BY name ORDER BY name"
  )
  var result: [TableSequence] = []
  while try reading.step() {
    result.append(TableSequence(table: reading.string(at: 0), last: reading.int64(at: 1)))
  }
  return result
}

extension Entity {
  /// The entity of a recorded table; nil for other tables.
  fileprivate init?(_ table: TableDescription) {
    guard case .triggers(let key) = table.recording else { return nil }
    self.init(
      name: table.name,
      attributes: table.columns.filter { !$0.isLeftOut }.map { column in
        Attribute(
          name: column.name,
          type: .any,
          isOptional: !column.isRequired,
          isGenerated: column.isGenerated ? true : nil
        )
      },
      identity: RowIdentity(columns: key.columns, rowid: key.rowid),
      leftOutColumns: table.leftOutColumns
    )
  }
}

/// The tables, indexes, views and triggers of the program, in the order of their creation.
///
/// Tables that a virtual table creates itself, and tables that can't be recorded, are left out.
private func objects(
  _ connection: Connection,
  names: CaptureNames,
  tables: [TableDescription]
) throws -> [SchemaObject] {
  var left: Set<String> = []
  for table in tables {
    switch table.recording {
    case .triggers: break
    case .part, .refused: left.insert(table.name)
    // A content table is left out if its name begins with the name of the virtual table, because
    // then the virtual table created it.
    case .through(let content) where content.hasPrefix(table.name + "_"): left.insert(content)
    case .through: break
    }
  }
  let reading = try connection.prepare(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
  )
  var result: [SchemaObject] = []
  while try reading.step() {
    let object = SchemaObject(
      type: reading.string(at: 0),
      name: reading.string(at: 1),
      table: reading.string(at: 2),
      sql: reading.string(at: 3)
    )
    let isOwn = names.own(object.name) || names.own(object.table)
    let isInternal = object.name.hasPrefix("sqlite_")
    guard !isOwn, !isInternal, !left.contains(object.table) else { continue }
    result.append(object)
  }
  return result
}
