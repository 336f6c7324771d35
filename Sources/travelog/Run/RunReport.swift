import Changes
import CommandLineKit
import FoundationEssentials
import Glibc

/// The report of a run, which is archived and which `--json` writes.
struct RunReport: Codable {
  struct Step: Codable {
    struct Failure: Codable {
      let code: Int32
      let name: String
      let message: String
      let hint: String?
    }

    let step: Int
    let command: String
    let line: [String]
    /// The state of the step: done, failed, planned or skipped.
    var state: String
    var started: String?
    var seconds: Double?
    var code: Int32?
    var name: String?
    var output: String?
    var answers: [JSONValue]
    var answersLeftOut: Int
    var messages: [String]
    var error: Failure?
  }

  var schema = 1
  var type = "run"
  let job: String
  let file: String
  let about: String?
  let version: String
  let host: String
  let dryRun: Bool
  let started: String
  var seconds: Double
  var code: Int32
  var name: String
  let values: [String: [String]]
  var steps: [Step]

  init(_ job: Job, file: String, isDryRun: Bool, started: Date) {
    self.job = job.name
    self.file = file
    about = job.about
    version = Travelog.program.version
    host = hostName
    dryRun = isDryRun
    self.started = timeText(started)
    seconds = 0
    code = ExitCode.success.number
    name = ExitCode.success.name
    values = job.values
    steps = job.steps.enumerated().map { index, step in
      Step(
        step: index + 1,
        command: step.command.name,
        line: step.line,
        state: isDryRun ? "planned" : "skipped",
        output: step.output,
        answers: [],
        answersLeftOut: 0,
        messages: []
      )
    }
  }

  /// Adds the result of a step to the report.
  mutating func note(_ result: StepResult, ofStep index: Int) {
    steps[index].state = result.isAccepted ? "done" : "failed"
    steps[index].started = timeText(result.started)
    steps[index].seconds = result.seconds
    steps[index].code = result.code.number
    steps[index].name = result.code.name
    steps[index].answers = result.answers
    steps[index].answersLeftOut = result.answersLeftOut
    steps[index].messages = result.messages
    steps[index].error = result.error.map {
      Step.Failure(code: $0.code.number, name: $0.code.name, message: $0.message, hint: $0.hint)
    }
  }
}
