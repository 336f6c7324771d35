import Format
import SQLite

struct TableChanges {
  let plan: MigrationPlan
  let connection: Connection
  let checks: MigrationChecks

  /// The name of a table while it is filled.
  private func temporaryName(_ index: Int) -> String { "store_migration_\(index)" }

  func run() throws {
    try dropViews()
    let sequences = try sequences()
    // All new tables are filled before the first old table is dropped. So each new table can read
    // every old table, and two tables can swap their names.
    let rebuilt = plan.tables.indices.filter { plan.tables[$0].way == .rebuilt }
    for index in rebuilt { try fill(plan.tables[index], as: temporaryName(index)) }
    let kept = plan.tables.filter { $0.way != .rebuilt }.map(\.definition.name)
    for table in try plan.from.tables() where !kept.contains(table.name) {
      try connection.execute("DROP TABLE \(quoted(table.name))")
    }
    for index in rebuilt {
      let name = plan.tables[index].definition.name
      try connection.execute(
        "ALTER TABLE \(quoted(temporaryName(index))) RENAME TO \(quoted(name))"
      )
      let old = plan.tables[index].oldTable
      try setSequence(of: name, to: old.flatMap { sequences[$0] } ?? 0)
    }
    for table in plan.tables { try alter(table) }
    for table in plan.tables { try makeIndexes(of: table) }
    for table in plan.tables {
      for view in table.definition.views { try connection.execute(view) }
    }
  }

  private func dropViews() throws {
    for entity in plan.from.entities where entity.parent != nil {
      try connection.execute("DROP VIEW IF EXISTS \(quoted(entity.name))")
    }
  }

  private func fill(_ table: TableMigration, as name: String) throws {
    try connection.execute(table.definition.create(as: name))
    for rows in table.rows { try copy(rows, to: name) }
    if let copy = table.links {
      try connection.execute(
        "INSERT INTO \(quoted(name)) (\(copy.firstColumn), \(copy.secondColumn))"
          + " SELECT \"source\", \"target\" FROM (\(copy.links.pairs))"
      )
    }
  }

  private func copy(_ rows: RowSource, to name: String) throws {
    let layout = plan.mapping.newLayouts[rows.entity]
    var columns = ["\"id\""]
    var expressions = ["\"id\""]
    if layout.sharesTable {
      columns.append("\"_entity\"")
      expressions.append(literal(layout.entity.name))
    }
    columns += rows.columns.map { layout.columns[$0.column].quoted }
    expressions += rows.columns.map(\.expression)
    try connection.run(
      "INSERT INTO \(quoted(name)) (\(columns.joined(separator: ", ")))"
        + " SELECT \(expressions.joined(separator: ", ")) FROM \(rows.rows())"
        // Rows are inserted in the order of their ids, because SQLite appends such rows fastest.
        + " ORDER BY \"id\"",
      values: rows.columns.compactMap(\.parameter)
    )
  }

  private func alter(_ table: TableMigration) throws {
    guard case .altered(let renames, let additions) = table.way else { return }
    let name = quoted(table.definition.name)
    for index in table.staleIndexes {
      try connection.execute("DROP INDEX \(self.name(ofIndex: index))")
    }
    for rename in renames {
      try connection.execute(
        "ALTER TABLE \(name) RENAME COLUMN \(quoted(rename.old)) TO \(quoted(rename.new))"
      )
    }
    for line in additions { try connection.execute("ALTER TABLE \(name) ADD COLUMN \(line)") }
  }

  private func makeIndexes(of table: TableMigration) throws {
    for statement in table.missingIndexes {
      do {
        try connection.execute(statement)
      } catch SQLiteError.constraintUnique {
        // Duplicates are searched only if the index can't be created, because creating the index is
        // the fastest check.
        if let error = try checks.duplicates(in: table.definition) { throw error }
        throw StoreError(.duplicate, at: connection.path) {
          "The migration requires unique values in the table \(table.definition.name), but some"
            + " occur more than once.\nMake the values differ in a custom stage first."
        }
      }
    }
  }

  private func name(ofIndex statement: String) -> String {
    var result = ""
    var isInside = false
    for character in statement {
      if character == " ", isInside, !result.dropFirst().isEmpty, isClosed(result) { break }
      if character == "\"" { isInside = true }
      if isInside { result.append(character) }
    }
    return result
  }

  private func isClosed(_ name: String) -> Bool {
    name.count { $0 == "\"" }.isMultiple(of: 2)
  }

  private func sequences() throws -> [String: Int64] {
    let rows = try connection.all("SELECT name, seq FROM sqlite_sequence") {
      ($0.string(at: 0), $0.int64(at: 1))
    }
    return Dictionary(rows) { $1 }
  }

  /// Sets the highest used id of a table, so that no id is used again.
  private func setSequence(of table: String, to last: Int64) throws {
    guard last > 0 else { return }
    for sql in [
      "DELETE FROM sqlite_sequence WHERE name = ?1 AND seq <= ?2",
      "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2"
        + " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
    ] {
      try connection.run(sql, values: [.text(table), .integer(last)])
    }
  }
}
