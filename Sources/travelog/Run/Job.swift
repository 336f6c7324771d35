import CommandLineKit
import JSON5

/// What `travelog run` does, as a file has it, with all values put in and checked.
struct Job {
  /// What it is called in reports and metrics: the name of its file.
  var name: String
  var about: String?
  /// The values of its file, as they were set.
  var values: [String: [String]]
  /// What is done, in this order.
  var steps: [JobStep]
  /// Where the report of a run goes.
  var report: String?
  /// Where the figures for Prometheus' textfile collector go.
  var metrics: String?
}

struct JobStep {
  /// What follows when it fails.
  enum Failure: String, CaseIterable {
    /// The job ends.
    case stop
    /// The next steps are done all the same; the job fails in the end.
    case goOn = "continue"
  }

  let command: Command
  /// The values of the command's parameters, as they would be typed, by their names.
  let texts: [String: [String]]
  let arguments: Arguments
  /// The ways to end that are no failure, besides success.
  let accepted: Set<ExitCode>
  let failure: Failure
  /// The file that gets what the command writes to standard output.
  let output: String?

  /// The command line that does the same.
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
