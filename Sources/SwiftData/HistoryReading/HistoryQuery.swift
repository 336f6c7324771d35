import Store

/// A history descriptor as SQL for one store, and the remaining work that is done in memory.
struct HistoryQuery {
  var selection = HistorySelection()
  /// Whether the predicate must also filter the transactions in memory.
  var filtersInMemory = false
  var sortsInMemory = false
  /// The tokens in the predicate exclude the store's transactions up to this one.
  var floor: Int64 = 0

  init(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>,
    sources: SQLSources
  ) throws {
    var translation = SQLTranslation(map: EntityMap(entities: [], schemas: []), sources: sources)
    if let predicate = descriptor.predicate {
      translation.bind(predicate.variable, to: .history(.transaction))
      var condition = SQLQuery.true
      for part in conjuncts(of: predicate.expression) {
        guard let sql = translated(part, translation: &translation) else { continue }
        condition = condition.and(sql)
        floor = max(floor, sql.lastRuledOut)
      }
      if condition != .true {
        selection.condition = condition.text
        selection.bindings = condition.bindings
      }
    }
    do {
      selection.order = try SortTranslation.translate(
        descriptor.sortBy,
        root: .history(.transaction),
        last: "t.id",
        in: &translation
      )
    } catch let error as NotTranslatable {
      sortsInMemory = true
      FetchLog.note("transactions are sorted in memory, because SQL can't: \(error)")
    }
    if !sortsInMemory, !filtersInMemory, descriptor.fetchLimit > 0 {
      selection.limit = Int(clamping: descriptor.fetchLimit)
    }
  }

  /// A part of the predicate as SQL; nil if the part must be evaluated in memory.
  private mutating func translated(
    _ part: any PredicateExpression,
    translation: inout SQLTranslation
  ) -> SQLQuery? {
    do {
      let sql = try translation.condition(part).sql
      // An earlier part that is evaluated in memory may exclude the rows for which this part fails.
      // So this part must be evaluated after it, in memory.
      if sql.canFail, filtersInMemory { return nil }
      return sql
    } catch {
      filtersInMemory = true
      FetchLog.note(
        "the predicate over history is evaluated in memory, because SQL can't: \(error)"
      )
      return nil
    }
  }
}

extension SQLQuery {
  /// The last transaction that the condition excludes together with all earlier transactions.
  fileprivate var lastRuledOut: Int64 {
    guard case .integer(let id) = bindings.first else { return 0 }
    return switch text {
    case "t.id > ?": id
    case "t.id >= ?": id - 1
    default: 0
    }
  }
}

private func conjuncts(of expression: any PredicateExpression) -> [any PredicateExpression] {
  guard let both = expression as? any ConjunctionNode else { return [expression] }
  return both.parts.flatMap(conjuncts)
}

private protocol ConjunctionNode {
  var parts: [any PredicateExpression] { get }
}

extension PredicateExpressions.Conjunction: ConjunctionNode {
  fileprivate var parts: [any PredicateExpression] { [lhs, rhs] }
}

func capturedTokens<T>(in predicate: Predicate<T>) -> [DefaultHistoryToken] {
  func tokens(_ value: Any) -> [DefaultHistoryToken] {
    if let token = unwrapped(value) as? DefaultHistoryToken { return [token] }
    if let expression = value as? any PredicateExpression {
      func evaluated<E: PredicateExpression>(_ expression: E) -> [DefaultHistoryToken]? {
        // An expression that depends on the transaction can't be evaluated here. Its parts are then
        // evaluated separately.
        (try? expression.evaluate(PredicateBindings())).map { listed($0) }
      }
      if let found = evaluated(expression) { return found }
    }
    return Mirror(reflecting: value).children.flatMap { child in
      child.value is any PredicateExpression ? tokens(child.value) : []
    }
  }
  func listed(_ value: Any) -> [DefaultHistoryToken] {
    if let token = unwrapped(value) as? DefaultHistoryToken { return [token] }
    if let list = unwrapped(value) as? any Sequence<DefaultHistoryToken> { return Array(list) }
    if let inner = value as? Predicate<DefaultHistoryTransaction> {
      return tokens(inner.expression)
    }
    return []
  }
  return tokens(predicate.expression)
}
