import Changes
import CommandLineKit
import JSON5

/// What is wrong with the file of a job, and where.
struct JobError: ShownError {
  enum Reason {
    case notJSON(String)
    case noSteps, notSteps, notValues, notTexts, notOneText, noBrace, noCommand, noStream
    case notAnObject(String), notABoolean(String), takesOneValue(String)
    case unknownMember(String, of: String, known: [String])
    case unknownValue(String, known: [String]), severalValues(String, count: Int)
    case unknownCommand(String), unknownExitCode(String), unknownReaction(String)
    case usage(CommandError)
  }

  let path: String
  let position: Position
  let reason: Reason

  /// The error as it is shown, with its exit code.
  var shown: CommandError {
    CommandError(.unreadable, wording: "\(path):\(position): " + wording + "\nNothing was done.")
  }

  private var wording: Wording {
    switch reason {
    case .notJSON(let message): "\(message)"
    case .noSteps: "There are no steps."
    case .notSteps: "“steps” is a list of at least one step."
    case .notAnObject(let what): "Expected \(what), as an object in braces."
    case .unknownMember(let name, let what, let known):
      "\(what.prefix(1).uppercased() + what.dropFirst()) does not have “\(name)”."
        + "\n\(guess(name, among: known))"
    case .notValues: "“values” is an object of names and their values."
    case .notTexts: "Expected a text, a number or a list of them."
    case .notOneText: "Expected one text."
    case .noBrace: "After “${” there is no “}”."
    case .unknownValue(let name, let known):
      "There is no value “\(name)”.\n\(guess(name, among: known))"
    case .severalValues(let name, let count):
      "“\(name)” has \(count) values, so it must be the whole text."
    case .noCommand: "The step has no “do” that names its command."
    case .unknownCommand(let name): "No step can be “\(name)”.\n\(guess(name, among: jobCommands))"
    case .usage(let error): "\(error.message)" + (error.hint.map { "\n\($0)" } ?? "")
    case .unknownExitCode(let word):
      "No command ends with “\(word)”.\n\(guess(word, among: ExitCode.all.map(\.name)))"
    case .unknownReaction(let word): "“on_failure” is stop or continue, and not “\(word)”."
    case .notABoolean(let key): "“\(key)” is true or false."
    case .takesOneValue(let key): "“\(key)” takes one value, not several."
    case .noStream: "A step has no standard input or output; name a file."
    }
  }
}
