package protocol ShownError: Error {
  var shown: CommandError { get }
}

extension CommandError: ShownError {
  package var shown: CommandError { self }
}

package struct UsageError: ShownError, Hashable, Sendable {
  enum Reason: Hashable, Sendable {
    case noCommand(of: [String])
    case unknownCommand(String, known: [String])
    case unknownFlag(String, nearest: String?)
    case givenTwice(String)
    case takesNoValue(String)
    case needsValue(String, placeholder: String, next: String?)
    case strayWord(String)
    case missing([String], help: String?, example: String?)
    case noValue(String, forms: String)
    case notAValue(String, for: String, forms: String, hint: String?)
  }

  let reason: Reason
  /// The words that call the command.
  let command: String

  init(_ reason: Reason, in command: String = "") {
    self.reason = reason
    self.command = command
  }

  package var shown: CommandError {
    let advice = "See “\(command) --help”."
    let (message, hint): (String, String?) =
      switch reason {
      case .noCommand(let names):
        ("Missing command: one of \(names.joined(separator: ", ")).", advice)
      case .unknownCommand(let word, let known):
        ("There is no command \(quotedValue(word)).", guess(word, among: known))
      case .unknownFlag(let flag, let nearest):
        (
          "\(command) does not have a flag \(shortened(flag)).",
          nearest.map { "Did you mean “--\($0)”?" } ?? advice
        )
      case .givenTwice(let flag): ("\(flag) was given twice.", nil)
      case .takesNoValue(let flag):
        ("\(flag) does not take a value; leave out “=” and the value.", nil)
      case .needsValue(let flag, let placeholder, let next):
        (
          "\(flag) needs a value: \(flag) \(placeholder).",
          next.map { "Write a value that begins with a dash as \(flag)=\(shortened($0))." }
        )
      case .strayWord(let word):
        (
          "\(command) has an argument too many: \(quotedValue(word)).",
          word.contains(" ") ? advice : "\(advice) Put a value with blanks in quotes."
        )
      case .missing(let names, let help, let example):
        (
          "Missing \(names.joined(separator: " and "))"
            + (help.map { " (\($0.prefix(1).lowercased())\($0.dropFirst().dropLast()))." } ?? "."),
          (example.map { "Example: \($0). " } ?? "") + advice
        )
      case .noValue(let spelling, let forms): ("\(spelling) has no value; give \(forms).", nil)
      case .notAValue(let text, let spelling, let forms, let hint):
        ("\(quotedValue(text)) is not a value for \(spelling); give \(forms).", hint)
      }
    return CommandError(.usage, message: message, hint: hint)
  }
}

/// A hint with the most similar name; if no name is similar, with at most twenty known names.
func guess(_ word: String, among known: [String]) -> String {
  if let meant = nearest(to: word, in: known) { return "Did you mean \(quotedValue(meant))?" }
  let rest = known.count > 20 ? " and \(known.count - 20) more" : ""
  return "The known \(known.count == 1 ? "name is" : "names are")"
    + " \(known.prefix(20).map(shortened).joined(separator: ", "))\(rest)."
}
