import Format
import SQLite

/// The statements that write changed rows.
extension PastRows {
  func prepare(_ table: PastTable) throws -> Statements {
    if case .pair = table.key {
      let result = Statements(
        absent: try connection.prepare(
          "INSERT OR IGNORE INTO \(table.changed) (c0, c1, state) VALUES (?1, ?2, ?3)"
        )
      )
      result.remove = try connection.prepare(
        "DELETE FROM \(table.changed) WHERE c0 = ?1 AND c1 = ?2"
      )
      return result
    }
    let result = Statements(
      absent: try connection.prepare(
        "INSERT OR IGNORE INTO \(table.changed) (object, state) VALUES (?1, 0)"
      )
    )
    let list = table.columns.indices.map { "c\($0)" }.joined(separator: ", ")
    let parameters = table.columns.indices.map { "?\($0 + 4)" }.joined(separator: ", ")
    result.read = try connection.prepare(
      "SELECT state, known, \(list) FROM \(table.changed) WHERE object = ?1"
    )
    result.write = try connection.prepare(
      "INSERT OR REPLACE INTO \(table.changed) (object, state, known, \(list))"
        + " VALUES (?1, ?2, ?3, \(parameters))"
    )
    result.remove = try connection.prepare("DELETE FROM \(table.changed) WHERE object = ?1")
    switch table.key {
    case .name(let alias):
      result.hide = try connection.prepare("INSERT OR IGNORE INTO \(table.hidden) VALUES (?1, ?2)")
      if let present = table.present {
        let terms = keyColumns(of: table).enumerated().map { place, name in
          "\(name) = ?\(place + 1) AND \(name) = ?\(place + 1) COLLATE BINARY"
            + " AND typeof(\(name)) = typeof(?\(place + 1))"
        }
        result.rowid = try connection.prepare(
          "SELECT \(alias) FROM main.\(present.table) WHERE \(terms.joined(separator: " AND "))"
        )
      }
    case .columns(let names):
      let parameters = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      result.hide = try connection.prepare(
        "INSERT OR IGNORE INTO \(table.hidden) VALUES (\(parameters))"
      )
    case .number, .pair: break
    }
    return result
  }

  /// The quoted columns of the key in the table that has the rows now.
  func keyColumns(of table: PastTable) -> [String] {
    let source = sources.values.lazy.flatMap(\.values).first {
      $0.present != nil && $0.table.map { self.tables[$0] === table } == true
    }
    guard let present = source?.present?.table else { return [] }
    return present.key.map { present.layout.columns[$0].quoted }
  }

  /// Hides the row that exists now, if a table finds its rows by names.
  func hide(_ row: Statement, _ source: Source, _ writing: Statements) throws {
    guard !isForward, let hide = writing.hide else { return }
    let name =
      row.type(at: 3) == .text
      ? RowName(canonical: row.bytes(at: 3)) : RowName(ObjectID(row.int64(at: 3)))
    let identity = name?.identity
    guard let finding = writing.rowid else {
      let values: [Value] =
        switch identity {
        case .integer(let number): [.integer(number)]
        case .key(let values): values
        default: []
        }
      for (index, value) in values.enumerated() { try hide.bind(Int32(index) + 1, value) }
      return try values.isEmpty ? () : hide.run()
    }
    switch identity {
    case .rowid(let number): try hide.bind(1, number)
    case .integer(let number):
      try finding.bind(1, number)
      defer { finding.reset() }
      guard try finding.step() else { return }
      try hide.bind(1, finding.int64(at: 0))
    case .key(let values):
      for (index, value) in values.enumerated() { try finding.bind(Int32(index) + 1, value) }
      defer { finding.reset() }
      guard try finding.step() else { return }
      try hide.bind(1, finding.int64(at: 0))
    case nil: return
    }
    try hide.bind(2, row.value(at: 3))
    try hide.run()
  }

  func write(
    _ values: [Value],
    _ state: State,
    known: [UInt8],
    _ row: Statement,
    _ writing: Statements
  ) throws {
    guard let statement = writing.write else { return }
    writing.read?.reset()
    try bindObject(statement, to: row)
    try write(values, state, known: known, statement)
  }

  func write(
    _ values: [Value],
    _ state: State,
    known: [UInt8],
    _ statement: Statement
  ) throws {
    try statement.bind(2, state.rawValue)
    try known.withUnsafeBytes { try statement.bind(3, blob: $0) }
    for (index, value) in values.enumerated() { try statement.bind(Int32(index) + 4, value) }
    try statement.run()
  }
}
