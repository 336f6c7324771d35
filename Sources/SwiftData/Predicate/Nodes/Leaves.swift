extension PredicateExpressions.Variable: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    guard let term = translation.term(of: key) else {
      throw NotTranslatable.operands("a variable that nothing binds")
    }
    return term
  }
}

extension PredicateExpressions.Value: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm { .constant(value) }
}

extension PredicateExpressions.NilLiteral: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    .constant(Wrapped?.none as Any)
  }
}
