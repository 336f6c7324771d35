extension PredicateExpressions.Conjunction: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let left = try translation.condition(lhs).sql
    return .holds(left.and(try translation.condition(rhs).sql))
  }
}

extension PredicateExpressions.Disjunction: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let left = try translation.condition(lhs).sql
    return .holds(left.or(try translation.condition(rhs).sql))
  }
}

extension PredicateExpressions.Negation: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    .holds(try translation.condition(wrapped).sql.negated)
  }
}

extension PredicateExpressions.Conditional: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    if let known = translation.constant(test) {
      return known ? try translation.term(trueBranch) : try translation.term(falseBranch)
    }
    let test = try translation.condition(self.test).sql
    let first = try translation.term(trueBranch)
    let second = try translation.term(falseBranch)
    return try translation.choice(test, first, second, node: nodeName(self))
  }
}

extension SQLTranslation {
  /// The first term if a condition holds, otherwise the second; neither runs for the other's rows.
  func choice(
    _ test: SQLQuery,
    _ first: SQLTerm,
    _ second: SQLTerm,
    node: String
  ) throws -> SQLTerm {
    func select(_ first: SQLQuery, _ second: SQLQuery) -> SQLQuery {
      "CASE WHEN \(test) THEN \(first) ELSE \(second) END"
    }
    if let (left, right) = try objects(first, second) {
      let isNullable = left.isNullable || right.isNullable
      return .object(left.known(by: select(left.id, right.id), isNullable: isNullable))
    }
    if isDocument(first) || isDocument(second) {
      var result = try document(first, node: node)
      let other = try document(second, node: node)
      result.sql = select(result.sql, other.sql)
      result.isNullable = result.isNullable || other.isNullable
      result.strictIn = []
      return .document(result)
    }
    if let left = try? condition(first, node: node), let right = try? condition(second, node: node)
    {
      // If neither side is a condition, the values are compared instead.
      var presence: SQLQuery?
      if left.presence != nil || right.presence != nil {
        presence = select(left.presence ?? .true, right.presence ?? .true)
      }
      return .holds(select(left.sql, right.sql), presence: presence)
    }
    var result = try scalar(first, node: node)
    let other = try scalar(second, node: node)
    result.sql = select(result.sql, other.sql)
    result.isNullable = result.isNullable || other.isNullable
    result.strictIn = []
    result.isPositive = nil
    return .scalar(result)
  }

  func isDocument(_ term: SQLTerm) -> Bool {
    switch term {
    case .document: return true
    case .constant(let value):
      guard let known = unwrapped(value) else { return false }
      return AttributeCodec.of(type(of: known))?.type == .json && !(known is any PersistentModel)
        && !(known is PersistentIdentifier)
    default: return false
    }
  }
}
