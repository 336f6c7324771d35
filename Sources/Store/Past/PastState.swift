import Adoption
import Format
import SQLite

/// The tables of a store as they were after an earlier transaction, without a restore.
///
/// The file of the store is only read. What changed after the transaction is collected from history
/// in temporary tables when a statement first reads a table, so the cost follows the number of these
/// changes.
package final class PastState {
  /// The tables of the point, by their names at that point.
  package let tables: [PastTable]
  /// The statements that created the views of the point.
  package let views: [String]
  /// The indexes and views of the point.
  let objects: [SchemaObject]
  /// The program's `user_version`; nil for zero.
  let version: Int32?
  /// The tables whose rows history leaves out.
  package let leftOut: [String]
  /// The encoding of the texts of the store.
  package var encoding: String { reader.connection.encoding }
  /// The number of values that are NULL because they were erased, by the names of their columns.
  package var erased: [(column: String, count: Int64)] {
    rows.erased.map { ($0.key, $0.value) }.sorted { $0.column < $1.column }
  }
  let reader: Reader
  /// The schema of the point.
  let schema: StoreSchema
  private let rows: PastRows

  /// Prepares the state after a transaction; nil stands for the rows that exist now.
  ///
  /// - Throws: ``StoreError/Code/historyExpired`` if history does not show the state. The error is
  ///   ``StoreError/Code/irreversible`` if only a restore shows it, because a later transaction
  ///   migrated the store.
  ///
  /// `replay` makes the rows, if the store is empty.
  package convenience init(
    _ reader: Reader,
    after transaction: Int64?,
    replay: PastReplay? = nil,
    tick: @escaping () throws -> Void = {}
  ) throws {
    try reader.allowTemporaryTables()
    try reader.connection.execute("PRAGMA temp.cache_size = -16384")
    try reader.begin()
    try self.init(snapshotOf: reader, after: transaction, replay: replay, tick: tick)
  }

  /// Prepares the state in the snapshot of a reader that can write temporary tables.
  init(
    snapshotOf reader: Reader,
    after transaction: Int64?,
    replay: PastReplay? = nil,
    tick: @escaping () throws -> Void = {}
  ) throws {
    self.reader = reader
    let connection = reader.connection
    if let transaction { try reader.checkState(after: transaction) }
    let isProgram = connection.tables.prefix != nil
    let present = try Catalog(on: connection)
    let target =
      try transaction.flatMap { try reader.adoptedSchema(after: $0) }
      ?? CatalogSchema(id: present.schemaID, digest: "", schema: present.schema)
    let scratch = try PastDefinitions(target.schema, encoding: connection.encoding)
    tables =
      isProgram
      ? try scratch.programTables(
        target.schema,
        present: reader.presentTables(since: target),
        on: connection
      )
      : try scratch.ownTables(target.schema, on: connection)
    objects = scratch.objects
    views = objects.filter { $0.type == "view" }.map(\.sql)
    version = target.schema.userVersion
    schema = target.schema
    leftOut = (target.schema.leftOut ?? []).filter { $0.column == nil }.map(\.table)
    rows = try PastRows(
      reader,
      tables: tables,
      target: target,
      after: transaction,
      replay: replay,
      tick: tick
    )
    for table in tables {
      table.readChanges = { [unowned self, number = table.number] name in
        guard let name else { return try self.rows.read(self.wanted) }
        try self.rows.read(number, name: name, or: self.wanted)
      }
    }
  }

  /// Reads all tables.
  ///
  /// - Returns: The erased values of the rows, each with a number that is the same in another state
  ///   only if the value is.
  func readAll() throws -> [RowKey: [ColumnIndex: Int64]] {
    rows.prepareForReader()
    try rows.read(Array(tables.indices))
    return rows.erasedValues
  }

  /// The tables that statements use; their changes are read together.
  private var wanted: [Int] { tables.indices.filter { tables[$0].isUsed } }
}

extension Reader {
  /// Throws unless the state after a transaction can be computed from the rows and the history.
  fileprivate func checkState(after transaction: Int64) throws {
    let known = try max(lastMissingTransaction(), adoptedStart() ?? 0)
    let path = connection.path
    guard transaction >= known else {
      throw StoreError(.historyExpired, at: path) {
        "\(path) does not show the state after transaction \(transaction): transaction \(known)"
          + " recorded tables again, or earlier history was deleted."
          + "\nName transaction \(known) or a later one, or the logs of the store."
      }
    }
    try checkIsOutsideGaps(transaction, rows: history)
    guard connection.tables.prefix == nil else { return }
    guard try !hasUnshownChanges() else { throw unrecordedChange(at: path) }
    let tables = try Catalog(on: connection).schema.tables()
    let migration = try connection.integer(
      "SELECT max(id) FROM \(connection.tables.transaction) WHERE id > ?1 AND op = 'migration'",
      values: [.integer(transaction)]
    )
    let used = try connection.all(
      "SELECT DISTINCT schema FROM \(connection.tables.transaction) WHERE id > ?1",
      values: [.integer(transaction)]
    ) { $0.int64(at: 0) }
    let others = try catalogSchemas(on: connection).filter { used.contains($0.id) }
    guard try migration == nil && others.allSatisfy({ try $0.schema.tables() == tables }) else {
      throw try otherSchema(after: transaction, before: migration)
    }
  }

