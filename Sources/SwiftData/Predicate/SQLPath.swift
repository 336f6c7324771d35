import Store

/// A chain of to-one relationships that begins at the row of the query; a chain without steps is
/// the row of the query.
struct SQLPath {
  struct Step {
    /// The column of the previous row that contains the id of this step's row.
    var key: SQLQuery
    /// The same as `key`, but NULL if this step's row will be deleted.
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

  /// The condition that the chain ends at a row, and that a condition on this last row holds.
  ///
  /// SQLite searches the last rows first, with an index if possible. With the index of the
  /// relationship, SQLite then finds the rows that refer to the last rows. A subquery for the value
  /// would run for each row of the query.
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
  /// The condition that the value is not nil, and that a condition on the value holds.
  ///
  /// The condition must not hold for nil.
  func holds(_ condition: (SQLScalar) throws -> SQLQuery) rethrows -> SQLQuery {
    guard let reach else { return try condition(self) }
    var column = self
    column.sql = reach.column
    column.isNullable = reach.isNullable
    let sql = try condition(column)
    // SQL that can fail must run only for the rows for which Swift would evaluate it.
    return sql.canFail ? try condition(self) : reach.path.holds(sql)
  }

  /// Like `holds`, for a condition that may be NULL if the value is nil.
  func holdsForValue(_ condition: (SQLScalar) throws -> SQLQuery) rethrows -> SQLQuery {
    guard reach == nil, let presence else { return try holds(condition) }
    return presence.and(try condition(self))
  }
}
