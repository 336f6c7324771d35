import CommandLineKit
import JSON5

/// A job file that was checked and whose values are filled in.
struct Job {
  /// The name of the job in reports and metrics; it is the file's name without its extension.
  var name: String
  var about: String?
  /// The values that the file declares, replaced by the values from the command line.
  var values: [String: [String]]
  var steps: [JobStep]
  /// The file of the report.
  var report: String?
  /// The file of the metrics.
  var metrics: String?
}

struct JobStep {
  /// The reaction to a failure of the step.
  enum Failure: String, CaseIterable {
    case stop
    /// If a step fails, the next steps still run, and the job fails at its end.
    case goOn = "continue"
  }

  let command: Command
  /// The values of the command's parameters, spelled as on a command line.
  let texts: [String: [String]]
  let arguments: Arguments
  /// The exit codes, besides success, that are not failures.
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
