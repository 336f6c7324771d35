import Format
import SQLite

/// Reads the tables of a database, sorted by name.
///
/// SQLite's own tables and all views are left out.
///
/// - Parameters:
///   - connection: A connection to the database.
///   - names: The names of the tables that `adopt` added, which are not read.
///   - leftOut: The tables and columns that must not get into history.
/// - Returns: A description of each table.
/// - Throws: ``SQLiteError``.
package func readTables(
  _ connection: Connection,
  without names: CaptureNames? = nil,
  leavingOut leftOut: [LeftOut] = []
) throws -> [TableDescription] {
  let entries = try TableEntry.all(connection).filter { names?.own($0.name) != true }
  var descriptions: [String: TableDescription] = [:]
  for entry in entries where entry.virtual == nil {
    descriptions[entry.name] = try describe(
      entry,
      of: entries,
      leavingOut: leftOut,
      connection
    )
  }
  // Virtual tables follow the other tables, because FTS5 may index one of them.
  for entry in entries {
    guard let virtual = entry.virtual else { continue }
    descriptions[entry.name] = TableDescription(
      name: entry.name,
      recording: leftOut.contains { $0.isTable(entry.name) }
        ? .refused(.leftOut) : recording(virtual, name: entry.name, descriptions),
      columns: [],
      uniqueIndexes: [],
      rowid: nil
    )
  }
  return entries.compactMap { descriptions[$0.name] }
}

/// A row of SQLite's list of tables.
private struct TableEntry {
  let name: String
  let isShadow: Bool
  let isWithoutRowid: Bool
  let virtual: VirtualTable?

  static func all(_ connection: Connection) throws -> [TableEntry] {
    let reading = try connection.prepare(
      """
      SELECT list.name, list.type, list.wr, schema.sql
      FROM pragma_table_list AS list JOIN sqlite_schema AS schema
        ON schema.type = 'table' AND schema.name = list.name
      WHERE list.schema = 'main' AND list.type <> 'view'
        AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY list.name
      """
    )
    var entries: [TableEntry] = []
    while try reading.step() {
      let type = reading.string(at: 1)
      entries.append(
        TableEntry(
          name: reading.string(at: 0),
          isShadow: type == "shadow",
          isWithoutRowid: reading.int64(at: 2) != 0,
          virtual: type == "virtual" ? VirtualTable(sql: reading.string(at: 3)) : nil
        )
      )
    }
    return entries
  }
}

private func recording(
  _ virtual: VirtualTable,
  name: String,
  _ tables: [String: TableDescription]
) -> TableRecording {
  guard virtual.module == "fts5" else { return .refused(.module(virtual.module)) }
  guard let content = virtual.content else { return .through(name + "_content") }
  guard !content.isEmpty else { return .refused(.contentless) }
  // The case of letters is ignored, as SQLite does in names.
  let indexed = tables.values.first { $0.name.lowercased() == content.lowercased() }
  guard let indexed, case .triggers = indexed.recording else {
    return .refused(.externalContent(content))
  }
  return .through(indexed.name)
}

private func describe(
  _ entry: TableEntry,
  of entries: [TableEntry],
  leavingOut leftOut: [LeftOut],
  _ connection: Connection
) throws -> TableDescription {
  var (columns, key) = try readColumns(entry.name, connection)
  let isLeftOut = markLeftOut(&columns, key: key, of: entry.name, leftOut)
  let indexes = try readUniqueIndexes(entry.name, connection)
  let taken = Set(columns.map { $0.name.lowercased() })
  let rowid =
    entry.isWithoutRowid ? nil : rowidNames.first { !taken.contains($0) }
  var recording: TableRecording?
  if entry.isShadow {
    // If several virtual tables fit, the table with the longest name is the owner:
    // `notes_fts_content` belongs to `notes_fts`, even if `notes` is virtual too.
    let owner = entries.filter { $0.virtual != nil && entry.name.hasPrefix($0.name + "_") }
      .max { $0.name.utf8.count < $1.name.utf8.count }
    if let owner, let virtual = owner.virtual {
      let isContent =
        virtual.module == "fts5" && entry.name == owner.name + "_content"
        && !leftOut.contains { $0.isTable(owner.name) }
      if !isContent { recording = .part(of: owner.name) }
    }
  }
  if isLeftOut, recording == nil { recording = .refused(.leftOut) }
  recording = try recording ?? refusal(columns, table: entry.name, connection).map { .refused($0) }
  return TableDescription(
    name: entry.name,
    recording: recording
      ?? keyRecording(
        columns,
        key: key,
        rowid: rowid,
        isWithoutRowid: entry.isWithoutRowid,
        hasIndex: indexes.hasPrimaryKey
      ),
    columns: columns,
    uniqueIndexes: indexes.all,
    rowid: rowid
  )
}

/// Marks the columns of a table that are left out, and returns whether the whole table is left out.
///
/// SQLite computes generated columns from others, so all of them are left out with any other
/// column. A table whose key would be left out is left out as a whole.
private func markLeftOut(
  _ columns: inout [TableColumn],
  key: [TableColumn],
  of table: String,
  _ leftOut: [LeftOut]
) -> Bool {
  let parts = leftOut.filter { hasSameName($0.table, table) }
  if parts.contains(where: { $0.column == nil }) { return true }
  guard !parts.isEmpty else { return false }
  for index in columns.indices {
    let name = columns[index].name
    columns[index].isLeftOut = parts.contains { hasSameName($0.column ?? "", name) }
  }
  guard columns.contains(where: \.isLeftOut) else { return false }
  for index in columns.indices where columns[index].isGenerated { columns[index].isLeftOut = true }
  return columns.contains { column in
    column.isLeftOut && key.contains { $0.name == column.name }
  }
}

