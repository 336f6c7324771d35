/// The checked values of a command's parameters.
package struct Arguments: Sendable {
  /// The given texts, by the names of their parameters.
  private let texts: [String: [String]]

  /// The value of a parameter, which must belong to the command.
  package subscript<Value>(_ parameter: Parameter<Value>) -> Value {
    do {
      return try parameter.read(texts[parameter.declaration.name] ?? [])
    } catch {
      preconditionFailure(
        "The command reads \(parameter.declaration.spelling) without declaring it; add it to the "
          + "parameters of the command."
      )
    }
  }

  /// Checks texts for the last command of a path, and adds the defaults.
  ///
  /// - Throws: ``CommandError`` if a text is not a valid value, or a required value is missing.
  init(_ given: [String: [String]], for path: [Command]) throws {
    var texts = given
    let parameters = path.flatMap(\.flags) + (path.last?.positionals ?? [])
    var missing: [Declaration] = []
    for parameter in parameters where texts[parameter.name] == nil {
      if let fallback = parameter.fallback {
        texts[parameter.name] = [fallback]
      } else if parameter.isRequired, parameter.substitute.map({ given[$0] == nil }) ?? true {
        missing.append(parameter)
      }
    }
    guard missing.isEmpty else {
      missing = missing.filter(\.isPositional) + missing.filter { !$0.isPositional }
      let names = missing.map { $0.spelling + ($0.isPositional ? "" : " \($0.placeholder)") }
      let help = missing.count == 1 ? missing[0].help : nil
      let example = path.last?.examples.first.map { "Example: \($0.name). " } ?? ""
      throw CommandError(
        .usage,
        message: "Missing \(names.joined(separator: " and "))"
          + (help.map { " (\($0.prefix(1).lowercased())\($0.dropFirst().dropLast()))." } ?? "."),
        hint: "\(example)See “\(path.map(\.name).joined(separator: " ")) --help”."
      )
    }
    for parameter in parameters { try parameter.check(texts[parameter.name] ?? []) }
    self.texts = texts
  }
}
