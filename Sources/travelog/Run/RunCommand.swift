import ChangeLog
import CommandLineKit
import FoundationEssentials

extension Travelog {
  static let job = Parameter<String>.positional(
    "JOB",
    type: .file,
    help: "The job, a JSON5 file; - reads standard input."
  )
  static let settings = Parameter<[Assignment]>.repeated(
    "set",
    type: .setting,
    help: "Set a value that the job declares."
  )
  static let metricsFile = Parameter<String?>.optional(
    "metrics-file",
    type: .file,
    help: "Write metrics for Prometheus' textfile collector to this file."
  )

  static let runCommand = Command(
    "run",
    summary: "Runs the steps of a job, such as export, verify and prune.",
    discussion:
      "A job is a JSON5 file; \(PackageFolders.documentation)/JOBS.md describes the format. The "
      + "whole file is checked before the first step. A step that fails ends the job, unless the "
      + "step has on_failure: continue. The exit status of the job is the exit status of the "
      + "first step that failed.",
    examples: [
      "travelog run \(PackageFolders.jobs)/nightly-export.json5 --set store=trips.store --set logs=logs --set reports=reports":
        "Run a job that exports and verifies, for example from cron.",
      "travelog run job.json5 --set store=trips.store --dry-run":
        "Check a job, and show what the job would do.",
    ],
    parameters: [job, settings, metricsFile, dryRun],
    exitCodes: ExitCode.all
  ) { call in
    let given = call.arguments
    let started = Date()
    let clock = ContinuousClock.now
    var metrics = given[metricsFile]
    var name = JobReader.name(of: given[Travelog.job])
    var report: RunReport?
    var code = ExitCode.failure
    func writeFigures() throws {
      guard let metrics, !given[dryRun] else { return }
      // Before the first run, the file does not exist.
      let before = (try? String(contentsOfFile: metrics, encoding: .utf8)) ?? ""
      let text = prometheusText(
        ofJob: name,
        ended: Date(),
        seconds: (ContinuousClock.now - clock).seconds,
        code: code,
        report: report,
        before: before
      )
      try writeMetrics(text, to: metrics)
    }
    do {
      var values: [String: [String]] = [:]
      for setting in given[settings] { values[setting.name, default: []].append(setting.value) }
      var reader = JobReader(
        path: given[Travelog.job],
        settings: values,
        started: compactTime(started)
      )
      let job = try reader.read()
      name = job.name
      metrics = metrics ?? job.metrics
      try checkPlaces(of: job, metrics: metrics, isDryRun: given[dryRun])
      var made = RunReport(
        job,
        file: given[Travelog.job],
        isDryRun: given[dryRun],
        started: started
      )
      code = try given[dryRun] ? .success : perform(job, call: call, report: &made)
      made.code = code.number
      made.name = code.name
      made.seconds = (ContinuousClock.now - clock).seconds
      report = made
      if let path = job.report, !given[dryRun] {
        try writeDurably(answerLine(made), to: path, isForAll: true)
      }
      if given[json] {
        try call.answer(made)
      } else if given[dryRun], !given[quiet] {
        for step in made.steps { try call.output.writeLine(shellLine(step.line)) }
      }
    } catch {
      code = shown(error).code
      do {
        try writeFigures()
      } catch let second {
        // The first error decides the exit code.
        try call.report(shown(second))
      }
      throw error
    }
    try writeFigures()
    return code
  }

  /// Runs the steps in order, and returns the exit code of the first step that failed.
  private static func perform(
    _ job: Job,
    call: Call,
    report: inout RunReport
  ) throws -> ExitCode {
    var code = ExitCode.success
    for (index, step) in job.steps.enumerated() {
      let result = step.run()
      report.note(result, ofStep: index)
      for message in result.messages { try call.messages.showLine(message) }
      let title = "\(job.name), step \(index + 1) of \(job.steps.count), \(step.command.name)"
      if result.isAccepted {
        try call.summarize(
          "\(title): \(result.code.name) in \(Duration.seconds(result.seconds).formatted())"
        )
        continue
      }
      let reason = reason(result, of: step, report: job.report)
      if call.arguments[json] {
        let hint = result.error?.hint
        let message = result.error?.message ?? reason
        try call.report(CommandError(result.code, message: "\(title): \(message)", hint: hint))
      } else {
        try call.messages.showLine("\(call.messages.style.red(title)): \(reason)")
      }
      if code == .success { code = result.code }
      let wasStopped = result.code == .interrupted || result.code == .terminated
      if wasStopped { return result.code }
      if step.failure == .stop { break }
    }
    return code
  }

  /// The reason why a step failed: its error, or its findings and the path of the file that lists
  /// them.
  private static func reason(_ result: StepResult, of step: JobStep, report: String?) -> String {
    if let error = result.error { return "\(error)" }
    let counts = ["inserted", "updated", "deleted"].compactMap { result.answers.last?.integer($0) }
    let differing = counts.reduce(0, +)
    let what =
      step.command.name == "diff" && result.code == .found && differing > 0
      ? "\(counted(differing, noun: "object")) \(differing == 1 ? "differs" : "differ")"
      : "\(result.code.meaning) (exit status \(result.code.number))"
    return what
      + (((result.code == .found ? step.output : nil) ?? report).map { "; see \($0)" } ?? "")
  }

  /// Throws before the first step if a file of the job can't be written.
  private static func checkPlaces(of job: Job, metrics: String?, isDryRun: Bool) throws {
    if let metrics { try checkMetricsName(metrics) }
    guard !isDryRun else { return }
    let outputs = job.steps.flatMap { step in
      [step.output].compactMap(\.self) + (step.texts[prometheus.declaration.name] ?? [])
    }
    for path in [job.report, metrics].compactMap(\.self) + outputs {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      } catch {
        throw TravelogError.noFolder(folder.path, error)
      }
    }
  }
}

/// A command line whose words are quoted for a shell.
func shellLine(_ words: [String]) -> String {
  words.map { word in
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        let scalar = Unicode.Scalar(byte)
        return "+,-./:=@_%".unicodeScalars.contains(scalar) || "0"..."9" ~= scalar
          || "a"..."z" ~= scalar || "A"..."Z" ~= scalar
      }
    // Scalars are compared instead of characters, because a quote with a combining accent is one
    // character.
    return isPlain
      ? word : "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }.joined(separator: " ")
}

/// A time for file names, such as `20261103T081500Z`.
private func compactTime(_ date: Date) -> String {
  date.formatted(.iso8601).replacing("-", with: "").replacing(":", with: "")
}

extension CommandLineKit.ValueType where Value == Assignment {
  static let setting = CommandLineKit.ValueType<Assignment>(
    placeholder: "NAME=VALUE",
    forms: "a name and a value such as store=trips.store",
    parse: assignment.parse
  )
}
