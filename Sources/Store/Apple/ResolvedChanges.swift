import AppleStores
import Format
import SQLite

/// Which values of changes are still those of the rows, because no later change names them.
///
/// The changes wait in a temporary file, so that a history of any length needs little memory.
final class ResolvedChanges {
  enum Kind: Int64 {
    case insert, update, delete
    /// Nobody knows what the change changed.
    case unread
  }

  /// A change of an object.
  struct Touch {
    let kind: Kind
    let entity: Int
    let id: Int64
    /// The transaction that records the change.
    let transaction: Int64
    /// The columns and lists that can have changed.
    let columns: ColumnSet
    /// Those whose values the recorded change has.
    let named: ColumnSet
  }

  /// An object that existed before the first change that history has of it.
  struct Earlier {
    let entity: Int
    let id: Int64
    /// What no change of history names.
    let resolved: ColumnSet
  }

  /// What is known after a change.
  struct Resolution {
    /// What has the value of the row.
    let columns: ColumnSet
    /// Whether the object was there before it was inserted.
    let isRefused: Bool
  }

  /// What the changes of an object say about it after the last one.
  struct Outcome {
    let isLive: Bool
    /// What has the value of the row, according to the last change that names it.
    let resolved: ColumnSet
    /// What changes name, though nobody knows the value.
    let unknown: ColumnSet
  }

  private let file: Connection
  private let insertion: Statement
  private let addition: Statement
  /// The number of changes that were added.
  private var count: Int64 = 0
  private var resolutions: Statement?
  private var hasResolution = false
  private var finding: Statement?
  private var mentions: (finding: Statement, setting: Statement)?