  private func otherSchema(after transaction: Int64, before migration: Int64?) throws -> StoreError
  {
    let connection = connection
    let old = try connection.integer(
      "SELECT schema FROM \(connection.tables.transaction) WHERE id <= ?1 ORDER BY id DESC LIMIT 1",
      values: [.integer(transaction)]
    )
    let earlier = try catalogSchemas(on: connection).first { $0.id == old }?.schema
    let present = try Catalog(on: connection).schema
    let differences = earlier.map { present.differences(fromStored: $0) } ?? []
    let list = differences.map { $0.text(stored: "the earlier schema", wanted: "the present one") }
    return StoreError(.irreversible, at: connection.path, items: differences) {
      let cause =
        "\(migration.map { "transaction \($0)" } ?? "a later transaction") changed the schema"
      let detail = list.isEmpty ? "" : " (\(list.joined(separator: "; ")))"
      return "The rows of \(connection.path) don't show the state after transaction \(transaction):"
        + " \(cause)\(detail)."
        + "\nName a later point, or restore the state: travelog import LOGS --into NEW.store --until"
        + " \(transaction)"
    }
  }
}

/// Throws if the transaction is inside a gap; history has only the state after a gap.
private func checkIsOutsideGaps(_ transaction: Int64, rows: HistoryRows) throws {
  let following = try rows.transactions(after: transaction, through: .max)
  defer { following.reset() }
  guard try following.step() else { return }
  let next = try rows.transaction(at: following)
  guard let first = next.gap?.first, first <= transaction else { return }
  throw StoreError(.historyExpired, at: rows.path) {
    "The store \(rows.path) does not have the state after transaction \(transaction): one gap has"
      + " the changes of transactions \(first) to \(next.id) together.\n"
  }
}

/// The definitions of the tables of a schema, as SQLite understands them: the tables are made in a
/// database in memory, and stay empty.
private struct PastDefinitions {
  private let connection: Connection
  /// The indexes and views.
  private(set) var objects: [SchemaObject] = []
  private var tables: [(name: String, sql: String)] = []

  init(_ schema: StoreSchema, encoding: String) throws {
    connection = try Connection(path: "", mode: .memory)
    try connection.setEncoding(encoding)
    if let all = schema.adopted {
      let recorded = Set(schema.entities.map(\.name))
      for object in all where isCreation(object.sql) {
        switch object.type {
        case "table" where recorded.contains(object.name): tables.append((object.name, object.sql))
        case "view": objects.append(object)
        case "index" where recorded.contains(object.table): objects.append(object)
        // SQLite creates the table with the content together with the full-text table.
        case "table" where recorded.contains(object.name + "_content") && isFullText(object.sql):
          tables.append((object.name + "_content", object.sql))
        default: break
        }
      }
    } else {
      for table in try schema.tables() {
        tables.append((table.name, table.create))
        objects += (table.indexes.map { ("index", $0) } + table.views.map { ("view", $0) }).map {
          SchemaObject(type: $0, name: "", table: table.name, sql: $1)
        }
      }
    }
    for table in tables { try make(table.name, sql: table.sql) }
  }

  /// Makes a table; a table that SQLite can't make here, because only the program has a function
  /// that the definition needs, is made without constraints.
  private func make(_ name: String, sql: String) throws {
    do {
      try connection.prepare(sql).run()
    } catch let error as SQLiteError where error.primaryCode == SQLiteError.error {
      let object = SchemaObject(type: "table", name: name, table: name, sql: sql)
      // If this fails too, the columns of the table are known from the schema, without their types.
      _ = try? RelaxedTables.create(object, on: connection)
    }
  }

  // MARK: Tables

  func ownTables(_ schema: StoreSchema, on store: Connection) throws -> [PastTable] {
    let joins = Set(joinTables(among: try schema.layouts()).map(\.name))
    return try tables.enumerated().map { number, table in
      let columns = try columns(of: table.name, sql: table.sql)
      let isJoin = joins.contains(table.name)
      return PastTable(
        table.name,
        number: number,
        definition: table.sql,
        columns: columns,
        key: isJoin ? .pair : .number("\"id\""),
        numbered: isJoin ? nil : columns.firstIndex { $0.name == "id" },
        indexed: try indexes(of: table.name, columns: columns),
        present: PastTable.Present(
          table: quoted(table.name),
          columns: columns.map { quoted($0.name) },
          isSame: true
        ),
        on: store
      )
    }
  }

