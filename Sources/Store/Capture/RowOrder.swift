import Adoption
import Format
import SQLite

/// The order of captured changes whose chains do not fit in captured order.
///
/// The changes of a row keep their places among the captured changes of other rows, and exchange
/// them with each other. The result is in the temporary file of the chains.
final class RowOrder {
  /// What is done at the place of a captured change.
  struct Place {
    let table: Int
    /// The change that is made at this place, and its clock.
    let row: CapturedReference
    let clock: Int64
    /// Whether the same statement made the change before it of one of its rows.
    let isJoined: Bool
  }

  /// Two states of a row between which a change was not captured.
  struct Gap {
    let table: Int
    let name: RowName
    /// The values on both sides; nil if the row did not exist.
    ///
    /// After the last change of the row, `after` is nil, and the row in the file has the values.
    let before: [Value]?
    let after: [Value]?
  }

  struct Row {
    let chain: Int64
    let table: Int
    let name: RowName
    /// The row's state in the file; nil if it is not known.
    let present: Int64?
  }

  /// A captured change of the row of a chain.
  struct Held {
    let clock: Int64
    let row: CapturedReference
    let kind: CapturedKind
    let step: ChainStep
  }

  /// The most rows that exchanged names whose changes are put in order together.
  static let most = 10_000

  let chains: RowChains
  let connection: Connection
  private let stream: () throws -> CapturedStream
  /// Gives the values of a captured row of a table, before or after the change.
  let values: (CapturedReference, _ isAfter: Bool, _ table: Int) throws -> [Value]?
  private(set) var hasAny = false

