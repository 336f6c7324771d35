import CommandLineKit
import JSON5

/// A job file with its values filled in and checked.
struct Job {
  /// Its name in reports and metrics, from its file name.
  var name: String
  var about: String?
  /// The values that the file declares, as they were set.
  var values: [String: [String]]
  var steps: [JobStep]
  /// The file of the report.
  var report: String?
  /// The file of the metrics.
  var metrics: String?
}

struct JobStep {
  /// What happens if the step fails.
  enum Failure: String, CaseIterable {
    case stop
    /// The next steps run, and the job fails in the end.
    case goOn = "continue"
  }

  let command: Command
  /// The values of the command's parameters as they would be typed.
  let texts: [String: [String]]
  let arguments: Arguments
  /// The exit codes that are not failures, besides success.
  let accepted: Set<ExitCode>
  let failure: Failure
  /// The file for the standard output of the command.
  let output: String?

  var line: [String] {
    var words = ["travelog", command.name]
    for parameter in command.parameters where !parameter.isPositional {
      for text in texts[parameter.name] ?? [] {
        words.append("--\(parameter.name)")
        if parameter.arity != .none { words.append(text) }
      }
    }
    return words
      + command.parameters.filter(\.isPositional).flatMap { texts[$0.name] ?? [] }
  }
}
