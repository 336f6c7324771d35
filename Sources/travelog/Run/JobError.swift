import Changes
import CommandLineKit
import JSON5

/// An error in a job file, with its position in the file.
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

  var shown: CommandError {
    CommandError(.unreadable, wording: "\(path):\(position): " + wording + "\nNothing was done.")
  }

  private var wording: Wording {
    switch reason {
    case .notJSON(let message): "\(message)"
    case .noSteps: "There are no steps."
    case .notSteps: "“steps” must be a list with at least one step."
    case .notAnObject(let what): "Expected \(what): an object in braces."
    case .unknownMember(let name, let what, let known):
      "\(what.prefix(1).uppercased() + what.dropFirst()) does not have a key \(quotedValue(name))."
        + "\n\(guess(name, among: known))"
    case .notValues: "“values” must be an object with names and values."
    case .notTexts: "Expected a text, a number, or a list of texts and numbers."
    case .notOneText: "Expected one text."
    case .noBrace: "“${” is not closed by “}”."
    case .unknownValue(let name, let known):
      "The job does not declare a value \(quotedValue(name)).\n\(guess(name, among: known))"
    case .severalValues(let name, let count):
      "\(quotedValue(name)) has \(counted(Int64(count), noun: "value")), so a text that uses it"
        + " must not contain anything else."
    case .noCommand: "The step does not have a “do” with its command."
    case .unknownCommand(let name):
      "A step can't run \(quotedValue(name)).\n\(guess(name, among: jobCommands))"
    case .usage(let error): "\(error.message)" + (error.hint.map { "\n\($0)" } ?? "")
    case .unknownExitCode(let word):
      "There is no exit status \(quotedValue(word)).\n\(guess(word, among: ExitCode.all.map(\.name)))"
    case .unknownReaction(let word):
      "“on_failure” must be stop or continue, not \(quotedValue(word))."
    case .notABoolean(let key): "“\(key)” must be true or false."
    case .takesOneValue(let key): "“\(key)” takes one value, not several."
    case .noStream: "A step can't use - for standard input or output.\nName a file."
    }
  }
}
