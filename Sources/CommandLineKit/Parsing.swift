/// What a command line requests; a list of commands is a path from the program to a subcommand.
enum Request {
  case run([Command], Arguments)
  case help([Command], isLong: Bool)
  case version
  /// A request to complete the last of these words.
  case complete([String])
}

/// Parses a command line without the program's name.
func parse(_ words: [String], for program: Command) throws -> Request {
  var parser = Parser(path: [program])
  return try parser.parse(words)
}

private struct Parser {
  var path: [Command]
  private var texts: [String: [String]] = [:]
  private var positionals: [String] = []
  private var help: Request?
  private var wantsVersion = false

  init(path: [Command]) { self.path = path }

  private var command: Command { path[path.count - 1] }
  private var flags: [Declaration] { path.flatMap(\.flags) }

  mutating func parse(_ words: [String]) throws -> Request {
    var rest = words[...]
    if rest.first == Shell.completionRequest { return .complete(Array(rest.dropFirst())) }
    if rest.first == "help" { return try helpRequest(rest.dropFirst()) }
    var areFlagsOver = false
    while let word = rest.popFirst() {
      if areFlagsOver || word == "-" || !word.hasPrefix("-") {
        try take(word)
      } else if word == "--" {
        areFlagsOver = true
      } else if word.hasPrefix("--") {
        if let request = try takeLong(word, rest: &rest) { return request }
      } else {
        try takeShort(word, rest: &rest)
      }
    }
    if let help { return help }
    if wantsVersion { return .version }
    guard command.action != nil else {
      if words.isEmpty { return .help(path, isLong: false) }
      let names = command.subcommands.map(\.name).joined(separator: ", ")
      throw error("Missing command: one of \(names).", hint: advice)
    }
    try placePositionals()
    return .run(path, try Arguments(texts, for: path))
  }

  private var title: String { path.map(\.name).joined(separator: " ") }

  private var advice: String { "See “\(title) --help”." }

  private func error(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(.usage, message: message, hint: hint)
  }

  private func helpRequest(_ words: ArraySlice<String>) throws -> Request {
    var path = path
    for word in words where !word.hasPrefix("-") {
      guard let next = path[path.count - 1].subcommands.first(where: { $0.name == word }) else {
        throw unknownCommand(word, in: path[path.count - 1])
      }
      path.append(next)
    }
    return .help(path, isLong: true)
  }

  private func unknownCommand(_ word: String, in command: Command) -> CommandError {
    error(
      "There is no command \(quotedValue(word)).",
      hint: guess(word, among: command.subcommands.map(\.name))
    )
  }

  /// Parses a subcommand or a positional.
  private mutating func take(_ word: String) throws {
    guard command.action == nil else { return positionals.append(word) }
    guard let next = command.subcommands.first(where: { $0.name == word }) else {
      throw unknownCommand(word, in: command)
    }
    path.append(next)
  }

  private mutating func takeLong(
    _ word: String,
    rest: inout ArraySlice<String>
  ) throws -> Request? {
    let parts = word.dropFirst(2).split(
      separator: "=",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let name = String(parts[0])
    let value = parts.count > 1 ? String(parts[1]) : nil
    guard let flag = flags.last(where: { $0.name == name }) else {
      if name == "help" {
        help = .help(path, isLong: true)
        return nil
      }
      if name == "version", path.count == 1 { return .version }
      throw unknownFlag(word: "--\(name)", name: name)
    }
    try set(flag, value: value, rest: &rest)
    return nil
  }

  private func unknownFlag(word: String, name: String? = nil) -> CommandError {
    let similar = name.flatMap { nearest(to: $0, in: flags.map(\.name) + ["help"]) }
    return error(
      "\(title) does not have a flag \(shortened(word)).",
      hint: similar.map { "Did you mean “--\($0)”?" } ?? advice
    )
  }

  /// Parses a word of short flags: `-v`, `-vvn`, `-n 5`, `-n5`.
  private mutating func takeShort(_ word: String, rest: inout ArraySlice<String>) throws {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let flag = flags.last(where: { $0.short == letter }) else {
        if letter == "h" {
          if help == nil { help = .help(path, isLong: false) }
          continue
        }
        if letter == "V", path.count == 1 {
          wantsVersion = true
          continue
        }
        // A negative number is a value, unless its first digit is a flag.
        if word.dropFirst().first?.isNumber == true { return try take(word) }
        throw unknownFlag(word: "-\(letter)")
      }
      guard flag.arity != .none else {
        try set(flag, value: nil, rest: &rest)
        continue
      }
      guard !letters.isEmpty else { return try set(flag, value: nil, rest: &rest) }
      let value = letters.first == "=" ? letters.dropFirst() : letters
      return try set(flag, value: String(value), rest: &rest)
    }
  }

  private mutating func set(
    _ flag: Declaration,
    value: String?,
    rest: inout ArraySlice<String>
  ) throws {
    if !flag.isRepeatable, flag.arity != .none, texts[flag.name] != nil {
      throw error("\(flag.spelling) was given twice.")
    }
    switch (flag.arity, value) {
    case (.none, nil): texts[flag.name, default: []].append("")
    case (.none, _?):
      throw error("\(flag.spelling) does not take a value; leave out “=” and the value.")
    case (_, let value?): texts[flag.name, default: []].append(value)
    case (_, nil):
      // A word that looks like a flag is not taken as the value, unless it is written as
      // “--name=--this”.
      guard let next = rest.first, next == "-" || !next.hasPrefix("-") || next.isNegativeNumber
      else {
        throw error(
          "\(flag.spelling) needs a value: \(flag.spelling) \(flag.placeholder).",
          hint: rest.first.map {
            "Write a value that begins with a dash as \(flag.spelling)=\(shortened($0))."
          }
        )
      }
      texts[flag.name, default: []].append(rest.removeFirst())
    }
  }

  private mutating func placePositionals() throws {
    var rest = positionals[...]
    for positional in command.positionals {
      switch positional.arity {
      case .many:
        if !rest.isEmpty { texts[positional.name] = Array(rest) }
        rest = []
      case .one, .none:
        if let word = rest.popFirst() { texts[positional.name] = [word] }
      }
    }
    guard let stray = rest.first else { return }
    throw error(
      "\(title) has an argument too many: \(quotedValue(stray)).",
      hint: stray.contains(" ") ? advice : "\(advice) Put a value with blanks in quotes."
    )
  }
}

extension String {
  fileprivate var isNegativeNumber: Bool { hasPrefix("-") && Double(self) != nil }
}

/// A hint with the most similar name; if no name is similar, with at most twenty known names.
func guess(_ word: String, among known: [String]) -> String {
  if let meant = nearest(to: word, in: known) { return "Did you mean \(quotedValue(meant))?" }
  let rest = known.count > 20 ? " and \(known.count - 20) more" : ""
  return "The known \(known.count == 1 ? "name is" : "names are")"
    + " \(known.prefix(20).map(shortened).joined(separator: ", "))\(rest)."
}
