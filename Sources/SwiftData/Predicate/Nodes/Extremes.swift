extension PredicateExpressions.SequenceMinimum: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.extreme("ASC", of: elements)
  }
}

extension PredicateExpressions.SequenceMaximum: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.extreme("DESC", of: elements)
  }
}

extension SQLTranslation {
  fileprivate mutating func extreme<Elements: PredicateExpression>(
    _ direction: SQLQuery,
    of elements: Elements
  ) throws -> SQLTerm {
    guard case .collection(let collection) = try rows(term(elements)),
      case .scalar(var scalar) = collection.element, scalar.isOrdered, !scalar.isNullable
    else { throw NotTranslatable.operands("a value that is not an array of ordered values") }
    // If there is a NaN, the result in Swift depends on its position, which SQL does not take into
    // account.
    guard !scalar.type.form.isReal else {
      throw NotTranslatable.operands("numbers that may be NaN")
    }
    scalar.sql = """
      (SELECT \(scalar.sql) AS extreme FROM \(collection.source) WHERE \(collection.condition) \
      ORDER BY extreme\(scalar.collation) \(direction) LIMIT 1)
      """
    scalar.isNullable = true
    return .scalar(scalar)
  }
}
