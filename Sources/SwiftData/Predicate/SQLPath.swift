import Store

/// The rows that a chain of to-one relationships refers to, from the row of the query; without
/// steps, that row itself.
struct SQLPath {
  struct Step {
    /// The column of the previous row with the id.
    var key: SQLQuery
    /// The same, but NULL for a row that will be deleted.
    var id: SQLQuery
    var table: String
    var alias: String
  }

  var steps: [Step] = []

  var presence: SQLQuery {
    guard let last = steps.last else { return .true }
    return before.holds("\(last.id) IS NOT NULL")
  }

  var before: SQLPath { SQLPath(steps: steps.dropLast()) }

  /// The condition that there is a last row, and an independent condition holds for it.
  ///
  /// SQLite searches these rows once, by an index if there is one, and then the rows that refer to
  /// them by the relationship's index. A subquery for the value would run for each row.
  func holds(_ condition: SQLQuery) -> SQLQuery {
    guard condition != .false else { return .false }
    var result = steps.reversed().reduce(condition) { condition, step in
      """
      (\(step.key) IS NOT NULL AND \(step.key) IN (SELECT \(sql: step.alias).id \
      FROM \(sql: step.table) AS \(sql: step.alias) WHERE \(condition)))
      """
    }
    if !steps.isEmpty { result.isSearch = true }
    return result
  }
}

struct SQLReach {
  var path: SQLPath
  var column: SQLQuery
  var isNullable: Bool

  var presence: SQLQuery {
    isNullable ? path.holds("\(column) IS NOT NULL") : path.presence
  }
}

extension SQLScalar {
  /// The condition that the value is not nil and an independent condition holds, which must not
  /// hold for nil.
  func holds(_ condition: (SQLScalar) throws -> SQLQuery) rethrows -> SQLQuery {
    guard let reach else { return try condition(self) }
    var column = self
    column.sql = reach.column
    column.isNullable = reach.isNullable
    let sql = try condition(column)
    // SQL that can fail runs only for rows that Swift would evaluate.
    return sql.canFail ? try condition(self) : reach.path.holds(sql)
  }

  /// The same for a condition that may be NULL for nil.
  func holdsForValue(_ condition: (SQLScalar) throws -> SQLQuery) rethrows -> SQLQuery {
    guard reach == nil, let presence else { return try holds(condition) }
    return presence.and(try condition(self))
  }
}