  init() throws {
    file = try Connection(path: "", mode: .readWriteCreate)
    try file.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; BEGIN;
      CREATE TABLE touch (entity INTEGER, id INTEGER, place INTEGER, kind INTEGER, txn INTEGER,
        columns, named);
      CREATE TABLE resolved (place INTEGER, columns, refused INTEGER);
      CREATE TABLE earlier (entity INTEGER, id INTEGER, columns);
      CREATE TABLE outcome (entity INTEGER, id INTEGER, live INTEGER, resolved, unknown,
        there INTEGER, PRIMARY KEY (entity, id)) WITHOUT ROWID;
      CREATE TABLE mentioned (entity INTEGER, id INTEGER, columns, PRIMARY KEY (entity, id))
        WITHOUT ROWID;
      """
    )
    insertion = try file.prepare("INSERT INTO touch VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    addition = try file.prepare("INSERT INTO outcome VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
  }

  /// Adds a change; changes are added in the order of history.
  func add(_ touch: Touch) throws {
    try insertion.bind(1, Int64(touch.entity))
    try insertion.bind(2, touch.id)
    try insertion.bind(3, count)
    try insertion.bind(4, touch.kind.rawValue)
    try insertion.bind(5, touch.transaction)
    try touch.columns.bind(6, of: insertion)
    try touch.named.bind(7, of: insertion)
    try insertion.run()
    count += 1
  }

  // MARK: Comparison

  /// The newest changes of one object, as far as they were read.
  private struct Object {
    let all: ColumnSet
    /// Whether the store has the object.
    let isThere: Bool
    var seen: ColumnSet
    /// Whether an earlier change is of the same object, which was not deleted and inserted again.
    var isSame = true
    /// Nil until a change says it.
    var isLive: Bool?
    var resolved: ColumnSet
    var unknown: ColumnSet

    init(count: Int, isThere: Bool) {
      all = ColumnSet(count: count, isFull: true)
      let none = ColumnSet(count: count)
      (seen, resolved, unknown) = (none, none, none)
      self.isThere = isThere
    }

    /// Adds the change before those that were added, and returns what it resolves.
    mutating func add(_ kind: Kind, _ columns: ColumnSet, named: ColumnSet) -> ColumnSet {
      isLive = isLive ?? (kind != .delete)
      if kind == .delete { isSame = false }
      let found = isSame && isThere ? named.subtracting(seen) : ColumnSet(count: 0)
      if isSame {
        resolved.formUnion(found)
        unknown.formUnion(named.subtracting(resolved))
      }
      if kind == .insert { isSame = false }
      seen.formUnion(kind == .unread ? all : columns)
      return found
    }
  }

  /// Compares the changes of each object, the newest first.
  ///
  /// `counts` has the number of columns and lists of each entity. `isThere` says whether the store
  /// has an object, and `isKnown` whether it was read before; both are called in the order of
  /// entities and ids.
  func finish(
    counts: [Int],
    isThere: (_ entity: Int, _ id: Int64) throws -> Bool,
    isKnown: (_ entity: Int, _ id: Int64) throws -> Bool
  ) throws {
    let rows = try file.prepare(
      """
      SELECT entity, id, place, kind, txn, columns, named FROM touch
      ORDER BY entity, id, place DESC
      """
    )
    let resolving = try file.prepare("INSERT INTO resolved VALUES (?1, ?2, ?3)")
    func next() throws -> (place: Int64, touch: Touch)? {
      guard try rows.step() else { return nil }
      let touch = Touch(
        kind: Kind(rawValue: rows.int64(at: 3)) ?? .unread,
        entity: Int(rows.int64(at: 0)),
        id: rows.int64(at: 1),
        transaction: rows.int64(at: 4),
        columns: ColumnSet(at: 5, of: rows),
        named: ColumnSet(at: 6, of: rows)
      )
      return (rows.int64(at: 2), touch)
    }
    var object: Object?
    var newest = try next()
    while let (place, touch) = newest {
      newest = try next()
      let (entity, id) = (touch.entity, touch.id)
      let older = newest.flatMap { $0.touch.entity == entity && $0.touch.id == id ? $0.touch : nil }
      var present =
        try object
        ?? Object(count: counts[entity], isThere: isThere(entity, id))
      let wasKnown = try older == nil && isKnown(entity, id)
      let isRefused =
        touch.kind == .insert && (older.map { $0.kind != .delete } ?? wasKnown)
      var resolved = ColumnSet(count: 0)
      if isRefused || older?.transaction == touch.transaction {
        // The change is not recorded.
        present.seen.formUnion(touch.columns)
        if isRefused { present.isLive = present.isLive ?? true }
      } else {
        resolved = present.add(touch.kind, touch.columns, named: touch.named)
      }
      if isRefused || !resolved.isEmpty, touch.kind != .delete {
        try resolving.bind(1, place)
        try resolved.bind(2, of: resolving)
        try resolving.bind(3, Int64(isRefused ? 1 : 0))
        try resolving.run()
      }
      object = older == nil ? nil : present
      guard older == nil else { continue }
      if touch.kind != .insert, !wasKnown { try addEarlier(entity, id, &present) }
      try addOutcome(entity, id, present)
    }
  }

  private func addEarlier(_ entity: Int, _ id: Int64, _ object: inout Object) throws {
    let resolved = object.add(.insert, object.all, named: object.all)
    let statement = try file.cached("INSERT INTO earlier VALUES (?1, ?2, ?3)")
    try statement.bind(1, Int64(entity))
    try statement.bind(2, id)
    try resolved.bind(3, of: statement)
    try statement.run()
  }

  private func addOutcome(_ entity: Int, _ id: Int64, _ object: Object) throws {
    try addition.bind(1, Int64(entity))
    try addition.bind(2, id)
    try addition.bind(3, Int64(object.isLive == false ? 0 : 1))
    try object.resolved.bind(4, of: addition)
    try object.unknown.bind(5, of: addition)
    try addition.bind(6, Int64(object.isThere ? 1 : 0))
    try addition.run()
  }

  // MARK: Results

  /// What is known after the change at a place, which must be higher than that of the last call;
  /// nil if nothing is.
  func resolution(at place: Int64) throws -> Resolution? {
    let rows: Statement
    if let resolutions {
      rows = resolutions
    } else {
      rows = try file.prepare("SELECT place, columns, refused FROM resolved ORDER BY place")
      resolutions = rows
      hasResolution = try rows.step()
    }
    while hasResolution, rows.int64(at: 0) < place { hasResolution = try rows.step() }
    guard hasResolution, rows.int64(at: 0) == place else { return nil }
    return Resolution(
      columns: ColumnSet(at: 1, of: rows),
      isRefused: rows.int64(at: 2) != 0
    )
  }

  func hasEarlier() throws -> Bool { try file.hasRow("SELECT 1 FROM earlier LIMIT 1") }

  /// The objects that existed before their first change, in the order of entities and ids.
  func forEachEarlier(_ body: (Earlier) throws -> Void) throws {
    let rows = try file.prepare("SELECT entity, id, columns FROM earlier ORDER BY rowid")
    while try rows.step() {
      try body(
        Earlier(
          entity: Int(rows.int64(at: 0)),
          id: rows.int64(at: 1),
          resolved: ColumnSet(at: 2, of: rows)
        )
      )
    }
  }

  /// What the changes of an object say; nil if there are none.
  func outcome(of entity: Int, _ id: Int64) throws -> Outcome? {
    let finding =
      try self.finding
      ?? file.prepare(
        "SELECT live, resolved, unknown FROM outcome WHERE entity = ?1 AND id = ?2"
      )
    self.finding = finding
    try finding.bind(1, Int64(entity))
    try finding.bind(2, id)
    defer { finding.reset() }
    guard try finding.step() else { return nil }
    return Outcome(
      isLive: finding.int64(at: 0) != 0,
      resolved: ColumnSet(at: 1, of: finding),
      unknown: ColumnSet(at: 2, of: finding)
    )
  }

  /// The objects of an entity that changes name, in the order of ids.
  func forEachObject(of entity: Int, _ body: (_ id: Int64) throws -> Void) throws {
    let rows = try file.prepare("SELECT id FROM outcome WHERE entity = ?1 ORDER BY id")
    try rows.bind(1, Int64(entity))
    while try rows.step() { try body(rows.int64(at: 0)) }
  }

  /// The objects that the store does not have, and that no change deleted: a program deleted them
  /// without history.
  func vanished() throws -> [(entity: Int, id: Int64)] {
    try file.all("SELECT entity, id FROM outcome WHERE live AND NOT there ORDER BY entity, id") {
      (Int($0.int64(at: 0)), $0.int64(at: 1))
    }
  }

  /// The columns and lists of an object, of which there is a count, that no change before this one
  /// can have changed; this one is the next of the object.
  func takeUnmentioned(_ touch: Touch, count: Int) throws -> ColumnSet {
    let statements =
      try mentions
      ?? (
        file.prepare("SELECT columns FROM mentioned WHERE entity = ?1 AND id = ?2"),
        file.prepare("INSERT OR REPLACE INTO mentioned VALUES (?1, ?2, ?3)")
      )
    mentions = statements
    for statement in [statements.finding, statements.setting] {
      try statement.bind(1, Int64(touch.entity))
      try statement.bind(2, touch.id)
    }
    let all = ColumnSet(count: count, isFull: true)
    let mentioned =
      try statements.finding.step()
      ? ColumnSet(at: 0, of: statements.finding) : ColumnSet(count: count)
    statements.finding.reset()
    let next = touch.kind == .unread ? all : mentioned.union(touch.columns)
    try next.bind(3, of: statements.setting)
    try statements.setting.run()
    return all.subtracting(touch.kind == .unread ? all : mentioned)
  }
}
