extension PredicateExpressions.ExpressionEvaluate: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    guard let inner = translation.constant(expression) else {
      throw NotTranslatable.operands(nodeName(self), "an expression that depends on rows")
    }
    var arguments: [SQLTerm] = []
    for argument in repeat each input { arguments.append(try translation.term(argument)) }
    var index = 0
    for variable in repeat each inner.variable {
      translation.bind(variable, to: arguments[index])
      index += 1
    }
    return try translation.term(inner.expression)
  }
}

extension PredicateExpressions._PredicateEvaluation: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    guard let inner = captured else {
      throw NotTranslatable.operands(nodeName(self), "a predicate that depends on rows")
    }
    translation.bind(inner.variable, to: try translation.term(argument))
    return try translation.term(inner.expression)
  }
}

extension PredicateExpressions._ExpressionEvaluation: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    guard let inner = captured else {
      throw NotTranslatable.operands(nodeName(self), "an expression that depends on rows")
    }
    translation.bind(inner.variable, to: try translation.term(argument))
    return try translation.term(inner.expression)
  }
}
