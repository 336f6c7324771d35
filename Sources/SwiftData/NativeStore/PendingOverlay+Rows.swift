import Format
import SQLite

extension PendingOverlay {
  /// Lists a row as deleted; the effects of delete rules are computed again each time.
  func lose(_ row: Int64, of table: String) throws {
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

  func prepare(_ table: String) throws {
    guard !views.contains(table) else { return }
    let rows = name("row", of: table)
    let hidden = name("hidden", of: table)
    let gone = name("gone", of: table)
    try connection.execute(
      """
      CREATE TEMP TABLE \(rows) AS SELECT *, 0 AS \(Self.rank) FROM \(quoted(table)) WHERE 0;
      CREATE UNIQUE INDEX temp.\(name("index", of: table)) ON \(rows) (id);
      CREATE TEMP TABLE \(hidden) (id INTEGER PRIMARY KEY);
      CREATE TEMP TABLE \(gone) (id INTEGER PRIMARY KEY, follows INTEGER NOT NULL);
      CREATE TEMP VIEW \(name("view", of: table)) AS
        SELECT *, 0 AS \(Self.rank) FROM \(quoted(table))
          WHERE id NOT IN (SELECT id FROM temp.\(hidden))
            AND id NOT IN (SELECT id FROM temp.\(gone))
        UNION ALL SELECT * FROM temp.\(rows)
          WHERE id NOT IN (SELECT id FROM temp.\(gone));
      """
    )
    views.insert(table)
  }

  func write(_ state: _ModelState) throws {
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

  func hide(_ row: Int64, of table: String) throws {
    let hidden = try connection.cached(
      "INSERT OR IGNORE INTO temp.\(name("hidden", of: table)) VALUES (?)"
    )
    try hidden.bind(1, row)
    try hidden.run()
    guard connection.changes > 0 else { return }
    try run(
      "INSERT INTO temp.\(name("row", of: table)) SELECT *, 0 FROM \(quoted(table)) WHERE id = ?",
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
}
