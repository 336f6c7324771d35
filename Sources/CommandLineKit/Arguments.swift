/// What a command was given, checked, by parameter.
public struct Arguments: Sendable {
  /// Where a value came from.
  public enum Origin: Hashable, Sendable {
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
  public subscript<Value>(_ parameter: Parameter<Value>) -> Value {
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
  public func origin(of parameter: some DeclaredParameter) -> Origin {
    origins[parameter.declaration.name] ?? .fallback
  }

  /// True where a parameter was given, on the command line or in the environment.
  public func has(_ parameter: some DeclaredParameter) -> Bool {
    origin(of: parameter) != .fallback
  }
}
