/// A flag or positional without the type of its value; the parser and the help need no type.
package struct Declaration: Sendable {
  /// The number of values that a parameter takes.
  enum Arity: Hashable, Sendable { case none, one, many }

  /// The name of a flag without its dashes, or the name of a positional as help shows it.
  let name: String
  let short: Character?
  let isPositional: Bool
  let arity: Arity
  /// Whether a flag may be given several times.
  let isRepeatable: Bool
  let isRequired: Bool
  /// The flag that may be given instead of this parameter; nil if there is none.
  let substitute: String?
  /// The word that help shows for the value.
  let placeholder: String
  let completion: Completion
  /// The text that is used if no value is given.
  let fallback: String?
  let help: String
  /// Checks the texts that were given for the parameter; throws a ``CommandError``.
  fileprivate(set) var check: @Sendable ([String]) throws -> Void = { _ in }

  var spelling: String { isPositional ? name : "--\(name)" }

  fileprivate init<Value>(
    _ name: String,
    type: ValueType<Value>,
    short: Character? = nil,
    placeholder: String? = nil,
    isPositional: Bool = false,
    arity: Arity = .one,
    isRepeatable: Bool = false,
    isRequired: Bool = false,
    substitute: String? = nil,
    fallback: String? = nil,
    help: String
  ) {
    self.name = name
    self.short = short
    self.isPositional = isPositional
    self.arity = arity
    self.isRepeatable = isRepeatable
    self.isRequired = isRequired
    self.substitute = substitute
    self.placeholder = placeholder ?? (isPositional ? name : type.placeholder)
    completion = type.completion
    self.fallback = fallback
    self.help = help
  }
}

/// A parameter of any type, so that a list can contain the declarations of all parameters.
package protocol DeclaredParameter: Sendable {
  var declaration: Declaration { get }
}

/// A flag or positional with the type of its value; a parameter is also the key of its value in
/// ``Arguments``.
package struct Parameter<Value: Sendable>: DeclaredParameter {
  package private(set) var declaration: Declaration
  let read: @Sendable ([String]) throws -> Value

  private init(_ declaration: Declaration, read: @escaping @Sendable ([String]) throws -> Value) {
    self.declaration = declaration
    self.read = read
    self.declaration.check = { _ = try read($0) }
  }

  private init(one declaration: Declaration, type: ValueType<Value>) {
    self.init(declaration) {
      try type.value(of: declaration.spelling, text: $0.last ?? declaration.fallback)
    }
  }
}

extension Parameter {
  /// A flag that must be given.
  package static func required(
    _ name: String,
    type: ValueType<Value>,
    placeholder: String? = nil,
    help: String
  ) -> Parameter {
    Parameter(
      one: Declaration(
        name,
        type: type,
        placeholder: placeholder,
        isRequired: true,
        help: help
      ),
      type: type
    )
  }

  /// A flag with a default value; `fallback` is the default as a user would type it.
  package static func flag(
    _ name: String,
    short: Character? = nil,
    type: ValueType<Value>,
    fallback: String,
    help: String
  ) -> Parameter {
    Parameter(
      one: Declaration(name, type: type, short: short, fallback: fallback, help: help),
      type: type
    )
  }

  /// A positional that must be given.
  package static func positional(
    _ name: String,
    type: ValueType<Value>,
    help: String
  ) -> Parameter {
    Parameter(
      one: Declaration(name, type: type, isPositional: true, isRequired: true, help: help),
      type: type
    )
  }

  /// A flag or a positional that may be omitted.
  package static func optional<Wrapped>(
    _ name: String,
    short: Character? = nil,
    type: ValueType<Wrapped>,
    placeholder: String? = nil,
    isPositional: Bool = false,
    help: String
  ) -> Parameter where Value == Wrapped? {
    let declaration = Declaration(
      name,
      type: type,
      short: short,
      placeholder: placeholder,
      isPositional: isPositional,
      help: help
    )
    return Parameter(declaration) {
      try $0.last.map { try type.value(of: declaration.spelling, text: $0) }
    }
  }

  /// A flag that may be given several times, each time with a value.
  package static func repeated<Element>(
    _ name: String,
    short: Character? = nil,
    type: ValueType<Element>,
    placeholder: String? = nil,
    help: String
  ) -> Parameter where Value == [Element] {
    let declaration = Declaration(
      name,
      type: type,
      short: short,
      placeholder: placeholder,
      isRepeatable: true,
      help: help
    )
    return Parameter(declaration) {
      try $0.map { try type.value(of: declaration.spelling, text: $0) }
    }
  }

  /// Any number of positionals, after all other positionals of a command.
  package static func positionals<Element>(
    _ name: String,
    type: ValueType<Element>,
    isRequired: Bool = false,
    unless substitute: String? = nil,
    help: String
  ) -> Parameter where Value == [Element] {
    let declaration = Declaration(
      name,
      type: type,
      isPositional: true,
      arity: .many,
      isRequired: isRequired,
      substitute: substitute,
      help: help
    )
    return Parameter(declaration) {
      try $0.map { try type.value(of: declaration.spelling, text: $0) }
    }
  }

  /// A flag without a value.
  package static func toggle(
    _ name: String,
    short: Character? = nil,
    help: String
  ) -> Parameter where Value == Bool {
    Parameter(
      Declaration(name, type: .text, short: short, arity: .none, help: help)
    ) { !$0.isEmpty }
  }
}
