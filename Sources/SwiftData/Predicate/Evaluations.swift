// Foundation on Linux lacks the node of a predicate that another one evaluates, and has none of an
// expression that `#Predicate` could use.

extension PredicateExpressions {
  /// A node that applies a captured predicate to an argument.
  public struct _PredicateEvaluation<Argument: PredicateExpression>: PredicateExpression {
    /// A truth value.
    public typealias Output = Bool

    /// Nil if it is not the same for all rows.
    let captured: Foundation.Predicate<Argument.Output>?
    let argument: Argument

    /// Applies the predicate.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      guard let captured else { throw SwiftDataError(.dependsOnRows("predicate")) }
      return try captured.evaluate(argument.evaluate(bindings))
    }
  }

  /// A node that applies a captured expression to an argument.
  public struct _ExpressionEvaluation<Argument: PredicateExpression, Output>: PredicateExpression {
    /// Nil if it is not the same for all rows.
    let captured: Foundation.Expression<Argument.Output, Output>?
    let argument: Argument

    /// Applies the expression.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      guard let captured else { throw SwiftDataError(.dependsOnRows("expression")) }
      return try captured.evaluate(argument.evaluate(bindings))
    }
  }

  // A captured value needs no variable; what needs one fails here, and says so when it is used.

  /// Makes the node of a captured predicate's `evaluate(_:)`.
  public static func build_subscript<Captured: PredicateExpression, Argument>(
    _ captured: Captured,
    _ argument: Argument,
    default _: Value<String>
  ) -> _PredicateEvaluation<Argument>
  where Captured.Output == Foundation.Predicate<Argument.Output> {
    _PredicateEvaluation(
      captured: try? captured.evaluate(PredicateBindings()),
      argument: argument
    )
  }

  /// Makes the node of a captured expression's `evaluate(_:)`.
  public static func build_subscript<Captured: PredicateExpression, Argument, Output>(
    _ captured: Captured,
    _ argument: Argument,
    default _: Value<String>
  ) -> _ExpressionEvaluation<Argument, Output>
  where Captured.Output == Foundation.Expression<Argument.Output, Output> {
    _ExpressionEvaluation(
      captured: try? captured.evaluate(PredicateBindings()),
      argument: argument
    )
  }
}

extension PredicateExpressions._PredicateEvaluation: Sendable where Argument: Sendable {}
extension PredicateExpressions._PredicateEvaluation: Codable where Argument: Codable {
  /// Refuses: a captured predicate has no form to be kept in.
  public init(from decoder: any Decoder) throws { throw undecodable(decoder) }
  /// Refuses: a captured predicate has no form to be kept in.
  public func encode(to encoder: any Encoder) throws { throw unencodable(self, encoder: encoder) }
}
extension PredicateExpressions._PredicateEvaluation: StandardPredicateExpression
where Argument: StandardPredicateExpression {}

extension PredicateExpressions._ExpressionEvaluation: Sendable where Argument: Sendable {}
extension PredicateExpressions._ExpressionEvaluation: Codable where Argument: Codable {
  /// Refuses: a captured expression has no form to be kept in.
  public init(from decoder: any Decoder) throws { throw undecodable(decoder) }
  /// Refuses: a captured expression has no form to be kept in.
  public func encode(to encoder: any Encoder) throws { throw unencodable(self, encoder: encoder) }
}
extension PredicateExpressions._ExpressionEvaluation: StandardPredicateExpression
where Argument: StandardPredicateExpression {}

private func unencodable<Node>(_ node: Node, encoder: any Encoder) -> EncodingError {
  .invalidValue(node, .init(codingPath: encoder.codingPath, debugDescription: noForm))
}

private func undecodable(_ decoder: any Decoder) -> DecodingError {
  .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: noForm))
}

private let noForm =
  "A predicate that evaluates a captured one can't be encoded. Write its conditions out."

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
