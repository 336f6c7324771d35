import Changes
import SQLite
import Store
import Synchronization

/// The pending changes of a context, in temporary tables that SQL can read.
///
/// For each table with pending changes there are temporary tables with the changed rows, the saved
/// rows that they replace, and the rows that will be deleted. A view combines the temporary tables
/// with the saved rows. A fetch reads the view instead of the table, so its conditions, joins,
/// order and limits also apply to unsaved changes. Each fetch first writes the changes since the
/// last fetch.
final class PendingOverlay {
  private let store: Store
  private let reader: Reader
  private var number: Int
  private let storeIndex: Int
  let map: EntityMap
  private(set) var views: Set<String> = []
  private var losing: Set<String> = []
  /// Whether batch deletions include rows that the overlay does not list as deleted yet.
  var needsAllRows = false
  private var isUsed = false
  /// Members whose hidden columns are changed, by the row of the owner and the name of the column.
  private var members: [Int64: [String: [_ModelState]]] = [:]

  private static let numbers = Atomic<Int>(0)

  init(_ store: Store, storeIndex: Int, map: EntityMap) throws {
    self.store = store
    self.storeIndex = storeIndex
    self.map = map
    reader = try store.takeReader()
    try reader.allowTemporaryTables()
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  var connection: Connection { reader.connection }
  func head() throws -> Reader.Head {
    try reader.readHead()
    return reader.head
  }
  /// Whether all contexts read through the same connection, as in a store in memory.
  var isShared: Bool { reader.isShared }

  func source(_ table: String) -> String {
    views.contains(table) ? "temp." + name("view", of: table) : quoted(table)
  }

  /// The order of a table's rows: saved rows first, then new ones in insertion order.
  func order(of table: String) -> String {
    views.contains(table) ? "t0.\(Self.rank), t0.id" : "t0.id"
  }

  /// The name of a column that the views add.
  ///
  /// The column's name contains a space, so that no attribute can have the same name.
  private static let rank = quoted("insertion rank")

  func gone(_ table: String) -> String? {
    losing.contains(table) ? "temp." + name("gone", of: table) : nil
  }

  func name(_ kind: String, of table: String) -> String {
    quoted("\(kind) \(number) \(table)")
  }

  /// Removes all rows, because the changes were saved or discarded.
  func clear() {
    guard isUsed else { return }
    isUsed = false
    needsAllRows = false
    members = [:]
    do {
      for table in views {
        try connection.execute("DELETE FROM temp.\(name("row", of: table))")
        try connection.execute("DELETE FROM temp.\(name("hidden", of: table))")
      }
      for table in losing {
        try connection.execute("DELETE FROM temp.\(name("gone", of: table))")
      }
      losing = []
    } catch {
      // Old rows could not be removed, so the next fetch uses tables with new names.
      number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
      views = []
      losing = []
    }
  }

  func close() {
    // Other contexts will use the reader without these temporary tables. If a table can't be
    // dropped, there is no error later, because its name is never used again.
    for table in views {
      try? connection.execute("DROP VIEW IF EXISTS temp.\(name("view", of: table))")
      try? connection.execute("DROP TABLE IF EXISTS temp.\(name("row", of: table))")
      try? connection.execute("DROP TABLE IF EXISTS temp.\(name("hidden", of: table))")
      try? connection.execute("DROP TABLE IF EXISTS temp.\(name("gone", of: table))")
    }
    store.giveBack(reader)
  }

  // MARK: Writing

  func sync(_ states: [_ModelState], pending: PendingChanges) throws {
    isUsed = true
    for state in states { try write(state) }
    let owners = states.filter { $0.phase == .inserting || $0.phase == .stored }
    for state in owners { try writeMembers(of: state, removing: true) }
    for state in owners { try writeMembers(of: state, removing: false) }
    if needsAllRows {
      needsAllRows = false
      for deletion in pending.batchDeleted where deletion.entity.storeIndex == storeIndex {
        for row in deletion.rows { try lose(row, of: deletion.entity.table) }
      }
    }
    if pending.batchDeleted.contains(where: { $0.entity.storeIndex == storeIndex }) {
      try loseWhatFollows(map.schemas[storeIndex])
    }
  }

  /// Lists a row as deleted; the effects of delete rules are computed again each time.
  private func lose(_ row: Int64, of table: String) throws {
    try prepareLoss(of: table)
    try run(
      "INSERT OR REPLACE INTO temp.\(name("gone", of: table)) VALUES (?, 0)",
      values: [.integer(row)]
    )
  }

  func prepareLoss(of table: String) throws {
    try prepare(table)
    losing.insert(table)
  }

  private func prepare(_ table: String) throws {
    guard !views.contains(table) else { return }
    let rows = name("row", of: table)
    let hidden = name("hidden", of: table)
    let gone = name("gone", of: table)
    try connection.execute(
      """
      CREATE TEMP TABLE \(rows) AS SELECT *, 0 AS \(Self.rank) FROM main.\(quoted(table)) WHERE 0;
      CREATE UNIQUE INDEX temp.\(name("index", of: table)) ON \(rows) (id);
      CREATE TEMP TABLE \(hidden) (id INTEGER PRIMARY KEY);
      CREATE TEMP TABLE \(gone) (id INTEGER PRIMARY KEY, follows INTEGER NOT NULL);
      CREATE TEMP VIEW \(name("view", of: table)) AS
        SELECT *, 0 AS \(Self.rank) FROM main.\(quoted(table))
          WHERE id NOT IN (SELECT id FROM temp.\(hidden))
            AND id NOT IN (SELECT id FROM temp.\(gone))
        UNION ALL SELECT * FROM temp.\(rows)
          WHERE id NOT IN (SELECT id FROM temp.\(gone));
      """
    )
    views.insert(table)
  }

  private func write(_ state: _ModelState) throws {
    guard let entity = state.entity, entity.storeIndex == storeIndex else {
      return
    }
    let table = entity.table
    try prepare(table)
    if state.phase != .deleting, losing.contains(table) {
      try run(
        "DELETE FROM temp.\(name("gone", of: table)) WHERE id = ?",
        values: [.integer(state.row)]
      )
    }
    switch state.phase {
    case .inserting:
      try insertRow(state, entity: entity)
    case .stored where !state.changed.isEmpty:
      try hide(state.row, of: table)
      try updateRow(state, entity: entity)
    case .deleting:
      try lose(state.row, of: table)
    case .stored:
      try remove(state.row, of: table)
      try run(
        "DELETE FROM temp.\(name("hidden", of: table)) WHERE id = ?",
        values: [.integer(state.row)]
      )
    case .detached, .deleted:
      try remove(state.row, of: table)
    }
  }

  private func hide(_ row: Int64, of table: String) throws {
    let hidden = try connection.cached(
      "INSERT OR IGNORE INTO temp.\(name("hidden", of: table)) VALUES (?)"
    )
    try hidden.bind(1, row)
    try hidden.run()
    guard connection.changes > 0 else { return }
    try run(
      "INSERT INTO temp.\(name("row", of: table)) SELECT *, 0 FROM main.\(quoted(table)) WHERE id = ?",
      values: [.integer(row)]
    )
  }

  private func remove(_ row: Int64, of table: String) throws {
    try run("DELETE FROM temp.\(name("row", of: table)) WHERE id = ?", values: [.integer(row)])
  }

  private func insertRow(_ state: _ModelState, entity: EntityDescription) throws {
    var columns = [quoted("id"), Self.rank]
    var values: [Value] = [.integer(state.row), .integer(Int64(state.insertionRank))]
    if entity.entity.sharesTable {
      columns.append(quoted("_entity"))
      values.append(.text(entity.name))
    }
    for (column, slot) in entity.slots.enumerated() {
      guard let slot else { continue }
      columns.append(quoted(entity.columnNames[column]))
      values.append(try state.columnValue(at: slot))
    }
    let updates = columns.dropFirst().map { "\($0) = excluded.\($0)" }
    try run(
      "INSERT INTO temp.\(name("row", of: entity.table)) "
        + "(\(columns.joined(separator: ", "))) VALUES "
        + "(\(columns.map { _ in "?" }.joined(separator: ", "))) "
        + "ON CONFLICT (id) DO UPDATE SET \(updates.joined(separator: ", "))",
      values: values
    )
  }

  private func updateRow(_ state: _ModelState, entity: EntityDescription) throws {
    var assignments: [String] = []
    var values: [Value] = []
    for (column, slot) in entity.slots.enumerated() {
      guard let slot, state.changed.contains(slot) else { continue }
      assignments.append("\(quoted(entity.columnNames[column])) = ?")
      values.append(try state.columnValue(at: slot))
    }
    guard !assignments.isEmpty else { return }
    try run(
      "UPDATE temp.\(name("row", of: entity.table)) SET \(assignments.joined(separator: ", ")) "
        + "WHERE id = ?",
      values: values + [.integer(state.row)]
    )
  }

  // MARK: Relationships without a column in their members

  /// Writes removed or added members.
  ///
  /// The caller must write the removed members first, because a member may move from one owner to
  /// another.
  private func writeMembers(of state: _ModelState, removing: Bool) throws {
    guard let entity = state.entity, entity.storeIndex == storeIndex else { return }
    for property in state.description.properties where property.isToMany {
      guard case .toMany(let many) = state.slots[property.index], many.remembersChanges,
        let relationship = entity.relationships[property.index]
      else { continue }
      switch relationship.storage {
      case .inverseColumn(let column):
        if removing {
          try forgetMembers(of: state, column: column)
          for member in many.removed.elements {
            try setOwner(nil, of: member._$state, column: column)
          }
        } else {
          for member in many.added.elements {
            try setOwner(state.row, of: member._$state, column: column)
          }
          members[state.row, default: [:]][column] = (many.added.elements + many.removed.elements)
            .map(\._$state)
        }
      case .joinTable(let table, let source, let target) where removing:
        try writeLinks(many, of: state, table: table, source: source, target: target)
      case .column, .joinTable: break
      }
    }
  }

  /// Restores the saved owners of members that an earlier fetch wrote.
  private func forgetMembers(of state: _ModelState, column: String) throws {
    for member in members[state.row]?.removeValue(forKey: column) ?? [] {
      guard let entity = member.entity else { continue }
      let name = quoted(column)
      try run(
        "UPDATE temp.\(self.name("row", of: entity.table)) SET \(name) = (SELECT \(name) FROM "
          + "main.\(quoted(entity.table)) WHERE id = ?1) WHERE id = ?1",
        values: [.integer(member.row)]
      )
    }
  }

  private func setOwner(_ owner: Int64?, of member: _ModelState, column: String) throws {
    guard let entity = member.entity, member.phase == .stored || member.phase == .inserting else {
      return
    }
    try prepare(entity.table)
    if member.phase == .stored { try hide(member.row, of: entity.table) }
    try run(
      "UPDATE temp.\(name("row", of: entity.table)) SET \(quoted(column)) = ? WHERE id = ?",
      values: [owner.map { .integer($0) } ?? .null, .integer(member.row)]
    )
  }

  private func writeLinks(
    _ many: ToMany,
    of state: _ModelState,
    table: String,
    source: String,
    target: String
  ) throws {
    try prepareJoin(table, source: source, target: target)
    // All links of the object are deleted first, because a link that was added and removed after
    // the last fetch is in no list of changes.
    for kind in ["row", "hidden"] {
      try run(
        "DELETE FROM temp.\(name(kind, of: table)) WHERE \(quoted(source)) = ?",
        values: [.integer(state.row)]
      )
    }
    let hide =
      "INSERT OR IGNORE INTO temp.\(name("hidden", of: table)) "
      + "(\(quoted(source)), \(quoted(target))) VALUES (?, ?)"
    for member in many.removed.elements {
      let pair: [Value] = [.integer(state.row), .integer(member._$state.row)]
      try run(hide, values: pair)
      try run(
        "DELETE FROM temp.\(name("row", of: table)) WHERE \(quoted(source)) = ? "
          + "AND \(quoted(target)) = ?",
        values: pair
      )
    }
    for member in many.added.elements where member._$state.phase != .deleting {
      let pair: [Value] = [.integer(state.row), .integer(member._$state.row)]
      try run(hide, values: pair)
      try run(
        "INSERT OR IGNORE INTO temp.\(name("row", of: table)) "
          + "(\(quoted(source)), \(quoted(target))) VALUES (?, ?)",
        values: pair
      )
    }
  }

  private func prepareJoin(_ table: String, source: String, target: String) throws {
    guard !views.contains(table) else { return }
    let rows = name("row", of: table)
    let hidden = name("hidden", of: table)
    let pair = "\(quoted(source)), \(quoted(target))"
    try connection.execute(
      """
      CREATE TEMP TABLE \(rows) AS SELECT * FROM main.\(quoted(table)) WHERE 0;
      CREATE UNIQUE INDEX temp.\(name("index", of: table)) ON \(rows) (\(pair));
      CREATE INDEX temp.\(name("back", of: table)) ON \(rows) (\(quoted(target)));
      CREATE TEMP TABLE \(hidden) (\(pair), PRIMARY KEY (\(pair)));
      CREATE INDEX temp.\(name("hidden back", of: table)) ON \(hidden) (\(quoted(target)));
      CREATE TEMP VIEW \(name("view", of: table)) AS
        SELECT * FROM main.\(quoted(table))
        WHERE (\(pair)) NOT IN (SELECT \(pair) FROM temp.\(hidden))
        UNION ALL SELECT * FROM temp.\(rows);
      """
    )
    views.insert(table)
  }

  func run(_ sql: String, values: [Value] = []) throws {
    try connection.run(sql, values: values)
  }
}