extension LeftOut {
  fileprivate func isTable(_ name: String) -> Bool { column == nil && hasSameName(table, name) }
}

/// Whether SQLite takes two names for the same.
package func hasSameName(_ first: String, _ second: String) -> Bool {
  first.utf8.count == second.utf8.count
    && zip(first.utf8, second.utf8).allSatisfy { lowercase($0) == lowercase($1) }
}

/// The maximum number of columns of a recorded table.
///
/// A table in SQLite has at most 2000 columns, and a captured row has each value twice: before and
/// after the change.
package let widestRecorded = 990

private func refusal(
  _ columns: [TableColumn],
  table: String,
  _ connection: Connection
) throws -> TableRefusal? {
  guard columns.count <= widestRecorded else { return .tooWide(columns.count) }
  let reading = try connection.prepare(
    """
    SELECT DISTINCT part.coll FROM pragma_index_list(?1, 'main') AS list,
      pragma_index_xinfo(list.name, 'main') AS part
    WHERE part.coll COLLATE NOCASE NOT IN ('BINARY', 'NOCASE', 'RTRIM')
    """
  )
  try reading.bind(1, table)
  if try reading.step() { return .collation(reading.string(at: 0)) }
  return try unknownCollation(table, connection).map { .collation($0) }
}

/// Returns the first collation of a table's columns or indexes that is not built into SQLite.
private func unknownCollation(_ table: String, _ connection: Connection) throws -> String? {
  let reading = try connection.prepare(
    "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1"
  )
  try reading.bind(1, table)
  guard try reading.step() else { return nil }
  let tokens = tokens(of: reading.string(at: 0))
  for (index, token) in tokens.enumerated().dropLast() where token.isKeyword("collate") {
    guard let name = tokens[index + 1].text else { continue }
    if !["binary", "nocase", "rtrim"].contains(name.lowercased()) { return name }
  }
  return nil
}

/// The names with which SQL reads and sets a rowid.
let rowidNames = ["rowid", "_rowid_", "oid"]

private func keyRecording(
  _ columns: [TableColumn],
  key: [TableColumn],
  rowid: String?,
  isWithoutRowid: Bool,
  hasIndex: Bool
) -> TableRecording {
  let names = key.map(\.name)
  if isWithoutRowid { return .triggers(.columns(names, rowid: nil)) }
  // SQLite creates an index for every other primary key, so a key of one column without an index is
  // the rowid.
  if names.count == 1, !hasIndex { return .triggers(.integer(column: names[0])) }
  if !names.isEmpty, key.allSatisfy(\.isRequired) {
    return .triggers(.columns(names, rowid: nil))
  }
  guard let rowid else { return .refused(.hiddenRowid) }
  return .triggers(names.isEmpty ? .rowid(rowid) : .columns(names, rowid: rowid))
}

/// Reads the columns of a table, and the columns of its primary key in the key's order.
private func readColumns(
  _ table: String,
  _ connection: Connection
) throws -> (all: [TableColumn], key: [TableColumn]) {
  let reading = try connection.prepare(
    """
    SELECT name, type, "notnull", hidden, pk, dflt_value FROM pragma_table_xinfo(?, 'main') ORDER BY cid
    """
  )
  try reading.bind(1, table)
  var columns: [TableColumn] = []
  var key: [(place: Int64, column: TableColumn)] = []
  while try reading.step() {
    let column = TableColumn(
      name: reading.string(at: 0),
      declaredType: reading.string(at: 1),
      isRequired: reading.int64(at: 2) != 0,
      // In SQLite's list of columns, 2 means a virtual generated column, and 3 a stored generated
      // column.
      isGenerated: reading.int64(at: 3) >= 2,
      defaultText: reading.isNull(at: 5) ? nil : reading.string(at: 5)
    )
    columns.append(column)
    if reading.int64(at: 4) > 0 { key.append((reading.int64(at: 4), column)) }
  }
  return (columns, key.sorted { $0.place < $1.place }.map(\.column))
}

private func readUniqueIndexes(
  _ table: String,
  _ connection: Connection
) throws -> (all: [UniqueIndex], hasPrimaryKey: Bool) {
  let reading = try connection.prepare(
    """
    SELECT list.name, list.origin, list.partial, schema.sql
    FROM pragma_index_list(?, 'main') AS list
      LEFT JOIN sqlite_schema AS schema ON schema.type = 'index' AND schema.name = list.name
    WHERE list."unique" ORDER BY list.seq
    """
  )
  try reading.bind(1, table)
  var indexes: [UniqueIndex] = []
  var hasPrimaryKey = false
  while try reading.step() {
    let name = reading.string(at: 0)
    if reading.string(at: 1) == "pk" { hasPrimaryKey = true }
    indexes.append(
      UniqueIndex(
        name: name,
        parts: try readParts(name, connection),
        isPartial: reading.int64(at: 2) != 0,
        sql: reading.isNull(at: 3) ? nil : reading.string(at: 3)
      )
    )
  }
  return (indexes, hasPrimaryKey)
}

private func readParts(_ index: String, _ connection: Connection) throws -> [IndexPart] {
  let reading = try connection.prepare(
    "SELECT name, coll FROM pragma_index_xinfo(?, 'main') WHERE key ORDER BY seqno"
  )
  try reading.bind(1, index)
  var parts: [IndexPart] = []
  while try reading.step() {
    let column = reading.isNull(at: 0) ? nil : reading.string(at: 0)
    parts.append(IndexPart(column: column, collation: reading.string(at: 1)))
  }
  return parts
}
