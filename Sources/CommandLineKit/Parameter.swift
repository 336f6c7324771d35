/// A flag or positional without the type of its value: what the parser and the help need of it.
package struct Declaration: Sendable {
  /// How often a parameter takes a value.
  package enum Arity: Hashable, Sendable {
    /// It is there or not, and has no value.
    case none
    /// It has one value.
    case one
    /// It has any number of values.
    case many
  }

  /// Its name: that of a flag without dashes, that of a positional as help shows it.
  package let name: String
  /// The letter that stands for a flag.
  package let short: Character?
  /// Whether it has its place instead of a name.
  package let isPositional: Bool
  /// How many values it takes.
  package let arity: Arity
  /// Whether giving a flag twice means something.
  package let isRepeatable: Bool
  /// Whether it can't be left out.
  package let isRequired: Bool
  /// What stands for its value in help.
  package let placeholder: String
  /// What a shell can offer as its value.
  package let completion: Completion
  /// The text that is its value where none is given.
  package let fallback: String?
  /// The variable of the environment that gives its value where the command line does not.
  package let variable: String?
  /// What it does, in a sentence.
  package let help: String
  /// Checks the texts that were given for it; throws a ``UsageError``.
  package let check: @Sendable ([String]) throws -> Void

  /// How messages and help call it.
  var spelling: String { isPositional ? name : "--\(name)" }
}

/// A parameter whose declaration can stand in a list with others.
package protocol DeclaredParameter: Sendable {
  /// What the parser and the help need of it.
  var declaration: Declaration { get }
}

/// A flag or positional with the type of its value, which is the key to that value.
package struct Parameter<Value: Sendable>: DeclaredParameter {
  /// What the parser and the help need of it.
  package let declaration: Declaration
  /// Makes a value of the texts that were given.
  let read: @Sendable ([String]) throws -> Value

  private init(
    _ name: String,
    short: Character? = nil,
    isPositional: Bool = false,
    arity: Declaration.Arity,
    isRepeatable: Bool = false,
    isRequired: Bool = false,
    placeholder: String = "",
    completion: Completion = .nothing,
    fallback: String? = nil,
    variable: String? = nil,
    help: String,
    read: @escaping @Sendable (_ spelling: String, [String]) throws -> Value
  ) {
    let spelling = isPositional ? name : "--\(name)"
    let read: @Sendable ([String]) throws -> Value = { try read(spelling, $0) }
    self.read = read
    declaration = Declaration(
      name: name,
      short: short,
      isPositional: isPositional,
      arity: arity,
      isRepeatable: isRepeatable,
      isRequired: isRequired,
      placeholder: placeholder,
      completion: completion,
      fallback: fallback,
      variable: variable,
      help: help,
      check: { _ = try read($0) }
    )
  }
}

extension Parameter {
  /// A flag with a value that has to be given.
  package static func required(
    _ name: String,
    short: Character? = nil,
    type: ValueType<Value>,
    placeholder: String? = nil,
    variable: String? = nil,
    help: String
  ) -> Parameter {
    Parameter(
      name,
      short: short,
      arity: .one,
      isRequired: true,
      placeholder: placeholder ?? type.placeholder,
      completion: type.completion,
      variable: variable,
      help: help,
      read: { try type.value(of: $0, text: $1.last) }
    )
  }

  /// A flag with a value that is `fallback`, as it would be typed, where none is given.
  package static func flag(
    _ name: String,
    short: Character? = nil,
    type: ValueType<Value>,
    fallback: String,
    placeholder: String? = nil,
    variable: String? = nil,
    help: String
  ) -> Parameter {
    Parameter(
      name,
      short: short,
      arity: .one,
      placeholder: placeholder ?? type.placeholder,
      completion: type.completion,
      fallback: fallback,
      variable: variable,
      help: help,
      read: { try type.value(of: $0, text: $1.last ?? fallback) }
    )
  }

  /// A flag with a value that may be left out.
  package static func optional<Wrapped>(
    _ name: String,
    short: Character? = nil,
    type: ValueType<Wrapped>,
    placeholder: String? = nil,
    variable: String? = nil,
    help: String
  ) -> Parameter where Value == Wrapped? {
    Parameter(
      name,
      short: short,
      arity: .one,
      placeholder: placeholder ?? type.placeholder,
      completion: type.completion,
      variable: variable,
      help: help,
      read: { spelling, texts in try texts.last.map { try type.value(of: spelling, text: $0) } }
    )
  }

  /// A flag that may be given several times, each time with a value.
  package static func repeated<Element>(
    _ name: String,
    short: Character? = nil,
    type: ValueType<Element>,
    placeholder: String? = nil,
    help: String
  ) -> Parameter where Value == [Element] {
    Parameter(
      name,
      short: short,
      arity: .one,
      isRepeatable: true,
      placeholder: placeholder ?? type.placeholder,
      completion: type.completion,
      help: help,
      read: { spelling, texts in try texts.map { try type.value(of: spelling, text: $0) } }
    )
  }

  /// A positional that has to be given.
  package static func positional(
    _ name: String,
    type: ValueType<Value>,
    help: String
  ) -> Parameter {
    Parameter(
      name,
      isPositional: true,
      arity: .one,
      isRequired: true,
      placeholder: name,
      completion: type.completion,
      help: help,
      read: { try type.value(of: $0, text: $1.last) }
    )
  }

  /// A positional that may be left out.
  package static func optionalPositional<Wrapped>(
    _ name: String,
    type: ValueType<Wrapped>,
    help: String
  ) -> Parameter where Value == Wrapped? {
    Parameter(
      name,
      isPositional: true,
      arity: .one,
      placeholder: name,
      completion: type.completion,
      help: help,
      read: { spelling, texts in try texts.last.map { try type.value(of: spelling, text: $0) } }
    )
  }

  /// Positionals of any number, the last of a command's.
  package static func positionals<Element>(
    _ name: String,
    type: ValueType<Element>,
    isRequired: Bool = false,
    help: String
  ) -> Parameter where Value == [Element] {
    Parameter(
      name,
      isPositional: true,
      arity: .many,
      isRequired: isRequired,
      placeholder: name,
      completion: type.completion,
      help: help,
      read: { spelling, texts in try texts.map { try type.value(of: spelling, text: $0) } }
    )
  }
}

extension Parameter where Value == Bool {
  /// A flag that is there or not.
  package static func toggle(
    _ name: String,
    short: Character? = nil,
    help: String
  ) -> Parameter {
    Parameter(
      name,
      short: short,
      arity: .none,
      help: help,
      read: { !$1.isEmpty }
    )
  }
}

extension Parameter where Value == Int {
  /// A flag that counts how often it is there.
  package static func count(
    _ name: String,
    short: Character? = nil,
    help: String
  ) -> Parameter {
    Parameter(
      name,
      short: short,
      arity: .none,
      isRepeatable: true,
      help: help,
      read: { $1.count }
    )
  }
}
