import Store

/// The rows that to-one relationships lead to, one after the other, from the row of the query; no
/// steps are that row itself.
struct SQLPath {
  struct Step {
    /// The column of the row before that holds the id.
    var key: SQLQuery
    /// The same, but NULL for a row that is about to be deleted.
    var id: SQLQuery
    var table: String
    var alias: String
  }

  var steps: [Step] = []

  /// Holds where all relationships lead somewhere.
  var presence: SQLQuery {
    guard let last = steps.last else { return .true }
    return before.holds("\(last.id) IS NOT NULL")
  }

  /// The path without its last step.
  var before: SQLPath { SQLPath(steps: steps.dropLast()) }

  /// Holds where there is a last row, and a condition that depends on nothing else holds for it.
  ///
  /// SQLite looks for such rows once, by an index if there is one, and finds those that lead to them
  /// by the index of the relationship. A subquery for the value would run for each row.
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

/// A column of the last row of a path.
struct SQLReach {
  var path: SQLPath
  var column: SQLQuery
  var isNullable: Bool

  /// Holds where there is a value.
  var presence: SQLQuery {
    isNullable ? path.holds("\(column) IS NOT NULL") : path.presence
  }
}

extension SQLScalar {
  /// Holds where the value isn't nil and a condition that depends on nothing else holds for it; the
  /// condition itself must not hold for nil.
  func holds(_ condition: (SQLScalar) throws -> SQLQuery) rethrows -> SQLQuery {
    guard let reach else { return try condition(self) }
    var column = self
    column.sql = reach.column
    column.isNullable = reach.isNullable
    let sql = try condition(column)
    // What can fail runs for no other rows than those that Swift would evaluate.
    return sql.canFail ? try condition(self) : reach.path.holds(sql)
  }

  /// The same for a condition that may be NULL for nil.
  func holdsForValue(_ condition: (SQLScalar) throws -> SQLQuery) rethrows -> SQLQuery {
    guard reach == nil, let presence else { return try holds(condition) }
    return presence.and(try condition(self))
  }
}
