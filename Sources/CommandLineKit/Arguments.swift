/// What a command was given, checked, by parameter.
package struct Arguments: Sendable {
  /// Where a value came from.
  package enum Origin: Hashable, Sendable {
    /// It was given to the program.
    case commandLine
    /// A variable of the environment has it.
    case environment(String)
    /// It is what the parameter falls back to.
    case fallback
  }

  /// The texts that were given, by the name of their parameter.
  let texts: [String: [String]]
  let origins: [String: Origin]

  /// The value of a parameter.
  ///
  /// The parameter must be one of the command's; all values were checked when the command line was
  /// parsed.
  package subscript<Value>(_ parameter: Parameter<Value>) -> Value {
    do {
      return try parameter.read(texts[parameter.declaration.name] ?? [])
    } catch {
      preconditionFailure(
        "\(parameter.declaration.spelling) is not among the parameters of the command that asks "
          + "for it; add it to them."
      )
    }
  }

  /// Where the value of a parameter came from.
  package func origin(of parameter: some DeclaredParameter) -> Origin {
    origins[parameter.declaration.name] ?? .fallback
  }

  /// Whether a parameter was given, on the command line or in the environment.
  package func has(_ parameter: some DeclaredParameter) -> Bool {
    origin(of: parameter) != .fallback
  }
}

extension Arguments {
  /// Makes the arguments of a command from texts by the names of its parameters.
  ///
  /// The environment and the parameters themselves add what was not given. The path leads to the
  /// command, from the program's own. A text that is no value, or a missing one, throws a
  /// ``UsageError``.
  package init(
    _ given: [String: [String]],
    for path: [Command],
    environment: [String: String] = [:]
  ) throws {
    let title = path.map(\.name).joined(separator: " ")
    var texts = given
    var origins = texts.mapValues { _ in Origin.commandLine }
    let parameters = path.flatMap(\.flags) + (path.last?.positionals ?? [])
    var missing: [Declaration] = []
    for parameter in parameters where texts[parameter.name] == nil {
      if let variable = parameter.variable, let value = environment[variable], !value.isEmpty {
        texts[parameter.name] = [value]
        origins[parameter.name] = .environment(variable)
      } else if let fallback = parameter.fallback {
        texts[parameter.name] = [fallback]
      } else if parameter.isRequired {
        missing.append(parameter)
      }
    }
    guard missing.isEmpty else {
      missing = missing.filter(\.isPositional) + missing.filter { !$0.isPositional }
      let names = missing.map { $0.spelling + ($0.isPositional ? "" : " \($0.placeholder)") }
      throw UsageError(
        .missing(
          names,
          help: missing.count == 1 ? missing[0].help : nil,
          example: path.last?.examples.first?.name
        ),
        in: title
      )
    }
    for parameter in parameters {
      do {
        try parameter.check(texts[parameter.name] ?? [])
      } catch var error as UsageError {
        if case .environment(let variable) = origins[parameter.name] { error.variable = variable }
        throw error
      }
    }
    self.init(texts: texts, origins: origins)
  }
}
