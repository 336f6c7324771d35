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
