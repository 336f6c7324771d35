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
    return try translation.choice(test, first, second)
  }
}

extension SQLTranslation {
  /// The first term if a condition holds, and otherwise the second term.
  ///
  /// For each row, only one of the two terms is evaluated.
  func choice(_ test: SQLQuery, _ first: SQLTerm, _ second: SQLTerm) throws -> SQLTerm {
    func select(_ first: SQLQuery, _ second: SQLQuery) -> SQLQuery {
      "CASE WHEN \(test) THEN \(first) ELSE \(second) END"
    }
    if let (left, right) = try objects(first, second) {
      let isNullable = left.isNullable || right.isNullable
      return .object(left.known(by: select(left.id, right.id), isNullable: isNullable))
    }
    if isDocument(first) || isDocument(second) {
      var result = try document(first)
      let other = try document(second)
      result.sql = select(result.sql, other.sql)
      result.isNullable = result.isNullable || other.isNullable
      result.strictIn = []
      return .document(result)
    }
    if let left = try? condition(first), let right = try? condition(second) {
      // If the terms are not conditions, the code below selects between values.
      var presence: SQLQuery?
      if left.presence != nil || right.presence != nil {
        presence = select(left.presence ?? .true, right.presence ?? .true)
      }
      return .holds(select(left.sql, right.sql), presence: presence)
    }
    var result = try scalar(first)
    let other = try scalar(second)
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
