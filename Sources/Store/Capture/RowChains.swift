import Adoption
import Format
import SQLite

/// The captured changes of each row as a chain: each change begins with the state that the change
/// before it left, and the last state is the row in the file.
///
/// A chain that does not fit is put in order. The data is in a temporary file, because any number
/// of rows can have changed.
final class RowChains {
  let connection: Connection
  private let finding: Statement
  private let adding: Statement
  /// Changes a chain that was already open and stays broken or not, so that no index changes.
  private let continuing: Statement
  private let changing: Statement
  private let replacing: Statement
  private let checking: Statement
  private var hasReplaced = false
  private var hasBroken = false

  init() throws {
    // SQLite creates and removes a temporary file if the path is empty.
    connection = try Connection(path: "", mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8192;
      CREATE TABLE chain (id INTEGER PRIMARY KEY, origin INTEGER, name BLOB, state INTEGER,
        victim INTEGER, victim_state INTEGER, present INTEGER, is_open INTEGER, is_broken INTEGER,
        UNIQUE (origin, name));
      CREATE INDEX open ON chain (id) WHERE is_open;
      CREATE INDEX broken ON chain (id) WHERE is_broken;
      CREATE TABLE replaced (clock INTEGER PRIMARY KEY);
      BEGIN;
      """
    )
    finding = try connection.prepare(
      """
      SELECT id, state, victim, victim_state, is_broken, is_open FROM chain
        WHERE origin = ?1 AND name = ?2
      """
    )
    adding = try connection.prepare(
      """
      INSERT INTO chain (origin, name, state, victim, victim_state, is_open, is_broken)
        VALUES (?1, ?2, ?3, ?4, ?3, 1, 0)
      """
    )
    continuing = try connection.prepare(
      "UPDATE chain SET state = ?2, victim = ?3, victim_state = ?4 WHERE id = ?1"
    )
    changing = try connection.prepare(
      """
      UPDATE chain SET state = ?2, victim = ?3, victim_state = ?4, is_open = 1, is_broken = ?5
        WHERE id = ?1
      """
    )
    replacing = try connection.prepare("INSERT OR IGNORE INTO replaced VALUES (?1)")
    checking = try connection.prepare("SELECT 1 FROM replaced WHERE clock = ?1")
  }

  // MARK: Captured rows

  func take(_ event: CapturedEvent) throws {
    guard event.kind != .victim else {
      guard let row = event.before else { return }
      return try note(row.name, of: event.table) { chain in
        chain.victim = event.place.clock
        chain.victimState = row.values
        chain.state = chain.state ?? row.values
      }
    }
    for name in event.names {
      try step(name, of: event.table, event.step(of: name))
    }
  }

  private func step(_ name: RowName, of table: Int, _ step: ChainStep) throws {
    try note(name, of: table) { chain in
      defer {
        chain.state = step.after
        chain.victim = nil
      }
      guard let state = chain.state, state != step.before else { return }
      // An insertion of a row that exists shows that REPLACE deleted the row.
      if step.before == RowState.absent, let victim = chain.victim, chain.victimState == state {
        try noteReplaced(victim)
      } else {
        chain.isBroken = true
        hasBroken = true
      }
    }
  }

  private struct Chain {
    var state: Int64?
    var victim: Int64?
    var victimState: Int64 = RowState.absent
    var isBroken = false
    var isOpen = false
  }

  private func note(_ name: RowName, of table: Int, _ body: (inout Chain) throws -> Void) throws {
    try finding.bind(1, Int64(table))
    try name.bytes.withUnsafeBytes { try finding.bind(2, blob: $0) }
    var chain = Chain()
    var id: Int64?
    if try finding.step() {
      id = finding.int64(at: 0)
      chain = Chain(
        state: finding.int64(at: 1),
        victim: finding.isNull(at: 2) ? nil : finding.int64(at: 2),
        victimState: finding.int64(at: 3),
        isBroken: finding.int64(at: 4) != 0,
        isOpen: finding.int64(at: 5) != 0
      )
    }
    finding.reset()
    let wasBroken = chain.isBroken
    try body(&chain)
    let state = chain.state ?? RowState.absent
    guard let id else {
      try adding.bind(1, Int64(table))
      try name.bytes.withUnsafeBytes { try adding.bind(2, blob: $0) }
      try adding.bind(3, state)
      try adding.bind(4, chain.victim.map { .integer($0) } ?? .null)
      return try adding.run()
    }
    let isSame = chain.isOpen && chain.isBroken == wasBroken
    let statement = isSame ? continuing : changing
    try statement.bind(1, id)
    try statement.bind(2, state)
    try statement.bind(3, chain.victim.map { .integer($0) } ?? .null)
    try statement.bind(4, chain.victimState)
    if !isSame { try statement.bind(5, Int64(chain.isBroken ? 1 : 0)) }
    try statement.run()
  }

  // MARK: Replaced rows

  /// Notes whether `REPLACE` deleted the row that was captured at this clock.
  func noteReplaced(_ clock: Int64, _ isReplaced: Bool = true) throws {
    guard isReplaced else {
      // In captured order, it can have seemed so.
      return try connection.run("DELETE FROM replaced WHERE clock = ?1", values: [.integer(clock)])
    }
    hasReplaced = true
    try replacing.bind(1, clock)
    try replacing.run()
  }

  func isReplaced(_ clock: Int64) throws -> Bool {
    guard hasReplaced else { return false }
    try checking.bind(1, clock)
    defer { checking.reset() }
    return try checking.step()
  }

  // MARK: The last states

  /// Compares the last state of each chain with the row in the file; false if the time was over.
  ///
  /// `table` gives the table in the file; nil if the file no longer has the table, so that its rows
  /// can't be compared.
  func verify(
    until deadline: ContinuousClock.Instant?,
    table: (Int) throws -> Table?
  ) throws -> Bool {
    let open = try connection.prepare(
      """
      SELECT id, origin, name, state, victim, victim_state FROM chain WHERE is_open AND id > ?1
        ORDER BY id LIMIT 64
      """
    )
    var last: Int64 = 0
    while true {
      try open.bind(1, last)
      var chains: [(id: Int64, table: Int, name: RowName, state: Int64, victim: Int64?)] = []
      while try open.step() {
        guard let name = RowName(canonical: open.bytes(at: 2)) else { continue }
        let (state, isSame) = (open.int64(at: 3), open.int64(at: 3) == open.int64(at: 5))
        chains.append(
          (
            open.int64(at: 0), Int(open.int64(at: 1)), name, state,
            open.isNull(at: 4) || !isSame ? nil : open.int64(at: 4)
          )
        )
      }
      open.reset()
      guard let end = chains.last?.id else { return true }
      last = end
      for chain in chains {
        guard let found = try table(chain.table) else {
          try close(chain.id, state: chain.state, present: nil)
          continue
        }
        var state = chain.state
        let present = try found.fingerprint(chain.name)
        if let victim = chain.victim, present == RowState.absent {
          try noteReplaced(victim)
          state = RowState.absent
        }
        try close(chain.id, state: state, present: present)
      }
      if let deadline, ContinuousClock.now >= deadline { return false }
    }
  }

  private func close(_ id: Int64, state: Int64, present: Int64?) throws {
    let isBroken = present.map { $0 != state } ?? false
    if isBroken { hasBroken = true }
    try connection.run(
      """
      UPDATE chain SET is_open = 0, state = ?2, present = ?3, is_broken = is_broken OR ?4
        WHERE id = ?1
      """,
      values: [
        .integer(id), .integer(state), present.map { .integer($0) } ?? .null,
        .integer(isBroken ? 1 : 0),
      ]
    )
  }

  // MARK: Chains that do not fit

  /// Whether there are chains whose changes do not fit in captured order.
  var isBroken: Bool { hasBroken }

  /// The chain of a row; nil if the row has none.
  func chain(_ name: RowName, of table: Int) throws -> (id: Int64, isBroken: Bool)? {
    try finding.bind(1, Int64(table))
    try name.bytes.withUnsafeBytes { try finding.bind(2, blob: $0) }
    defer { finding.reset() }
    return try finding.step() ? (finding.int64(at: 0), finding.int64(at: 4) != 0) : nil
  }

  func markBroken(_ id: Int64) throws {
    try connection.run("UPDATE chain SET is_broken = 1 WHERE id = ?1", values: [.integer(id)])
  }
}

extension CapturedEvent {
  /// The change of a row with this name by the event.
  ///
  /// An update that changes the name deletes one row and inserts another one.
  func step(of name: RowName) -> ChainStep {
    ChainStep(
      before: before.flatMap { $0.name == name ? $0.values : nil } ?? RowState.absent,
      after: kind == .victim
        ? RowState.absent : after.flatMap { $0.name == name ? $0.values : nil } ?? RowState.absent,
      time: place.time
    )
  }
}