  func programTables(
    _ schema: StoreSchema,
    present: [String: (table: Table, columns: [String: String])],
    on store: Connection
  ) throws -> [PastTable] {
    try schema.entities.enumerated().map { number, entity in
      let sql = tables.first { $0.name == entity.name }?.sql ?? ""
      var columns = try columns(of: entity.name, sql: sql)
      if columns.isEmpty { columns = entity.attributes.map { PastTable.Column($0.name) } }
      for index in columns.indices {
        let name = columns[index].name
        columns[index].isLeftOut = !entity.attributes.contains { $0.name == name }
      }
      let now = present[entity.name]
      let names = columns.map { now?.columns[$0.name] }
      let (key, numbered, named) =
        try key(of: entity, columns, now: now?.table, names: names, sql: sql)
      return PastTable(
        entity.name,
        number: number,
        definition: sql,
        columns: columns,
        key: key,
        numbered: numbered,
        named: named,
        indexed: try indexes(of: entity.name, columns: columns),
        present: try now.map {
          PastTable.Present(
            table: $0.table.layout.table,
            columns: names.map { $0.map(quoted) },
            isSame: try store.hasRow(
              "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql = ?2",
              values: [.text($0.table.layout.entity.name), .text(sql)]
            )
          )
        },
        on: store
      )
    }
  }

  /// How changed rows of a program's table are found.
  private func key(
    of entity: Entity,
    _ columns: [PastTable.Column],
    now: Table?,
    names: [String?],
    sql: String
  ) throws -> (PastTable.Key, numbered: Int?, named: [Int]) {
    let identity = entity.identity ?? RowIdentity(columns: [])
    guard !identity.columns.isEmpty else {
      return (.number(now?.rowidName ?? quoted(identity.rowid ?? "rowid")), nil, [])
    }
    let places = identity.columns.compactMap { name in columns.firstIndex { $0.name == name } }
    if places.count == 1, try isRowID(columns[places[0]].name, of: entity.name) {
      return (.number(quoted(names[places[0]] ?? columns[places[0]].name)), places[0], [])
    }
    if let alias = now?.rowIDAlias, let table = now?.layout.table,
      (try? now?.connection.prepare("SELECT \(alias) FROM \(table)")) != nil
    {
      return (.name(rowid: alias), nil, places)
    }
    return (.columns(places.map { quoted(names[$0] ?? columns[$0].name) }), nil, places)
  }

  /// Whether a column is another name of the row ID.
  private func isRowID(_ column: String, of table: String) throws -> Bool {
    guard
      try connection.hasRow(
        "SELECT 1 FROM pragma_table_xinfo(?1) WHERE name = ?2 AND pk = 1 AND upper(type) = 'INTEGER'",
        values: [.text(table), .text(column)]
      )
    else { return false }
    return try !connection.hasRow(
      "SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk'",
      values: [.text(table)]
    )
  }

  private func columns(of table: String, sql: String) throws -> [PastTable.Column] {
    let options = sql.split(separator: ")", omittingEmptySubsequences: false).last ?? ""
    let isStrict = options.uppercased().contains("STRICT")
    return try connection.all(
      "SELECT name, type, hidden FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid",
      values: [.text(table)]
    ) { row in
      let name = row.string(at: 0)
      return PastTable.Column(
        name: name,
        affinity: affinity(ofType: row.string(at: 1), isStrict: isStrict),
        collation: connection.collation(ofColumn: name, table: table).uppercased(),
        isGenerated: row.int64(at: 2) != 0
      )
    }
  }

  /// The indexes of a table that was made, each as numbers of columns.
  private func indexes(
    of table: String,
    columns: [PastTable.Column]
  ) throws -> [(columns: [Int], isUnique: Bool)] {
    let list = try connection.all(
      "SELECT name, \"unique\" FROM pragma_index_list(?1) WHERE partial = 0",
      values: [.text(table)]
    ) { (name: $0.string(at: 0), isUnique: $0.int64(at: 1) != 0) }
    return try list.compactMap { index in
      let names = try connection.all(
        "SELECT name FROM pragma_index_info(?1) ORDER BY seqno",
        values: [.text(index.name)]
      ) { $0.isNull(at: 0) ? nil : $0.string(at: 0) }
      let places = names.compactMap { name in columns.firstIndex { $0.name == name } }
      return places.count == names.count && !places.isEmpty ? (places, index.isUnique) : nil
    }
  }
}

extension PastTable.Column {
  /// A column of which only the name is known.
  fileprivate init(_ name: String) {
    self.init(name: name, affinity: "BLOB", collation: "BINARY", isGenerated: false)
  }
}
