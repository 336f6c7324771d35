import CommandLineKit
import JSON5

/// A job file that was checked and whose values are filled in.
struct Job {
  /// The name of the job in reports and metrics, which is the file's name without its extension.
  var name: String
  var about: String?
  /// The values that the job file declares; values from the command line replace them.
  var values: [String: [String]]
  var steps: [JobStep]
  /// The path of the report.
  var report: String?
  /// The path of the metrics file.
  var metrics: String?
}

struct JobStep {
  /// What the job does if this step fails.
  enum Failure: String, CaseIterable {
    case stop
    /// The next steps run, and the job fails after its last step.
    case goOn = "continue"
  }

  let command: Command
  /// The values of the command's parameters, as they would be written on a command line.
  let texts: [String: [String]]
  let arguments: Arguments
  /// The exit codes that do not count as failures, besides success.
  let accepted: Set<ExitCode>
  let failure: Failure
  /// The path of the file for the command's standard output.
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
