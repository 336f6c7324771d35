// On Linux, Foundation's macros `#Predicate` and `#Expression` reject calls of `evaluate`. The
// compiler prefers the macros of this file for models, because they are more specific. These macros
// rewrite calls of `evaluate`, and then use Foundation's macros.

/// Creates a predicate for fetching models.
///
/// ```swift
/// let soon = #Predicate<Trip> { $0.startDate < limit }
/// let named = #Predicate<Trip> { soon.evaluate($0) && $0.name != "" }
/// ```
@freestanding(expression)
public macro Predicate<each Input: PersistentModel>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")

/// Creates an expression over a model, for use in predicates.
///
/// ```swift
/// let days = #Expression<Trip, Int> { $0.days.count }
/// ```
@freestanding(expression)
public macro Expression<Input: PersistentModel, Output>(
  _ body: (Input) -> Output
) -> Foundation.Expression<Input, Output> =
  #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")

/// Creates an expression over a collection of models; only predicates can use it.
@freestanding(expression)
public macro Expression<Input: Collection, Output>(
  _ body: (Input) -> Output
) -> Foundation.Expression<Input, Output> =
  #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")
where Input.Element: PersistentModel

/// Foundation's `#Predicate` under another name, for the macros of this module.
@freestanding(expression)
public macro _Predicate<each Input>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "FoundationMacros", type: "PredicateMacro")

/// Foundation's `#Expression` under another name, for the macros of this module.
@freestanding(expression)
public macro _Expression<each Input, Output>(
  _ body: (repeat each Input) -> Output
) -> Foundation.Expression<repeat each Input, Output> =
  #externalMacro(module: "FoundationMacros", type: "ExpressionMacro")

extension Foundation.Predicate {
  /// Replaces `evaluate` in predicates; only the macros use it.
  public subscript(_ argument: repeat each Input, default _: String) -> Bool {
    get throws { try evaluate(repeat each argument) }
  }
}

extension Foundation.Expression {
  /// Replaces `evaluate` in expressions; only the macros use it.
  public subscript(_ argument: repeat each Input, default _: String) -> Output {
    get throws { try evaluate(repeat each argument) }
  }
}

// Declarations for predicates whose macro passes each term of a condition to Foundation's macro
// separately.

/// An input of a predicate, which its terms share.
public struct _PredicateInput<Value> {
  fileprivate let variable: PredicateExpressions.Variable<Value>

  /// Wraps the variable of the input.
  public init(_ variable: PredicateExpressions.Variable<Value>) { self.variable = variable }

  /// Stands for the input in a term; the macro replaces it before it can run.
  public subscript(_: String) -> Value {
    preconditionFailure("Only the macro #Predicate uses this subscript.")
  }
}

extension PredicateExpressions {
  /// Creates the node of an input, which is its variable; only macros use it.
  public static func build_subscript<Input>(
    _ input: Value<_PredicateInput<Input>>,
    _: Value<String>
  ) -> Variable<Input> {
    input.value.variable
  }
}

/// Joins two conditions of a predicate with `||`; only macros use it.
public func _or(
  _ left: any StandardPredicateExpression<Bool>,
  _ right: any StandardPredicateExpression<Bool>
) -> any StandardPredicateExpression<Bool> {
  func join(
    _ left: some StandardPredicateExpression<Bool>,
    _ right: some StandardPredicateExpression<Bool>
  ) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.build_Disjunction(lhs: left, rhs: right)
  }
  return join(left, right)
}

/// Joins two conditions of a predicate with `&&`; only macros use it.
public func _and(
  _ left: any StandardPredicateExpression<Bool>,
  _ right: any StandardPredicateExpression<Bool>
) -> any StandardPredicateExpression<Bool> {
  func join(
    _ left: some StandardPredicateExpression<Bool>,
    _ right: some StandardPredicateExpression<Bool>
  ) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.build_Conjunction(lhs: left, rhs: right)
  }
  return join(left, right)
}

/// Negates a condition of a predicate; only macros use it.
public func _not(
  _ condition: any StandardPredicateExpression<Bool>
) -> any StandardPredicateExpression<Bool> {
  func negate(
    _ condition: some StandardPredicateExpression<Bool>
  ) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.build_Negation(condition)
  }
  return negate(condition)
}
