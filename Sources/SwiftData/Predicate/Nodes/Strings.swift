import Store

extension PredicateExpressions.CollectionContainsCollection: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let arguments = try translation.texts(base, other, nodeName(self))
    return .condition(SQLCondition(sql: "swift_contains(\(arguments))"))
  }
}

extension PredicateExpressions.SequenceStartsWith: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let arguments = try translation.texts(base, prefix, nodeName(self))
    return .condition(SQLCondition(sql: "swift_starts(\(arguments))"))
  }
}

extension PredicateExpressions.StringContainsRegex: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let node = nodeName(self)
    guard let pattern = translation.constant(regex) as? PredicateExpressions.PredicateRegex else {
      throw NotTranslatable.operands(node, "\(Regex.Output.self)")
    }
    let subject = try translation.text(translation.term(self.subject), node)
    let argument = SQLQuery("\(bind: .text(pattern.stringRepresentation))")
    return .condition(SQLCondition(sql: "swift_matches(\(subject), \(argument))"))
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let arguments = try translation.texts(root, other, nodeName(self))
    return .condition(SQLCondition(sql: "swift_localized_contains(\(arguments))"))
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let arguments = try translation.texts(root, other, nodeName(self))
    return .order("swift_caseless_compare(\(arguments))")
  }
}

extension PredicateExpressions.StringLocalizedCompare: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let arguments = try translation.texts(root, other, nodeName(self))
    return .order("swift_localized_compare(\(arguments))")
  }
}

extension SQLTerm {
  fileprivate static func order(_ sql: SQLQuery) -> SQLTerm {
    .scalar(
      SQLScalar(sql: sql, type: .int64, swiftType: ComparisonResult.self, isNullable: false)
    )
  }
}

extension SQLTranslation {
  /// Two strings as the arguments of a function.
  fileprivate mutating func texts<First: PredicateExpression, Second: PredicateExpression>(
    _ first: First,
    _ second: Second,
    _ node: String
  ) throws -> SQLQuery {
    "\(try text(term(first), node)), \(try text(term(second), node))"
  }

  /// A string.
  fileprivate func text(_ term: SQLTerm, _ node: String) throws -> SQLQuery {
    if case .constant(let value) = term, let substring = value as? Substring {
      return "\(bind: .text(String(substring)))"
    }
    let scalar = try scalar(term, node)
    guard scalar.swiftType == String.self else {
      throw NotTranslatable.operands(node, "\(scalar.swiftType)")
    }
    return scalar.sql
  }
}
