import Store

extension PredicateExpressions.CollectionContainsCollection: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.test("swift_contains", subject: base, other: other)
  }
}

extension PredicateExpressions.SequenceStartsWith: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.test("swift_starts", subject: base, other: prefix)
  }
}

extension PredicateExpressions.StringContainsRegex: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    guard let pattern = translation.constant(regex) as? PredicateExpressions.PredicateRegex else {
      throw NotTranslatable.operands("\(Regex.Output.self)")
    }
    let subject = try translation.string(translation.term(self.subject))
    let argument = SQLQuery("\(bind: .text(pattern.stringRepresentation))")
    return .holds(subject.holds { "swift_matches(\($0.sql), \(argument))" })
  }
}

extension PredicateExpressions._StringFunctionNode: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try NotTranslatable.naming("\(Function.self)") {
      switch Function.self {
      case is _LocalizedStandardContains.Type:
        return try translation.test("swift_localized_contains", subject: root, other: other)
      case is _CaseInsensitiveCompare.Type:
        return .order("swift_caseless_compare(\(try translation.texts(root, other)))")
      case is _LocalizedCompare.Type:
        return .order("swift_localized_compare(\(try translation.texts(root, other)))")
      default: throw NotTranslatable.node("\(Function.self)")
      }
    }
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
  fileprivate mutating func texts<First: PredicateExpression, Second: PredicateExpression>(
    _ first: First,
    _ second: Second
  ) throws -> SQLQuery {
    "\(try text(term(first))), \(try text(term(second)))"
  }

  fileprivate mutating func test<Subject: PredicateExpression, Other: PredicateExpression>(
    _ function: String,
    subject: Subject,
    other: Other
  ) throws -> SQLTerm {
    let string = try string(term(subject))
    let argument = try term(other)
    let other = try text(argument)
    func call(_ string: SQLScalar) -> SQLQuery {
      let sql: SQLQuery = "\(sql: function)(\(string.sql), \(other))"
      guard function == "swift_starts", string.isIndexed,
        case .constant(let prefix as String) = argument,
        let range = CanonicalSpellings.range(of: prefix, in: string.sql)
      else { return sql }
      return "(\(range) AND \(sql))"
    }
    if case .constant = argument { return .condition(SQLCondition(sql: string.holds(call))) }
    return .holds(call(string))
  }

  fileprivate func text(_ term: SQLTerm) throws -> SQLQuery {
    try string(term).sql
  }

  fileprivate func string(_ term: SQLTerm) throws -> SQLScalar {
    if case .constant(let value) = term, let substring = value as? Substring {
      return try string(.constant(String(substring)))
    }
    let scalar = try scalar(term)
    guard scalar.swiftType == String.self else {
      throw NotTranslatable.operands("\(scalar.swiftType)")
    }
    return scalar
  }
}
