extension PredicateExpressions.SequenceMinimum: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.extreme("ASC", of: elements, node: nodeName(self))
  }
}

extension PredicateExpressions.SequenceMaximum: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.extreme("DESC", of: elements, node: nodeName(self))
  }
}

extension SQLTranslation {
  fileprivate mutating func extreme<Elements: PredicateExpression>(
    _ direction: SQLQuery,
    of elements: Elements,
    node: String
  ) throws -> SQLTerm {
    guard case .collection(let collection) = try rows(term(elements), node: node),
      case .scalar(var scalar) = collection.element, scalar.isOrdered, !scalar.isNullable
    else { throw NotTranslatable.operands(node, "what is no array of ordered values") }
    switch scalar.type {
    case .float16, .float, .double, .date:
      // Swift's result depends on the place of a NaN.
      throw NotTranslatable.operands(node, "numbers that may be NaN")
    default: break
    }
    scalar.sql = """
      (SELECT \(scalar.sql) AS extreme FROM \(collection.source) WHERE \(collection.condition) \
      ORDER BY extreme\(scalar.collation) \(direction) LIMIT 1)
      """
    scalar.isNullable = true
    return .scalar(scalar)
  }
}
