/// An error that can be shown to a person.
package protocol ShownError: Error {
  /// The error as it is shown, with its exit code.
  var shown: CommandError { get }
}

extension CommandError: ShownError {
  /// The error itself.
  package var shown: CommandError { self }
}

/// Why a command line can't be understood.
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
  /// The command, as it is called.
  let command: String
  /// The environment variable that the value comes from.
  var variable: String?

  init(_ reason: Reason, in command: String = "") {
    self.reason = reason
    self.command = command
  }

  /// The error as it is shown, with its exit code.
  package var shown: CommandError {
    let advice = "See “\(command) --help”."
    let (message, hint): (String, String?) =
      switch reason {
      case .noCommand(let names): ("Missing command: one of \(names.list).", advice)
      case .unknownCommand(let word, let known):
        ("There is no command \(quoted(word)).", guess(word, among: known))
      case .unknownFlag(let flag, let nearest):
        ("\(command) has no flag \(flag).", nearest.map { "Did you mean “--\($0)”?" } ?? advice)
      case .givenTwice(let flag): ("\(flag) was given twice.", nil)
      case .takesNoValue(let flag):
        ("\(flag) takes no value; leave out what follows the “=”.", nil)
      case .needsValue(let flag, let placeholder, let next):
        (
          "\(flag) needs a value: \(flag) \(placeholder).",
          next.map { "A value that begins with a dash is written \(flag)=\($0)." }
        )
      case .strayWord(let word):
        (
          "\(command) takes no further \(quoted(word)).",
          word.contains(" ") ? advice : "\(advice) A value with blanks needs quotes."
        )
      case .missing(let names, let help, let example):
        (
          "Missing \(names.joined(separator: " and "))" + (help.map { ": \($0)" } ?? "."),
          (example.map { "Example: \($0). " } ?? "") + advice
        )
      case .noValue(let spelling, let forms): ("\(spelling) has no value; give \(forms).", nil)
      case .notAValue(let text, let spelling, let forms, let hint):
        ("\(quoted(text)) is not a value for \(spelling); give \(forms).", hint)
      }
    let origin = variable.map { " It comes from the variable \($0)." } ?? ""
    return CommandError(.usage, message: message + origin, hint: hint)
  }
}

extension [String] {
  fileprivate var list: String { joined(separator: ", ") }
}

/// A hint with the name that was most likely meant, or else all there are.
package func guess(_ word: String, among known: [String]) -> String {
  nearest(to: word, in: known).map { "Did you mean \(quoted($0))?" } ?? "There are \(known.list)."
}
