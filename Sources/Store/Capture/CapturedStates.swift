import Adoption
import Format
import SQLite

/// The states of rows between captured changes.
///
/// The first question about a table with captured changes lists the changes of each row in the
/// temporary file of the chains.
final class CapturedStates {
  let tables: [Table]
  private let chains: RowChains
  private let captured: CapturedTables
  private let order: RowOrder
  /// The tables with captured changes.
  private let changed: Set<Int>
  private let events: () throws -> CapturedStream
  private var isListed = false
  private lazy var columns = "clock, row, has_before, has_after, is_victim"
  private lazy var findEarlier =
    "SELECT \(columns) FROM event WHERE chain = ?1 AND clock <= ?2 ORDER BY clock DESC"
  private lazy var findLater =
    "SELECT \(columns) FROM event WHERE chain = ?1 AND clock > ?2 ORDER BY clock"

  /// `events` gives the captured rows that the chains contain.
  init(
    _ tables: [Table],
    changed: Set<Int>,
    chains: RowChains,
    order: RowOrder,
    names: CaptureNames,
    events: @escaping () throws -> CapturedStream
  ) {
    self.tables = tables
    self.changed = changed
    self.chains = chains
    self.order = order
    self.events = events
    captured = CapturedTables(tables, names: names)
  }

  private func list() throws {
    guard !isListed else { return }
    isListed = true
    let connection = chains.connection
    try connection.execute(
      """
      CREATE TABLE event (chain INTEGER, clock INTEGER, row INTEGER, has_before INTEGER,
        has_after INTEGER, is_victim INTEGER, PRIMARY KEY (chain, clock)) WITHOUT ROWID;
      CREATE TABLE owned (origin INTEGER, owner INTEGER, chain INTEGER,
        PRIMARY KEY (origin, owner, chain)) WITHOUT ROWID;
      """
    )
    let adding = try connection.prepare("INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    let stream = try events()
    defer { stream.close() }
    while let event = try stream.next() {
      for name in event.names {
        guard let chain = try chains.chain(name, of: event.table) else { continue }
        try adding.bind(1, chain.id)
        try adding.bind(2, event.place.clock)
        try adding.bind(3, event.row.number)
        try adding.bind(4, Int64(event.before?.name == name ? 1 : 0))
        try adding.bind(5, Int64(event.kind != .victim && event.after?.name == name ? 1 : 0))
        try adding.bind(6, Int64(event.kind == .victim ? 1 : 0))
        try adding.run()
        guard case .key(let key) = name.identity, case .integer(let owner)? = key.first else {
          continue
        }
        try connection.run(
          "INSERT OR IGNORE INTO owned VALUES (?1, ?2, ?3)",
          values: [.integer(Int64(event.table)), .integer(owner), .integer(chain.id)]
        )
      }
    }
  }

  /// The values of a row after the change with a number of the clock; nil if there is no such row.
  func row(_ name: RowName, of table: Int, after clock: Int64) throws -> [Value]? {
    guard changed.contains(table), let chain = try chains.chain(name, of: table) else {
      return try tables[table].find(name)
    }
    try list()
    if let change = try change(findEarlier, of: chain, at: clock) {
      return try change.hasAfter
        ? captured.values(change.row, isAfter: true, of: tables[table]) : nil
    }
    if let change = try change(findLater, of: chain, at: clock) {
      return try change.hasBefore
        ? captured.values(change.row, isAfter: false, of: tables[table]) : nil
    }
    return try tables[table].find(name)
  }

  private struct Change {
    let row: CapturedReference
    let hasBefore: Bool
    let hasAfter: Bool
  }

  /// The nearest change of a row before or after a number of the clock.
  private func change(
    _ sql: String,
    of chain: (id: Int64, isBroken: Bool),
    at clock: Int64
  ) throws -> Change? {
    let statement = try chains.connection.cached(sql)
    try statement.bind(1, chain.id)
    try statement.bind(2, clock)
    defer { statement.reset() }
    while try statement.step() {
      let clock = statement.int64(at: 0)
      if statement.int64(at: 4) != 0, try !chains.isReplaced(clock) { continue }
      let change = Change(
        row: CapturedReference(number: statement.int64(at: 1)),
        hasBefore: statement.int64(at: 2) != 0,
        hasAfter: statement.int64(at: 3) != 0
      )
      guard chain.isBroken else { return change }
      if try order.isUnchanged(clock) { continue }
      guard let place = try order.place(clock) else { return change }
      // Another change of the row is made at this place.
      return try chains.connection.first(
        "SELECT row, has_before, has_after FROM event WHERE chain = ?1 AND row = ?2",
        values: [.integer(chain.id), .integer(place.row.number)]
      ) {
        Change(
          row: CapturedReference(number: $0.int64(at: 0)),
          hasBefore: $0.int64(at: 1) != 0,
          hasAfter: $0.int64(at: 2) != 0
        )
      } ?? change
    }
    return nil
  }

  /// The names of an owner's links that have captured changes.
  func changed(ofOwner owner: Int64, in table: Int) throws -> [RowName] {
    guard changed.contains(table) else { return [] }
    try list()
    return try chains.connection.all(
      """
      SELECT chain.name FROM owned JOIN chain ON chain.id = owned.chain
        WHERE owned.origin = ?1 AND owned.owner = ?2
      """,
      values: [.integer(Int64(table)), .integer(owner)]
    ) { RowName(canonical: $0.bytes(at: 0)) }.compactMap(\.self)
  }
}
