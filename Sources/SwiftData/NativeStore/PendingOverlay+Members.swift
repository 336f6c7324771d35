import Format
import SQLite

// Relationships without a column in the rows of their members.
extension PendingOverlay {
  /// Writes removed or added members.
  ///
  /// The caller must write the removed members first, because a member may move from one owner to
  /// another.
  func writeMembers(of state: _ModelState, removing: Bool) throws {
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

  /// Restores the saved owners of members whose owners an earlier fetch changed in the overlay.
  private func forgetMembers(of state: _ModelState, column: String) throws {
    for member in members[state.row]?.removeValue(forKey: column) ?? [] {
      guard let entity = member.entity else { continue }
      let name = quoted(column)
      try run(
        "UPDATE temp.\(self.name("row", of: entity.table)) SET \(name) = (SELECT \(name) FROM "
          + "\(quoted(entity.table)) WHERE id = ?1) WHERE id = ?1",
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
      CREATE TEMP TABLE \(rows) AS SELECT * FROM \(quoted(table)) WHERE 0;
      CREATE UNIQUE INDEX temp.\(name("index", of: table)) ON \(rows) (\(pair));
      CREATE INDEX temp.\(name("back", of: table)) ON \(rows) (\(quoted(target)));
      CREATE TEMP TABLE \(hidden) (\(pair), PRIMARY KEY (\(pair)));
      CREATE INDEX temp.\(name("hidden back", of: table)) ON \(hidden) (\(quoted(target)));
      CREATE TEMP VIEW \(name("view", of: table)) AS
        SELECT * FROM \(quoted(table))
        WHERE (\(pair)) NOT IN (SELECT \(pair) FROM temp.\(hidden))
        UNION ALL SELECT * FROM temp.\(rows);
      """
    )
    views.insert(table)
  }
}
