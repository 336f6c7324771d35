import Changes
import SQLite

/// Reads the objects of each entity in the order of their ids, with the links that they own.
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

  func cursor(of entity: EntityIndex) throws -> ObjectCursor {
    try ObjectCursor(
      connection,
      layout: layouts[entity],
      links: joins(of: entity).map { try LinkCursor(connection, table: $0, layouts: layouts) }
    )
  }
}

/// The objects of one entity in the order of their ids.
final class ObjectCursor {
  let layout: EntityLayout
  /// The current row: the id, then the values in the order of ``EntityLayout/columns``.
  let row: Statement
  private(set) var id: Int64 = 0
  let links: [LinkCursor]

  init(_ connection: Connection, layout: EntityLayout, links: [LinkCursor]) throws {
    self.layout = layout
    self.links = links
    let list = (["\"id\""] + layout.columns.map(\.quoted)).joined(separator: ", ")
    let condition = layout.ownCondition.map { " AND \($0)" } ?? ""
    row = try connection.prepare(
      "SELECT \(list) FROM \(layout.table) WHERE \"id\" BETWEEN ?1 AND ?2\(condition)"
        + " ORDER BY \"id\""
    )
    try begin(.min ... .max)
  }

  private func begin(_ ids: ClosedRange<Int64>) throws {
    row.reset()
    try row.bind(1, ids.lowerBound)
    try row.bind(2, ids.upperBound)
  }

  /// Moves to the object with an id; false if there is no such object.
  func find(_ id: Int64) throws -> Bool {
    try begin(id...id)
    guard try next() else { return false }
    for cursor in links { try cursor.begin(at: id) }
    return true
  }

  /// Moves to the next object; false after the last object.
  func next() throws -> Bool {
    guard try row.step() else { return false }
    id = row.int64(at: 0)
    return true
  }

  /// Appends all values of the object, as history has them.
  ///
  /// `unknown` has the columns with placeholders, which are appended as erased values.
  func append(
    to side: inout ChangeSide,
    encoder: ObjectEncoder,
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
      let found = try cursor.links(of: id)
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
