import SQLite

/// The statements that replay the changes of one entity straight from their text.
///
/// Each says in its condition what the change expects to find, so that to look and to write are
/// one statement. What it can't do (values in files, odd values, rows that differ, unique values
/// that move) it leaves to the slower way, which reads the row.
final class ReplayTable {
  private struct Plan {
    let columns: [Int]
    let statement: Statement
  }

  let decoder: ObjectDecoder
  private let connection: Connection
  private var updates: [[Int]: Plan] = [:]
  private var lastUpdate: Plan?
  private var insertion: Statement?
  private var removal: Statement?
  /// The columns whose large values lie in files.
  private let external: [Int]
  private var columns: [Int] = []

  init(_ connection: Connection, _ decoder: ObjectDecoder) {
    self.connection = connection
    self.decoder = decoder
    external = decoder.layout.columns.indices.filter { decoder.layout.columns[$0].isExternal }
  }

  /// True where a change can be replayed from its text.
  @inline(__always)
  func isPlain(
    _ change: Change,
    _ before: ArraySlice<ObjectDecoder.Member>,
    _ after: ArraySlice<ObjectDecoder.Member>
  ) -> Bool {
    change.special.isEmpty && change.large.isEmpty
      && (external.isEmpty || staysInRow(before) && staysInRow(after))
  }

  /// True where no value is so long that it may lie in a file.
  private func staysInRow(_ members: ArraySlice<ObjectDecoder.Member>) -> Bool {
    members.allSatisfy { member in
      // Four letters stand for three bytes.
      member.value.count < Blobs.inlineLimit || !external.contains(member.index)
    }
  }

  /// Inserts a row; the members are those of all columns.
  func insert(id: Int64, _ after: ArraySlice<ObjectDecoder.Member>) throws {
    let statement = try insertion ?? prepareInsertion()
    try statement.bind(1, id)
    for (index, member) in after.enumerated() {
      try bind(statement, Int32(truncatingIfNeeded: index) + 2, member)
    }
    try statement.run()
  }

  /// Updates a row that is as the change expects; false where none is.
  func update(
    id: Int64,
    _ before: ArraySlice<ObjectDecoder.Member>,
    _ after: ArraySlice<ObjectDecoder.Member>
  ) throws -> Bool {
    columns.removeAll(keepingCapacity: true)
    for member in after { columns.append(member.index) }
    let statement = try plan().statement
    try statement.bind(1, id)
    var parameter: Int32 = 2
    for member in after {
      try bind(statement, parameter, member)
      parameter += 1
    }
    for member in before {
      try bind(statement, parameter, member)
      parameter += 1
    }
    try statement.run()
    return connection.changes == 1
  }

  /// Deletes a row that is as the change expects; false where none is.
  func delete(id: Int64, _ before: ArraySlice<ObjectDecoder.Member>) throws -> Bool {
    let statement = try removal ?? prepareRemoval()
    try statement.bind(1, id)
    for (index, member) in before.enumerated() {
      try bind(statement, Int32(truncatingIfNeeded: index) + 2, member)
    }
    try statement.run()
    return connection.changes == 1
  }

  private func bind(
    _ statement: Statement,
    _ parameter: Int32,
    _ member: ObjectDecoder.Member
  ) throws {
    let text = member.value
    let type = decoder.layout.columns[member.index].type
    // Most texts have nothing to unescape, and are bound where they lie.
    if text.count >= 2, text[0] == 0x22, type == .string || type == .url || type == .json {
      let inner = UnsafeRawBufferPointer(rebasing: text[1..<text.count - 1])
      if indexOfEscape(in: inner, from: 0) == inner.count {
        guard isValidUTF8(inner) else { throw decoder.refusal(text) }
        return try statement.bind(parameter, borrowedText: inner)
      }
    }
    try statement.bind(parameter, try decoder.value(member, special: nil))
  }

  private func prepareInsertion() throws -> Statement {
    let layout = decoder.layout
    var names = ["\"id\""] + layout.columns.map(\.quoted)
    var marks = names.indices.map { "?\($0 + 1)" }
    if layout.sharesTable {
      names.append("\"_entity\"")
      marks.append(literal(layout.entity.name))
    }
    let statement = try connection.prepare(
      "INSERT INTO \(layout.table) (\(names.joined(separator: ", ")))"
        + " VALUES (\(marks.joined(separator: ", ")))"
    )
    insertion = statement
    return statement
  }

  private func plan() throws -> Plan {
    if let lastUpdate, lastUpdate.columns == columns { return lastUpdate }
    let plan = try updates[columns] ?? makePlan()
    updates[columns] = plan
    lastUpdate = plan
    return plan
  }

  private func makePlan() throws -> Plan {
    let layout = decoder.layout
    let names = columns.map { layout.columns[$0].quoted }
    let values = names.enumerated().map { "\($0.element) = ?\($0.offset + 2)" }
    return Plan(
      columns: columns,
      statement: try connection.prepare(
        "UPDATE \(layout.table) SET \(values.joined(separator: ", ")) WHERE "
          + condition(columns, from: columns.count + 2)
      )
    )
  }

  private func prepareRemoval() throws -> Statement {
    let layout = decoder.layout
    let statement = try connection.prepare(
      "DELETE FROM \(layout.table) WHERE \(condition(Array(layout.columns.indices), from: 2))"
    )
    removal = statement
    return statement
  }

  /// The condition that a row has an id and values in some columns.
  private func condition(_ columns: [Int], from first: Int) -> String {
    let layout = decoder.layout
    let values = columns.enumerated().map {
      "\(layout.columns[$0.element].quoted) IS ?\(first + $0.offset)"
    }
    let entity = layout.sharesTable ? ["\"_entity\" = \(literal(layout.entity.name))"] : []
    return (["\"id\" = ?1"] + entity + values).joined(separator: " AND ")
  }
}
