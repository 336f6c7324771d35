import Changes
import SQLite

/// The statements that read and write the rows of one entity, each prepared when first used.
final class EntityTable {
  private struct UpdatePlan {
    let reading: Statement
    let writing: Statement
  }

  let layout: EntityLayout
  private let connection: Connection
  private var insertion: Statement?
  private var reading: Statement?
  private var removal: Statement?
  private var naming: Statement?
  private var plans = ColumnPlans<UpdatePlan>()
  private var anyUpdate: Statement?
  private var finding: [[ColumnIndex]: Statement] = [:]
  private let texts: TextRoom
  let external: [ColumnIndex]

  init(_ connection: Connection, layout: EntityLayout, texts: TextRoom) {
    self.texts = texts
    external = layout.columns.indexes { $0.isExternal }
    self.connection = connection
    self.layout = layout
  }

  func insert(id: ObjectID, values: [Value]) throws {
    let statement = try insertion ?? layout.prepareInsertion(on: connection)
    insertion = statement
    try run(statement, id: id, values: values) { Int32(truncatingIfNeeded: $0) + 2 }
  }

  func row(id: ObjectID) throws -> [Value]? {
    let statement = try reading ?? prepareReading()
    reading = statement
    try statement.bind(1, id.integer)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return layout.columns.indices.map { statement.value(at: Int32(truncatingIfNeeded: $0)) }
  }

  /// The entity of a row; nil if there is no such row.
  func entityName(id: ObjectID) throws -> String? {
    let statement =
      try naming
      ?? connection.prepare(
        "SELECT \(layout.sharesTable ? "\"_entity\"" : literal(layout.entity.name))"
          + " FROM \(layout.table) WHERE \"id\" = ?1"
      )
    naming = statement
    try statement.bind(1, id.integer)
    defer { statement.reset() }
    return try statement.step() ? statement.string(at: 0) : nil
  }

  func delete(id: ObjectID) throws {
    let statement =
      try removal ?? connection.prepare("DELETE FROM \(layout.table) WHERE \"id\" = ?1")
    removal = statement
    try statement.bind(1, id.integer)
    try statement.run()
  }

  func values(id: ObjectID, columns: [ColumnIndex]) throws -> [Value]? {
    guard let statement = try plan(columns)?.reading else {
      return try row(id: id).map { row in columns.map { row[$0] } }
    }
    try statement.bind(1, id.integer)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return columns.indices.map { statement.value(at: Int32(truncatingIfNeeded: $0)) }
  }

  func update(id: ObjectID, columns: [ColumnIndex], values: [Value]) throws {
    if let plan = try plan(columns) {
      return try run(plan.writing, id: id, values: values) { Int32(truncatingIfNeeded: $0) + 2 }
    }
    let statement = try anyUpdate ?? connection.prepare(AnyColumns(layout).assignment)
    anyUpdate = statement
    statement.clearBindings()
    for column in columns { try statement.bind(AnyColumns.flag(column), 1 as Int64) }
    try run(statement, id: id, values: values) { AnyColumns.value(columns[$0]) }
  }

  /// Runs a statement with an id and values.
  ///
  /// All texts are copied to the same memory, without allocations.
  private func run(
    _ statement: Statement,
    id: ObjectID,
    values: [Value],
    at parameter: (Int) -> Int32
  ) throws {
    var size = 0
    for value in values {
      if case .text(let text) = value { size += text.utf8.count }
    }
    texts.reserve(size)
    var used = 0
    try statement.bind(1, id.integer)
    for index in values.indices {
      let parameter = parameter(index)
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

  /// The plan of an UPDATE; nil for columns that are rarely updated together.
  private func plan(_ columns: [ColumnIndex]) throws -> UpdatePlan? {
    try plans.plan(for: columns) { try makePlan(columns) }
  }

  /// The id of a row with these values, in the entity or an entity that inherits from it.
  func find(_ columns: [ColumnIndex], values: [Value]) throws -> Int64? {
    let statement = try finding[columns] ?? prepareFinding(columns)
    finding[columns] = statement
    for (index, value) in values.enumerated() {
      try statement.bind(Int32(truncatingIfNeeded: index) + 1, value)
    }
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : nil
  }

  private func prepareReading() throws -> Statement {
    let list = layout.columns.isEmpty ? "1" : layout.columnList
    let condition = layout.condition.map { " AND \($0)" } ?? ""
    return try connection.prepare(
      "SELECT \(list) FROM \(layout.table) WHERE \"id\" = ?1\(condition)"
    )
  }

  private func makePlan(_ columns: [ColumnIndex]) throws -> UpdatePlan {
    let names = columns.map { layout.columns[$0].quoted }
    let condition = layout.condition.map { " AND \($0)" } ?? ""
    let assignments = names.enumerated().map { "\($0.element) = ?\($0.offset + 2)" }
    return UpdatePlan(
      reading: try connection.prepare(
        "SELECT \(names.joined(separator: ", ")) FROM \(layout.table)"
          + " WHERE \"id\" = ?1\(condition)"
      ),
      writing: try connection.prepare(
        "UPDATE \(layout.table) SET \(assignments.joined(separator: ", ")) WHERE \"id\" = ?1"
      )
    )
  }

  private func prepareFinding(_ columns: [ColumnIndex]) throws -> Statement {
    let conditions =
      columns.enumerated().map { "\(layout.columns[$0.element].quoted) IS ?\($0.offset + 1)" }
      + (layout.condition.map { [$0] } ?? [])
    return try connection.prepare(
      "SELECT \"id\" FROM \(layout.table) WHERE \(conditions.joined(separator: " AND "))"
    )
  }
}

extension EntityLayout {
  /// The INSERT, whose parameters are the id and the values in the order of ``columns``.
  func prepareInsertion(on connection: Connection) throws -> Statement {
    var names = ["\"id\""] + columns.map(\.quoted)
    var marks = names.indices.map { "?\($0 + 1)" }
    if sharesTable {
      names.append("\"_entity\"")
      marks.append(literal(entity.name))
    }
    return try connection.prepare(
      "INSERT INTO \(table) (\(names.joined(separator: ", ")))"
        + " VALUES (\(marks.joined(separator: ", ")))"
    )
  }
}
