import Store

/// The parts of a store's history that predicates over transactions can use.
enum HistoryTerm {
  /// A row of `history_transaction`, in a query with the alias `t`.
  case transaction
  case token
  case time
  /// A row of `history_change` with the given alias.
  case change(alias: String)
  case identifier(alias: String)

  var kind: String {
    switch self {
    case .transaction: "a transaction"
    case .token: "a token"
    case .time: "a time of history"
    case .change: "a change"
    case .identifier: "an identifier"
    }
  }
}

// The SQL of the properties of transactions and changes.
extension SQLTranslation {
  mutating func property(_ keyPath: AnyKeyPath, of term: HistoryTerm) throws -> SQLTerm {
    switch term {
    case .transaction:
      if let found = transactionProperty(keyPath) { return found }
    case .change(let alias) where keyPath == \HistoryChange.changedPersistentIdentifier:
      return .history(.identifier(alias: alias))
    case .identifier(let alias) where keyPath == \PersistentIdentifier.entityName:
      return .scalar(text(entityName(alias)))
    case .identifier where keyPath == \PersistentIdentifier.storeIdentifier:
      return .constant(sources.storeIdentifier as String? as Any)
    default: break
    }
    throw NotTranslatable.property("\(term.kind) … \(type(of: keyPath).valueType)")
  }

  private mutating func transactionProperty(_ keyPath: AnyKeyPath) -> SQLTerm? {
    switch keyPath {
    case \DefaultHistoryTransaction.token: return .history(.token)
    case \DefaultHistoryTransaction.timestamp: return .history(.time)
    case \DefaultHistoryTransaction.id, \DefaultHistoryTransaction.transactionIdentifier:
      return .scalar(
        SQLScalar(sql: "t.id", type: .int64, swiftType: Int64.self, isNullable: false)
      )
    case \DefaultHistoryTransaction.author: return .scalar(optionalText("t.author"))
    case \DefaultHistoryTransaction.reason: return .scalar(optionalText("t.reason"))
    case \DefaultHistoryTransaction.request: return .scalar(optionalText("t.request"))
    case \DefaultHistoryTransaction.processIdentifier: return .scalar(text("t.process"))
    case \DefaultHistoryTransaction.bundleIdentifier:
      return .scalar(text("coalesce(t.bundle, '')"))
    case \DefaultHistoryTransaction.storeIdentifier: return .constant(sources.storeIdentifier)
    case \DefaultHistoryTransaction.changes: return .collection(changes())
    default: return nil
    }
  }

  private func text(_ sql: SQLQuery) -> SQLScalar {
    SQLScalar(sql: sql, type: .string, swiftType: String.self, isNullable: false)
  }

  private func optionalText(_ sql: SQLQuery) -> SQLScalar {
    var scalar = text(sql)
    scalar.isNullable = true
    return scalar
  }

  private mutating func changes() -> SQLCollection {
    let alias = self.alias()
    return SQLCollection(
      source: "history_change AS \(sql: alias)",
      condition: """
        \(sql: alias).id >= t.first_change AND \(sql: alias).id < t.first_change + t.changes
        """,
      element: .history(.change(alias: alias))
    )
  }

  private func entityName(_ alias: String) -> SQLQuery {
    guard !sources.pastNames.isEmpty else { return "\(sql: alias).entity" }
    let cases = sources.pastNames.map { name in
      """
      WHEN t.schema = \(bind: .integer(name.schema)) \
      AND \(sql: alias).entity = \(bind: .text(name.old)) THEN \(bind: .text(name.new))
      """ as SQLQuery
    }
    return "CASE \(SQLQuery.joined(cases, separator: " ")) ELSE \(sql: alias).entity END"
  }

  /// The condition that a part of history equals a constant; nil if neither side is a part of
  /// history.
  func historyEquality(_ left: SQLTerm, _ right: SQLTerm) throws -> SQLQuery? {
    switch (left, right) {
    case (.history(let term), .constant(let value)), (.constant(let value), .history(let term)):
      return try equality(term, value: unwrapped(value) as Any)
    case (.history(let term), _), (_, .history(let term)):
      throw NotTranslatable.operands(term.kind)
    default: return nil
    }
  }

  private func equality(_ term: HistoryTerm, value: Any) throws -> SQLQuery {
    switch (term, value) {
    case (.token, let token as DefaultHistoryToken):
      guard token.storeIdentifier == sources.storeIdentifier else { return .false }
      return "t.id = \(bind: .integer(covered(by: token)))"
    case (.time, let date as Date):
      guard !date.timeIntervalSinceReferenceDate.isNaN else { return .false }
      return try comparison(.time, by: .greaterThanOrEqual, value: date)
        .and(try comparison(.time, by: .lessThanOrEqual, value: date))
    case (.identifier(let alias), let identifier as PersistentIdentifier):
      guard identifier.storeIdentifier == sources.storeIdentifier, let row = identifier.row else {
        return .false
      }
      let isEntity: SQLQuery = "\(entityName(alias)) = \(bind: .text(identifier.entityName))"
      return ("\(sql: alias).object = \(bind: .integer(row))" as SQLQuery).and(isEntity)
    default: throw NotTranslatable.operands("\(term.kind) and \(type(of: value))")
    }
  }

  /// The condition that orders a token or a time relative to a constant; nil if neither side is a
  /// part of history.
  func historyComparison(
    _ left: SQLTerm,
    _ right: SQLTerm,
    by op: PredicateExpressions.ComparisonOperator
  ) throws -> SQLQuery? {
    switch (left, right) {
    case (.history(let term), .constant(let value)):
      return try comparison(term, by: op, value: value)
    case (.constant(let value), .history(let term)):
      return try comparison(term, by: op.turned, value: value)
    case (.history(let term), _), (_, .history(let term)):
      throw NotTranslatable.operands(term.kind)
    default: return nil
    }
  }

  private func comparison(
    _ term: HistoryTerm,
    by op: PredicateExpressions.ComparisonOperator,
    value: Any
  ) throws -> SQLQuery {
    switch (term, value) {
    case (.token, let token as DefaultHistoryToken):
      return "t.id \(op.sql) \(bind: .integer(covered(by: token)))"
    case (.time, let date as Date):
      guard !date.timeIntervalSinceReferenceDate.isNaN else {
        // In Swift, `<=` of dates is `!(other < self)`, which is true if a side is NaN.
        return op == .lessThanOrEqual || op == .greaterThanOrEqual ? .true : .false
      }
      let at = HistoryTime.first(after: date, orAt: true)
      let past = HistoryTime.first(after: date, orAt: false)
      return switch op {
      case .lessThan: "t.time < \(bind: .text(at))"
      case .lessThanOrEqual: "t.time < \(bind: .text(past))"
      case .greaterThan: "t.time >= \(bind: .text(past))"
      case .greaterThanOrEqual: "t.time >= \(bind: .text(at))"
      @unknown default: throw NotTranslatable.operands("an unknown operator")
      }
    default: throw NotTranslatable.operands("\(term.kind) and \(type(of: value))")
    }
  }

  /// The last transaction that a token covers in the store; 0 if it covers none.
  private func covered(by token: DefaultHistoryToken) -> Int64 {
    token.points[sources.storeIdentifier]?.transaction ?? 0
  }
}

extension PredicateExpressions.ComparisonOperator {
  /// The operator to use if the sides are exchanged, such as `>` for `<`.
  var turned: PredicateExpressions.ComparisonOperator {
    switch self {
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    @unknown default: self
    }
  }
}
