import Format
import SQLite

/// Writes rows, each of which is found by its id.
///
/// The conflict clauses of a program's table can delete rows or ignore a change, so each statement
/// has its own conflict clause.
extension Table {
  /// Whether a statement can write a column; false if SQLite computes the column.
  func isWritten(_ column: ColumnIndex) -> Bool { layout.isWritten(layout.columns[column]) }

  /// The values of a row without the values that SQLite computes, which can differ between versions
  /// of SQLite.
  func stored(_ values: [Value]) -> [Value] {
    guard hasGenerated else { return values }
    return values.indices.filter { isWritten(ColumnIndex($0)) }.map { values[$0] }
  }

  /// Inserts a row with a value for each column.
  func insert(_ id: ObjectID, _ values: [Value]) throws {
    let identity = identity(of: id)
    let way = way(identity) ?? byKey
    try insert(insertion(way), way, identity, values) { $0 }
  }

  /// An INSERT of all columns.
  func insertion(_ way: Way) throws -> Statement {
    let statement = try way.insertion ?? prepareInsertion(way)
    way.insertion = statement
    return statement
  }

  /// Inserts a row with values of some columns; the other columns get their defaults.
  func insert(_ id: ObjectID, _ values: [Value], into columns: [ColumnIndex]) throws {
    let identity = identity(of: id)
    let way = way(identity) ?? byKey
    let statement = try prepareInsertion(way, of: columns)
    try insert(statement, way, identity, values) { columns[$0].number }
  }

  private func prepareInsertion(_ way: Way, of columns: [ColumnIndex]? = nil) throws -> Statement {
    try layout.prepareInsertion(
      of: columns,
      rowid: way === byRowid ? rowidName : nil,
      on: connection
    )
  }

  private func insert(
    _ statement: Statement,
    _ way: Way,
    _ identity: RowName.Identity?,
    _ values: [Value],
    column: (Int) -> Int
  ) throws {
    let first: Int32 = way === byRowid ? 2 : 1
    if way === byRowid { try bind(statement, identity) }
    try run(statement, values: values) { index in
      let column = column(index)
      return !hasGenerated || isWritten(ColumnIndex(column))
        ? Int32(truncatingIfNeeded: column) + first : nil
    }
  }

  /// Sets some columns of a row.
  func update(_ id: ObjectID, columns: [ColumnIndex], values: [Value]) throws {
    if hasGenerated, let place = columns.firstIndex(where: { !isWritten($0) }) {
      var (columns, values) = (columns, values)
      columns.remove(at: place)
      values.remove(at: place)
      return try update(id, columns: columns, values: values)
    }
    let identity = identity(of: id)
    guard !columns.isEmpty, let way = way(identity) else { return }
    if let plan = try plan(columns, way) {
      try bind(plan.writing, identity)
      return try run(plan.writing, values: values) { Int32(truncatingIfNeeded: $0) + way.next }
    }
    let any = AnyColumns(first: way.next)
    let statement =
      try way.anyUpdate ?? connection.prepare(any.assignment(layout, where: way.condition))
    way.anyUpdate = statement
    statement.clearBindings()
    try bind(statement, identity)
    for column in columns { try statement.bind(any.flag(column), 1 as Int64) }
    try run(statement, values: values) { any.value(columns[$0]) }
  }

  func delete(_ id: ObjectID) throws {
    let identity = identity(of: id)
    guard let way = way(identity) else { return }
    let statement =
      try way.removal
      ?? connection.prepare("DELETE FROM \(layout.table) WHERE \(way.condition)")
    way.removal = statement
    try bind(statement, identity)
    try statement.run()
  }

  /// Runs a statement with values; a value without a parameter is not bound.
  ///
  /// All texts are copied to the same memory, without allocations.
  private func run(
    _ statement: Statement,
    values: [Value],
    at parameter: (Int) -> Int32?
  ) throws {
    var size = 0
    for value in values {
      if case .text(let text) = value { size += text.utf8.count }
    }
    texts.reserve(size)
    var used = 0
    for index in values.indices {
      guard let parameter = parameter(index) else { continue }
      if case .text(var text) = values[index] {
        let bytes = text.withUTF8 { texts.copy(UnsafeRawBufferPointer($0), at: used) }
        used += bytes.count
        try statement.bind(parameter, borrowedText: bytes)
      } else {
        try statement.bind(parameter, values[index])
      }
    }
    try statement.run()
  }
}

extension EntityLayout {
  /// Whether a statement can write a column; false if SQLite computes the column.
  func isWritten(_ column: Column) -> Bool {
    guard case .attribute(let index) = column.content else { return true }
    return entity.attributes[index].isGenerated != true
  }

  /// An INSERT of some or of all columns.
  ///
  /// Its parameters are the rowid, if it is written, and the values of the columns, each at the index
  /// of its column in ``columns``.
  func prepareInsertion(
    of written: [ColumnIndex]? = nil,
    rowid: String?,
    on connection: Connection
  ) throws -> Statement {
    var names = rowid.map { [$0] } ?? []
    var marks = rowid.map { _ in ["?1"] } ?? []
    let first = names.count + 1
    for (index, column) in columns.enumerated()
    where isWritten(column) && written?.contains(ColumnIndex(index)) ?? true {
      names.append(column.quoted)
      marks.append("?\(index + first)")
    }
    if sharesTable {
      names.append("\"_entity\"")
      marks.append(literal(entity.name))
    }
    for (column, placeholder) in entity.placeholders {
      names.append(column)
      marks.append(placeholder)
    }
    return try connection.prepare(
      "INSERT OR ABORT INTO \(table) (\(names.joined(separator: ", ")))"
        + " VALUES (\(marks.joined(separator: ", ")))"
    )
  }
}

extension Entity {
  /// The quoted names of the columns that are left out and need a placeholder, each with the SQL
  /// expression of its placeholder.
  var placeholders: [(column: String, placeholder: String)] {
    (leftOutColumns ?? []).compactMap { column in
      column.placeholder.map { (quoted(column.name), $0.sql) }
    }
  }
}

extension LeftOutColumn.Placeholder {
  fileprivate var sql: String {
    switch self {
    case .null: "NULL"
    case .text: "''"
    case .blob: "x''"
    case .number: "0"
    case .uniqueText: "hex(randomblob(16))"
    case .uniqueBlob: "randomblob(16)"
    case .uniqueNumber: "random()"
    }
  }
}

extension SQLiteError {
  /// Whether the statement failed because another row has the same unique value.
  var isUniqueConflict: Bool {
    code == Self.constraintUnique || code == Self.constraintPrimaryKey
      || code == Self.constraintRowID
  }
}
