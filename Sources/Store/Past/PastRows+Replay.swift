import Format
import SQLite

/// The rows of a log, and the values that nobody knows.
extension PastRows {
  /// Applies changes to the rows, from the oldest to the newest.
  func apply(_ replay: PastReplay) throws {
    try replay.read { change in
      try tick()
      guard let source = source(change.entity, schema: present) else { return }
      if let index = source.table, let writing = statements[index] {
        try apply(change, source, writing, count: tables[index].columns.count)
      }
      guard source.joins.contains(where: { $0.map { statements[$0] != nil } == true }) else {
        return
      }
      for (text, exists) in [(change.before, false), (change.after, true)] where !text.isEmpty {
        try forEachLink(in: text, of: change, source) { join, target in
          guard let statement = exists ? statements[join]?.absent : statements[join]?.remove else {
            return
          }
          try statement.bind(1, change.object)
          try statement.bind(2, target)
          if exists { try statement.bind(3, State.whole.rawValue) }
          try statement.run()
        }
      }
    }
    for index in statements.indices where statements[index]?.read != nil {
      try countErased(ofReplay: tables[index])
    }
  }

  func apply(
    _ change: Change,
    _ source: Source,
    _ writing: Statements,
    count: Int
  ) throws {
    guard let reading = writing.read, let removing = writing.remove, let statement = writing.write
    else { return }
    func bindObject(_ statement: Statement) throws {
      if change.name.isEmpty {
        try statement.bind(1, change.object)
      } else {
        try statement.bind(1, text: change.name)
      }
    }
    guard change.kind != .delete else {
      try bindObject(removing)
      return try removing.run()
    }
    var members: [ObjectDecoder.Member] = []
    try source.decoder.split(change.after, into: &members)
    let columns = members.prefix { $0.index < source.decoder.columnCount }
    guard change.kind == .insert || !columns.isEmpty else { return }
    try bindObject(reading)
    defer { reading.reset() }
    var known = [UInt8](repeating: 1, count: count)
    var values: [Value] = Array(repeating: .null, count: count)
    if change.kind == .update, try reading.step() {
      for (place, byte) in reading.bytes(at: 1).enumerated() where place < count {
        known[place] = byte
      }
      values = (0..<count).map { reading.value(at: Int32($0) + 2) }
    }
    if let place = source.namePlace { values[place] = source.entityName }
    if let place = source.idPlace { values[place] = .integer(change.object) }
    let decoded = try source.values.values(columns, side: .after, change: change, of: source.entity)
    for (member, value) in zip(columns, decoded) {
      guard let place = source.places[member.index] else { continue }
      values[place] = moved(value ?? .null, source.decoder.layout.columns[member.index])
      known[place] = value == nil ? Self.erasedMark : 1
    }
    reading.reset()
    try bindObject(statement)
    try write(values, .whole, known: known, statement)
  }

  /// The mark of an erased value among the known values of a row.
  static let erasedMark: UInt8 = 2

  func countErased(ofReplay table: PastTable) throws {
    let rows = try connection.query(
      "SELECT known FROM \(table.changed) WHERE instr(known, x'02') > 0"
    )
    while try rows.step() {
      for (place, mark) in rows.bytes(at: 0).enumerated() where mark == Self.erasedMark {
        countErased(table, place)
      }
    }
  }

  // MARK: Unknown values

  /// An erased value for which a row of a replica has a placeholder.
  struct UnknownValue {
    let source: Source
    let id: Value
    let column: ColumnIndex
    /// The place in the rows of the table.
    let place: Int
    /// The transaction that set the value.
    let transaction: Int64
  }

  /// The erased values for which rows of a replica have placeholders: statements with their entity,
  /// object and property.
  func unknownValues(of wanted: [Int]) throws -> [UnknownValue] {
    let table = connection.tables.unknown
    guard
      try connection.hasRow("SELECT 1 FROM sqlite_schema WHERE name = ?1", values: [.text(table)])
    else { return [] }
    let all = try connection.all("SELECT entity, object, property, transaction_id FROM \(table)") {
      (
        entity: $0.string(at: 0), id: $0.value(at: 1), property: $0.string(at: 2),
        transaction: $0.int64(at: 3)
      )
    }
    return all.compactMap { entity, id, property, transaction in
      guard let source = sources[present]?[Array(entity.utf8)], let index = source.table,
        wanted.contains(index), let (present, places) = source.present,
        let column = present.layout.column(of: property), let place = places[column.number]
      else { return nil }
      return UnknownValue(
        source: source,
        id: id,
        column: column,
        place: place,
        transaction: transaction
      )
    }
  }

  /// Replaces a placeholder by NULL, unless history has the value at the point.
  func forget(_ value: UnknownValue) throws {
    guard let index = value.source.table, let writing = statements[index] else { return }
    let object = try connection.query(
      "SELECT NULL, NULL, NULL, ?1",
      values: [value.id]
    )
    guard try object.step(), let reading = writing.read, !isForward else { return }
    try bindObject(reading, to: object)
    defer { reading.reset() }
    let table = tables[index]
    let count = table.columns.count
    var known = [UInt8](repeating: 0, count: count)
    var values: [Value]
    if try reading.step() {
      guard State(rawValue: reading.int64(at: 0)) == .partial else { return }
      for (place, byte) in reading.bytes(at: 1).enumerated() where place < count {
        known[place] = byte
      }
      guard known[value.place] == 0 else { return }
      values = (0..<count).map { reading.value(at: Int32($0) + 2) }
    } else {
      let id: ObjectID
      if case .integer(let number) = value.id {
        id = ObjectID(number)
      } else if case .text(let text) = value.id,
        let name = Array(text.utf8).withUnsafeBytes({ RowName(canonical: $0) })
      {
        id = ObjectID(name)
      } else {
        return
      }
      guard let (present, places) = value.source.present, let row = try present.find(id) else {
        return
      }
      values = Array(repeating: .null, count: count)
      if let place = value.source.namePlace { values[place] = value.source.entityName }
      if let place = value.source.idPlace { values[place] = value.id }
      for (value, place) in zip(row, places) {
        if let place { values[place] = value }
      }
      try hide(object, value.source, writing)
    }
    values[value.place] = .null
    known[value.place] = 1
    countErased(table, value.place)
    if case .integer(let id) = value.id {
      let key = RowKey(entity: value.source.entity, id: ObjectID(id))
      erasedValues[key, default: [:]][value.column] = value.transaction
    }
    try write(values, .partial, known: known, object, writing)
  }
}
