import Format
import SQLite

/// Reads the rows of each entity, with the links that they own.
struct ObjectRows {
  private let connection: Connection
  let layouts: [EntityLayout]
  let joins: [JoinTable]

  init(_ connection: Connection, layouts: [EntityLayout]) throws {
    self.connection = connection
    self.layouts = layouts
    joins = joinTables(among: layouts)
  }

  /// The join tables whose links are part of the changes of an entity's objects, in the same order
  /// as in history.
  func joins(of entity: EntityIndex) -> [JoinTable] {
    joins.filter { layouts[$0.owner].family.contains(entity) }
  }

  /// `order` is the quoted column by which rows are sorted that have a key.
  func cursor(of entity: EntityIndex, order: String? = nil) throws -> ObjectCursor {
    try ObjectCursor(
      Table(connection, layout: layouts[entity], layouts: layouts),
      order: order,
      links: joins(of: entity).map { try LinkCursor(connection, table: $0, layouts: layouts) }
    )
  }
}

/// The rows of one entity, or of one table of an adopted file.
final class ObjectCursor {
  let table: Table
  var layout: EntityLayout { table.layout }
  var encoder: ObjectEncoder { table.encoder }
  /// The current row: the rowid or NULL, then the values in the order of ``EntityLayout/columns``.
  private(set) var row: Statement
  private(set) var id: ObjectID = 0
  let links: [LinkCursor]
  private let all: Statement
  private var finding: (byRowid: Statement?, byKey: Statement?)

  init(_ table: Table, order: String?, links: [LinkCursor]) throws {
    self.table = table
    self.links = links
    let own = table.layout.ownCondition.map { " WHERE \($0)" } ?? ""
    let order = table.isNumbered ? table.rowidName : order
    all = try table.connection.prepare(
      "SELECT \(table.list) FROM \(table.layout.table)\(own)"
        + (order.map { " ORDER BY \($0)" } ?? "")
    )
    row = all
  }

  /// Moves to the row with an id; false if there is no such row.
  func find(_ id: ObjectID) throws -> Bool {
    if row !== all { row.reset() }
    let identity = table.identity(of: id)
    guard let way = table.way(identity) else { return false }
    row = try statement(way)
    try table.bind(row, identity)
    while try row.step() {
      guard try table.id(at: row) == id else { continue }
      self.id = id
      for cursor in links { try cursor.begin(at: id.integer) }
      return true
    }
    return false
  }

  private func statement(_ way: Table.Way) throws -> Statement {
    if let known = way === table.byRowid ? finding.byRowid : finding.byKey { return known }
    let conditions = [way.condition, layout.ownCondition].compactMap(\.self)
    let statement = try table.connection.prepare(
      "SELECT \(table.list) FROM \(layout.table) WHERE \(conditions.joined(separator: " AND "))"
    )
    if way === table.byRowid { finding.byRowid = statement } else { finding.byKey = statement }
    return statement
  }

  /// Moves to the next row; false after the last row.
  ///
  /// The rows of a table with a key are in no particular order, others in the order of their ids.
  func next() throws -> Bool {
    row = all
    guard try row.step() else { return false }
    id = try table.id(at: row)
    return true
  }

  var values: [Value] { table.values(at: row) }

  /// Appends all values of the object, as history has them.
  ///
  /// `unknown` has the columns with placeholders, which are appended as erased values.
  func append(
    to side: inout ChangeSide,
    blobs: Blobs,
    unknown: [ColumnIndex: Int64] = [:]
  ) throws {
    for index in layout.columns.indices {
      guard unknown[ColumnIndex(index)] == nil else {
        side.append(encoder.key(ColumnIndex(index)), value: .erased)
        continue
      }
      let value = row.value(at: Int32(truncatingIfNeeded: index) + 1)
      try side.append(value, at: ColumnIndex(index), encoder: encoder, blobs: blobs)
    }
    for cursor in links {
      let found = try cursor.links(of: id.integer)
      if !found.isEmpty { side.append(cursor.key, value: cursor.encoder.list(found)) }
    }
  }
}

/// The links of one join table in the order of their owners.
final class LinkCursor {
  let encoder: LinkEncoder
  /// The JSON key of the links in history, with quotes and colon.
  var key: [UInt8] { encoder.key }
  private let row: Statement
  private var isAtEnd = false

  init(_ connection: Connection, table: JoinTable, layouts: [EntityLayout]) throws {
    encoder = LinkEncoder(table, layouts: layouts)
    let first = quoted(table.firstColumn)
    let second = quoted(table.secondColumn)
    row = try connection.prepare(
      "SELECT \(first), \(second) FROM \(quoted(table.name))"
        + " WHERE \(first) >= ?1 ORDER BY \(first), \(second)"
    )
    try begin(at: .min)
  }

  func begin(at owner: Int64) throws {
    row.reset()
    try row.bind(1, owner)
    isAtEnd = try !row.step()
  }

  /// The links of an owner; each call must give a higher id than the previous call.
  ///
  /// Links whose owners have ids between those of two calls are skipped, because these owners are
  /// missing or belong to another entity.
  func links(of owner: Int64) throws -> [Int64] {
    while !isAtEnd, row.int64(at: 0) < owner { isAtEnd = try !row.step() }
    var result: [Int64] = []
    while !isAtEnd, row.int64(at: 0) == owner {
      result.append(row.int64(at: 1))
      isAtEnd = try !row.step()
    }
    return result
  }
}

extension Reader {
  /// A value of an object as text; nil if the object does not exist, or if the value is NULL.
  package func text(of id: Int64, at column: ColumnIndex, layout: EntityLayout) throws -> String? {
    let row = try connection.cached(
      "SELECT \(layout.columns[column].quoted) FROM \(layout.table) WHERE id = ?1"
    )
    defer { row.reset() }
    try row.bind(1, id)
    return try row.step() && !row.isNull(at: 0) ? row.string(at: 0) : nil
  }
}

extension EntityLayout {
  /// The condition for the entity's rows in the family's table; nil if the table has only rows of
  /// this entity.
  var ownCondition: String? {
    sharesTable ? "\"_entity\" = \(literal(entity.name))" : nil
  }
}
