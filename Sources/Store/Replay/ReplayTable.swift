import Format
import SQLite

/// The statements that replay the usual changes of one entity.
///
/// Each statement has the expected values as its condition, so it compares and writes at once.
/// ``ReplayRows`` replays all other changes: changes with values in files or of unusual types, with
/// unexpected rows, or with unique values that move between rows. It is slower, because it reads
/// the row first.
final class ReplayTable {
  let decoder: ObjectDecoder
  private let table: Table
  private var updates = ColumnPlans<Statement>()
  private var anyUpdate: Statement?
  private var removal: Statement?
  private var columns: [ColumnIndex] = []

  init(_ table: Table, decoder: ObjectDecoder) {
    self.table = table
    self.decoder = decoder
  }

  private var connection: Connection { table.connection }

  /// Whether all values are too short for a blob file.
  func staysInRow(_ part: PreparedChanges.Part, changes: PreparedChanges) -> Bool {
    table.external.isEmpty
      || (part.before.lowerBound..<part.after.upperBound).allSatisfy { place in
        let member = changes.members[place]
        // This is the length of the Base64 text. The value itself is shorter.
        return member.value.count < Blobs.inlineLimit
          || !table.external.contains(ColumnIndex(member.index))
      }
  }

  /// Inserts a row.
  ///
  /// The change must have a value for each column.
  func insert(_ part: PreparedChanges.Part, changes: PreparedChanges) throws {
    let statement = try table.insertion(table.byRowid)
    try bind(statement, part, changes, part.after.prefix(part.columnsAfter), from: 2)
    try statement.run()
  }

  /// Updates a row if it has the expected values; otherwise returns false.
  func update(_ part: PreparedChanges.Part, changes: PreparedChanges) throws -> Bool {
    columns.removeAll(keepingCapacity: true)
    let after = part.after.prefix(part.columnsAfter)
    for place in after { columns.append(ColumnIndex(changes.members[place].index)) }
    guard let statement = try updates.plan(for: columns, { try prepareUpdate() }) else {
      return try updateAny(part, changes: changes)
    }
    try bind(statement, part, changes, after, from: 2)
    try bind(
      statement,
      part,
      changes,
      part.before.prefix(part.columnsBefore),
      from: 2 + Int32(truncatingIfNeeded: after.count)
    )
    try statement.run()
    return connection.changes == 1
  }

  /// Updates a row with the statement that can set any of the columns.
  private func updateAny(_ part: PreparedChanges.Part, changes: PreparedChanges) throws -> Bool {
    let statement = try anyUpdate ?? prepareAnyUpdate()
    anyUpdate = statement
    statement.clearBindings()
    try statement.bind(1, part.change.object)
    let any = AnyColumns(first: table.byRowid.next)
    for (offset, column) in columns.enumerated() {
      let before = changes.values[part.before.lowerBound + offset]
      let after = changes.values[part.after.lowerBound + offset]
      try statement.bind(any.flag(column), 1 as Int64)
      try statement.bind(any.value(column), borrowing: after)
      try statement.bind(any.expected(column), borrowing: before)
    }
    try statement.run()
    return connection.changes == 1
  }

  /// Deletes a row if it has the expected values; otherwise returns false.
  func delete(_ part: PreparedChanges.Part, changes: PreparedChanges) throws -> Bool {
    let statement = try removal ?? prepareRemoval()
    removal = statement
    try bind(statement, part, changes, part.before.prefix(part.columnsBefore), from: 2)
    try statement.run()
    return connection.changes == 1
  }

  private func bind(
    _ statement: Statement,
    _ part: PreparedChanges.Part,
    _ changes: PreparedChanges,
    _ places: Range<Int>,
    from first: Int32
  ) throws {
    try statement.bind(1, part.change.object)
    var parameter = first
    for place in places {
      try statement.bind(parameter, borrowing: changes.values[place])
      parameter += 1
    }
  }

  private func prepareUpdate() throws -> Statement {
    let layout = decoder.layout
    let names = columns.map { layout.columns[$0].quoted }
    let values = names.enumerated().map { "\($0.element) = ?\($0.offset + 2)" }
    return try connection.prepare(
      "UPDATE \(layout.table) SET \(values.joined(separator: ", ")) WHERE "
        + condition(columns, from: columns.count + 2)
    )
  }

  private func prepareAnyUpdate() throws -> Statement {
    let layout = decoder.layout
    let any = AnyColumns(first: table.byRowid.next)
    let conditions = [table.byRowid.condition, layout.ownCondition, any.expectation(layout)]
    return try connection.prepare(
      any.assignment(layout, where: conditions.compactMap(\.self).joined(separator: " AND "))
    )
  }

  private func prepareRemoval() throws -> Statement {
    let layout = decoder.layout
    return try connection.prepare(
      "DELETE FROM \(layout.table) WHERE \(condition(layout.columns.indexes { _ in true }, from: 2))"
    )
  }

  /// The condition that a row has its id and the expected values.
  private func condition(_ columns: [ColumnIndex], from first: Int) -> String {
    let layout = decoder.layout
    let values = columns.enumerated().map {
      "\(layout.columns[$0.element].quoted) IS ?\(first + $0.offset)"
    }
    let entity = layout.ownCondition.map { [$0] } ?? []
    return ([table.byRowid.condition] + entity + values).joined(separator: " AND ")
  }
}
