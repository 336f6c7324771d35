import Changes
import SQLite

/// The states of objects and links after a captured row.
extension ForeignTransactions {
  struct Object {
    let key: RowKey
    /// The values of the object, in the order of ``EntityLayout/columns``.
    let values: [Value]
  }

  /// The object in a row; nil if the entity in the row does not exist.
  func object(_ id: Int64, in table: Int, columns: [Value]) -> Object? {
    guard case .objects(let entities) = tables[table].content else { return nil }
    var entity = entities.values.first
    if tables[table].columns.first == "\"_entity\"" {
      guard case .text(let name) = columns.first else { return nil }
      entity = entities[name]
    }
    guard let entity else { return nil }
    let key = RowKey(entity: entity, id: ObjectID(id))
    return Object(key: key, values: places[entity].map { columns[$0] })
  }

  func object(_ id: Int64, in table: Int, after time: Int64) throws -> Object? {
    let later = try rows.rows(of: id, in: table, after: time)
    defer { later.reset() }
    if try later.step(), let row = rows.row(at: later) {
      return row.kind == .insert ? nil : object(id, in: table, columns: row.before)
    }
    let columns = tables[table].columns
    let list = columns.isEmpty ? "1" : columns.joined(separator: ", ")
    let now = try rows.connection.cached(
      "SELECT \(list) FROM \(quoted(tables[table].name)) WHERE \(tables[table].object) = ?1"
    )
    try now.bind(1, id)
    defer { now.reset() }
    guard try now.step() else { return nil }
    return object(
      id,
      in: table,
      columns: columns.indices.map { now.value(at: Int32(truncatingIfNeeded: $0)) }
    )
  }

  func target(_ columns: [Value]) -> Int64? {
    guard columns.count == 1, case .integer(let target) = columns[0] else { return nil }
    return target
  }

  /// The targets of an owner's links after a captured row, in ascending order.
  func targets(of owner: Int64, by join: JoinIndex, after time: Int64) throws -> [Int64] {
    let table = tables[linkTables[join]]
    var result: Set<Int64> = []
    let now = try rows.connection.cached(
      "SELECT \(table.columns.joined(separator: ", ")) FROM \(quoted(table.name))"
        + " WHERE \(table.object) = ?1"
    )
    try now.bind(1, owner)
    defer { now.reset() }
    while try now.step() {
      if let target = target([now.value(at: 0)]) { result.insert(target) }
    }
    var seen: Set<Int64> = []
    let later = try rows.rows(of: owner, in: linkTables[join], after: time)
    defer { later.reset() }
    while try later.step() {
      guard let row = rows.row(at: later),
        let target = target(row.kind == .insert ? row.after : row.before),
        seen.insert(target).inserted
      else { continue }
      if row.kind == .insert { result.remove(target) } else { result.insert(target) }
    }
    return result.sorted()
  }
}
