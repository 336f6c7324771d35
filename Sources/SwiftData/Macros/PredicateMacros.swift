// Foundation's macros of these names refuse `evaluate` on Linux. Those over models are chosen before
// them, being more special, and hand all on to Foundation's with such calls in another shape.

/// Makes a condition that models are fetched by.
///
/// ```swift
/// let soon = #Predicate<Trip> { $0.startDate < limit }
/// let booked = #Predicate<Trip> { soon.evaluate($0) && $0.livingAccommodation != nil }
/// ```
@freestanding(expression)
public macro Predicate<Input: PersistentModel>(
  _ body: (Input) -> Bool
) -> Foundation.Predicate<Input> =
  #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")

/// Makes an expression over a model, which conditions may use.
@freestanding(expression)
public macro Expression<Input: PersistentModel, Output>(
  _ body: (Input) -> Output
) -> Foundation.Expression<Input, Output> =
  #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")

/// Makes an expression over a collection of models, which conditions may use.
@freestanding(expression)
public macro Expression<Input: Collection, Output>(
  _ body: (Input) -> Output
) -> Foundation.Expression<Input, Output> =
  #externalMacro(module: "SwiftDataMacros", type: "PredicateMacro")
where Input.Element: PersistentModel

/// Foundation's `#Predicate`, by a name of its own.
@freestanding(expression)
public macro _Predicate<each Input>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "FoundationMacros", type: "PredicateMacro")

/// Foundation's `#Expression`, by a name of its own.
@freestanding(expression)
public macro _Expression<each Input, Output>(
  _ body: (repeat each Input) -> Output
) -> Foundation.Expression<repeat each Input, Output> =
  #externalMacro(module: "FoundationMacros", type: "ExpressionMacro")

extension Foundation.Predicate {
  /// What `evaluate` looks like inside of a predicate.
  public subscript(_ argument: repeat each Input, default _: String) -> Bool {
    get throws { try evaluate(repeat each argument) }
  }
}

extension Foundation.Expression {
  /// What `evaluate` looks like inside of a predicate.
  public subscript(_ argument: repeat each Input, default _: String) -> Output {
    get throws { try evaluate(repeat each argument) }
  }
}
