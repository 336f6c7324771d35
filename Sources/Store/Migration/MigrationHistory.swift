import Format
import SQLite

/// Records in history what a migration changes.
///
/// Two transactions are recorded. The first transaction has the old schema, and deletes the objects
/// whose entity is removed. It is also recorded if history does not have the old schema yet. The
/// second transaction has the new schema, with an update for each object that got a value. It is
/// recorded even if no object got a value.
struct MigrationHistory {
  let plan: MigrationPlan
  let connection: Connection
  let author: Author
  let blobs: Blobs
  let provenance: Provenance

  func recordRemovals(schemaID: Int64) throws {
    let layouts = plan.mapping.oldLayouts
    let removed = plan.mapping.removed
    guard !removed.isEmpty else { return }
    let joins = joinTables(among: layouts)
    let recorder = try begin(plan.from, schemaID: schemaID)
    for entity in removed {
      let layout = layouts[entity]
      let family = [entity] + layout.ancestors
      let outgoing = joins.indexes { family.contains($0.owner) }
        .map { (join: JoinIndex) in (join, JoinStatements(connection, table: joins[join])) }
      let condition = layout.ownCondition.map { " WHERE \($0)" } ?? ""
      let list = (["\"id\""] + layout.columns.map(\.quoted)).joined(separator: ", ")
      let statement = try connection.prepare(
        "SELECT \(list) FROM \(layout.table)\(condition) ORDER BY \"id\""
      )
      while try statement.step() {
        let id = statement.int64(at: 0)
        var links: [JoinIndex: [Int64]] = [:]
        for (join, statements) in outgoing {
          let found = try statements.targets(of: id)
          if !found.isEmpty { links[join] = found }
        }
        let values = layout.columns.indices.map { statement.value(at: Int32($0) + 1) }
        let key = RowKey(entity: entity, id: ObjectID(id))
        try recorder.delete(key, values: values, links: links)
      }
    }
    // The closure is not called, because the transaction only deletes objects.
    _ = try recorder.finish(author, operation: .migration) { _ in nil }
  }

  /// Records a transaction under the old schema, unless the last transaction has this schema.
  ///
  /// A store gets a schema with the same tables without a transaction. The original names in that
  /// schema decide which names the new schema continues. So the readers of logs need the schema.
  func recordOldSchema(schemaID: Int64) throws {
    let rows = HistoryRows(connection)
    let head = try rows.range().head.transaction
    // If history begins with this migration, no reader has an earlier state.
    guard try head > 0 && rows.transaction(head)?.schema != rows.schemaDigest(schemaID) else {
      return
    }
    try begin(plan.from, schemaID: schemaID).close(author, operation: .migration)
  }

  /// Records the migration, with the values that the migration sets.
  func recordMigration(schemaID: Int64) throws {
    let recorder = try begin(plan.to, schemaID: schemaID)
    for rows in plan.tables.flatMap(\.rows) {
      let filled = rows.columns.filter { $0.fill != nil }
      guard !filled.isEmpty else { continue }
      let fills = filled.compactMap(\.fill)
      let list = fills.map { "\($0.condition), \($0.before)" }.joined(separator: ", ")
      let condition = fills.map { "(\($0.condition))" }.joined(separator: " OR ")
      let statement = try connection.prepare(
        "SELECT \"id\", \(list) FROM \(rows.rows(where: condition)) ORDER BY \"id\""
      )
      while try statement.step() {
        let changed = fills.indices.filter { statement.int64(at: Int32(2 * $0) + 1) != 0 }
        try recorder.update(
          RowKey(entity: rows.entity, id: ObjectID(statement.int64(at: 0))),
          columns: changed.map { filled[$0].column },
          before: changed.map { statement.value(at: Int32(2 * $0) + 2) },
          after: changed.map { fills[$0].after }
        )
      }
    }
    try recorder.close(author, operation: .migration)
  }

  private func begin(_ schema: StoreSchema, schemaID: Int64) throws -> ChangeRecorder {
    let recorder = try ChangeRecorder(
      connection,
      schema: schema,
      schemaID: schemaID,
      blobs: blobs,
      provenance: provenance
    )
    try recorder.begin()
    return recorder
  }
}