  /// Puts the changes of all broken chains in order.
  ///
  /// `stream` gives the captured rows that the chains contain, and `values` the values of a captured
  /// row of a table, before or after the change.
  init(
    _ chains: RowChains,
    stream: @escaping () throws -> CapturedStream,
    values: @escaping (CapturedReference, Bool, Int) throws -> [Value]?
  ) throws {
    self.chains = chains
    self.stream = stream
    self.values = values
    connection = chains.connection
    guard chains.isBroken else { return }
    hasAny = true
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS held (chain INTEGER, clock INTEGER, row INTEGER, kind INTEGER,
        before INTEGER, after INTEGER, time INTEGER, PRIMARY KEY (chain, clock)) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS held_clock ON held (clock);
      CREATE TABLE IF NOT EXISTS place (slot INTEGER PRIMARY KEY, origin INTEGER, row INTEGER,
        clock INTEGER, is_joined INTEGER);
      CREATE TABLE IF NOT EXISTS joined (clock INTEGER, name BLOB, PRIMARY KEY (clock, name))
        WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS gap (id INTEGER PRIMARY KEY, clock INTEGER, origin INTEGER,
        name BLOB);
      CREATE INDEX IF NOT EXISTS gap_clock ON gap (clock);
      CREATE TABLE IF NOT EXISTS gap_value (gap INTEGER, is_after INTEGER, place INTEGER, value,
        PRIMARY KEY (gap, is_after, place)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS sorted (chain INTEGER PRIMARY KEY);
      CREATE TABLE IF NOT EXISTS unchanged (clock INTEGER PRIMARY KEY);
      """
    )
    try hold()
    let broken = try connection.prepare(
      "SELECT id, origin, name, present FROM chain WHERE is_broken AND id > ?1 ORDER BY id LIMIT 1"
    )
    var last: Int64 = 0
    while let row = try row(broken, last) {
      last = row.chain
      guard try !isSorted(row.chain) else { continue }
      try sort(group(of: row))
    }
  }

  private func row(_ statement: Statement, _ parameter: Int64) throws -> Row? {
    try statement.bind(1, parameter)
    defer { statement.reset() }
    guard try statement.step(), let name = RowName(canonical: statement.bytes(at: 2)) else {
      return nil
    }
    return Row(
      chain: statement.int64(at: 0),
      table: Int(statement.int64(at: 1)),
      name: name,
      present: statement.isNull(at: 3) ? nil : statement.int64(at: 3)
    )
  }

  private func isSorted(_ chain: Int64) throws -> Bool {
    try connection.hasRow("SELECT 1 FROM sorted WHERE chain = ?1", values: [.integer(chain)])
  }

  // MARK: Reading

  /// Writes the events of all broken chains into the temporary file.
  ///
  /// A change of a name belongs to two chains. If one of them is broken, the other one is treated
  /// as broken too, and its earlier changes are read again.
  private func hold() throws {
    let adding = try connection.prepare(
      "INSERT OR IGNORE INTO held VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    )
    var isComplete = false
    while !isComplete {
      isComplete = true
      let stream = try stream()
      while let event = try stream.next() {
        let found = try event.names.compactMap { name in
          try chains.chain(name, of: event.table).map { (chain: $0, step: event.step(of: name)) }
        }
        guard found.contains(where: \.chain.isBroken) else { continue }
        for (chain, step) in found {
          if !chain.isBroken {
            try chains.markBroken(chain.id)
            isComplete = false
          }
          let numbers = [
            chain.id, event.place.clock, event.row.number, event.kind.rawValue, step.before,
            step.after, step.time,
          ]
          for (index, number) in numbers.enumerated() {
            try adding.bind(Int32(clamping: index) + 1, number)
          }
          try adding.run()
        }
      }
      stream.close()
    }
  }

  /// The rows whose names were exchanged with the name of a row, with the row itself.
  private func group(of row: Row) throws -> [Row] {
    var group = [row]
    let linked = try connection.prepare(
      """
      SELECT DISTINCT chain.id, chain.origin, chain.name, chain.present
        FROM held AS mine JOIN held AS other ON other.clock = mine.clock
          JOIN chain ON chain.id = other.chain
        WHERE mine.chain = ?1 AND other.chain NOT IN (SELECT chain FROM sorted)
      """
    )
    func note(_ row: Row) throws {
      try connection.run("INSERT INTO sorted VALUES (?1)", values: [.integer(row.chain)])
    }
    try note(row)
    var next = 0
    while next < group.count {
      while let other = try self.row(linked, group[next].chain) {
        try note(other)
        group.append(other)
      }
      next += 1
    }
    return group
  }

  func events(of chain: Int64) throws -> [Held] {
    try connection.all(
      "SELECT clock, row, kind, before, after, time FROM held WHERE chain = ?1 ORDER BY clock",
      values: [.integer(chain)]
    ) { row in
      CapturedKind(rawValue: row.int64(at: 2)).map { kind in
        Held(
          clock: row.int64(at: 0),
          row: CapturedReference(number: row.int64(at: 1)),
          kind: kind,
          step: ChainStep(
            before: row.int64(at: 3),
            after: row.int64(at: 4),
            time: row.int64(at: 5)
          )
        )
      }
    }.compactMap(\.self)
  }

  // MARK: The result

  /// What is done at the place of the captured change with this clock; nil if the change itself is
  /// made.
  func place(_ clock: Int64) throws -> Place? {
    guard hasAny else { return nil }
    let finding = try connection.cached(
      "SELECT origin, row, clock, is_joined FROM place WHERE slot = ?1"
    )
    try finding.bind(1, clock)
    defer { finding.reset() }
    guard try finding.step() else { return nil }
    return Place(
      table: Int(finding.int64(at: 0)),
      row: CapturedReference(number: finding.int64(at: 1)),
      clock: finding.int64(at: 2),
      isJoined: finding.int64(at: 3) != 0
    )
  }

  /// Whether the update with this clock changed no value of a row whose changes were put in order.
  func isUnchanged(_ clock: Int64) throws -> Bool {
    guard hasAny else { return false }
    return try connection.hasRow(
      "SELECT 1 FROM unchanged WHERE clock = ?1",
      values: [.integer(clock)]
    )
  }

  /// Whether the change with this clock belongs to the same statement as the earlier change of a row.
  func isJoined(_ clock: Int64, _ name: RowName) throws -> Bool {
    let finding = try connection.cached("SELECT 1 FROM joined WHERE clock = ?1 AND name = ?2")
    try finding.bind(1, clock)
    try name.bytes.withUnsafeBytes { try finding.bind(2, blob: $0) }
    defer { finding.reset() }
    return try finding.step()
  }

  /// The gaps before the captured change with this clock; after the last changes if it is nil.
  func gaps(before clock: Int64?) throws -> [Gap] {
    guard hasAny else { return [] }
    let gaps = try connection.all(
      "SELECT id, origin, name FROM gap WHERE clock IS ?1 ORDER BY id",
      values: [clock.map { .integer($0) } ?? .null]
    ) { row in
      RowName(canonical: row.bytes(at: 2)).map { (row.int64(at: 0), Int(row.int64(at: 1)), $0) }
    }
    return try gaps.compactMap(\.self).map { id, table, name in
      func values(_ isAfter: Int64) throws -> [Value]? {
        let values = try connection.all(
          "SELECT value FROM gap_value WHERE gap = ?1 AND is_after = ?2 ORDER BY place",
          values: [.integer(id), .integer(isAfter)]
        ) { $0.value(at: 0) }
        return values.isEmpty ? nil : values
      }
      return try Gap(table: table, name: name, before: values(0), after: values(1))
    }
  }
}
