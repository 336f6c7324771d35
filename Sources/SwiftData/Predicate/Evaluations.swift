import Format

// Nodes for evaluating another predicate, or an expression, inside of `#Predicate`, which
// Foundation on Linux does not have.

extension PredicateExpressions {
  /// A node that evaluates a captured predicate.
  public struct _PredicateEvaluation<Argument: PredicateExpression>: PredicateExpression {
    /// The result is a Boolean.
    public typealias Output = Bool

    /// The captured predicate; nil if it depends on the row.
    let captured: Foundation.Predicate<Argument.Output>?
    let argument: Argument

    /// Evaluates the captured predicate; throws if it depends on the row.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      guard let captured else { throw dependsOnRows("predicate") }
      return try captured.evaluate(argument.evaluate(bindings))
    }
  }

  /// A node that evaluates a captured expression.
  public struct _ExpressionEvaluation<Argument: PredicateExpression, Output>: PredicateExpression {
    /// The captured expression; nil if it depends on the row.
    let captured: Foundation.Expression<Argument.Output, Output>?
    let argument: Argument

    /// Evaluates the captured expression; throws if it depends on the row.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      guard let captured else { throw dependsOnRows("expression") }
      return try captured.evaluate(argument.evaluate(bindings))
    }
  }

  // A captured value can be evaluated without variables. If it needs variables, the node's
  // evaluation throws.

  /// Creates the node of a captured predicate's `evaluate(_:)`; only macros use it.
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

  /// Creates the node of a captured expression's `evaluate(_:)`; only macros use it.
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
  /// Fails, because a captured predicate has no encoded form.
  public init(from decoder: any Decoder) throws { throw undecodable(decoder) }
  /// Fails, because a captured predicate has no encoded form.
  public func encode(to encoder: any Encoder) throws { throw unencodable(self, encoder: encoder) }
}
extension PredicateExpressions._PredicateEvaluation: StandardPredicateExpression
where Argument: StandardPredicateExpression {}

extension PredicateExpressions._ExpressionEvaluation: Sendable where Argument: Sendable {}
extension PredicateExpressions._ExpressionEvaluation: Codable where Argument: Codable {
  /// Fails, because a captured expression has no encoded form.
  public init(from decoder: any Decoder) throws { throw undecodable(decoder) }
  /// Fails, because a captured expression has no encoded form.
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
  "A predicate that evaluates a captured predicate can't be encoded. Write out the conditions."

extension PredicateExpressions.ExpressionEvaluate: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    guard let inner = translation.constant(expression) else {
      throw NotTranslatable.operands("an expression that depends on rows")
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
      throw NotTranslatable.operands("a predicate that depends on rows")
    }
    translation.bind(inner.variable, to: try translation.term(argument))
    return try translation.term(inner.expression)
  }
}

extension PredicateExpressions._ExpressionEvaluation: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    guard let inner = captured else {
      throw NotTranslatable.operands("an expression that depends on rows")
    }
    translation.bind(inner.variable, to: try translation.term(argument))
    return try translation.term(inner.expression)
  }
}

private func dependsOnRows(_ kind: String) -> SwiftDataError {
  SwiftDataError(.unsupportedPredicate) {
    "A predicate evaluates a nested \(kind) that is created or chosen for each row."
      + "\nCreate one \(kind) for all rows, and store it in a constant before the predicate."
  }
}
