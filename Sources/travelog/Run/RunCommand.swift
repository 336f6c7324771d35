import ChangeLog
import CommandLineKit
import FoundationEssentials

extension Travelog {
  static let job = Parameter<String>.positional(
    "JOB",
    type: .file,
    help: "The file of the job, as JSON5; - reads standard input."
  )
  static let settings = Parameter<[Assignment]>.repeated(
    "set",
    type: .setting,
    help: "Set a value of the job."
  )
  static let metricsFile = Parameter<String?>.optional(
    "metrics-file",
    type: .file,
    help: "Write figures for Prometheus' textfile collector here, whatever the job says."
  )

  static let runCommand = Command(
    "run",
    summary: "Does the steps of a job: export, verify, prune and so on, one after the other.",
    discussion: "A job is a file of JSON5; \(PackageFolders.documentation)/JOBS.md says what it may"
      + " have. All of it is checked before anything is done. A step that fails ends the job, unless the file says otherwise,"
      + " and the job ends as the first step that failed did.",
    examples: [
      .init(
        "travelog run \(PackageFolders.jobs)/nightly-export.json5 --set store=trips.store"
          + " --set logs=logs --set reports=reports",
        meaning: "Export and verify, as cron would."
      ),
      .init(
        "travelog run job.json5 --set store=trips.store --dry-run",
        meaning: "Check the job, and see what it would do."
      ),
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
      // There is none before the first run.
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
        // Of two errors, the one that came first decides how the run ends.
        try call.warn("\(shown(second))")
      }
      throw error
    }
    try writeFigures()
    return code
  }

  /// Does the steps one after the other, and says how the first that failed ended.
  private static func perform(
    _ job: Job,
    call: Call,
    report: inout RunReport
  ) throws -> ExitCode {
    var code = ExitCode.success
    for (index, step) in job.steps.enumerated() {
      let result = step.run()
      report.note(result, ofStep: index)
      for message in result.messages { try call.messages.writeLine(message) }
      let title = "\(job.name), step \(index + 1) of \(job.steps.count), \(step.command.name)"
      if result.isAccepted {
        try call.summarize(
          "\(title): \(result.code.name) in \(Duration.seconds(result.seconds).formatted())"
        )
        continue
      }
      let reason = result.error.map { "\($0)" } ?? "\(result.code.meaning) (\(result.code.number))"
      try call.messages.writeLine("\(call.messages.style.red(title)): \(reason)")
      if code == .success { code = result.code }
      let wasStopped = result.code == .interrupted || result.code == .terminated
      if wasStopped { return result.code }
      if step.failure == .stop { break }
    }
    return code
  }

  /// Refuses places that nothing could be written to, while nothing is done yet.
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

/// A command line as it can be typed into a shell.
private func shellLine(_ words: [String]) -> String {
  words.map { word in
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        let scalar = Unicode.Scalar(byte)
        return "+,-./:=@_%".unicodeScalars.contains(scalar) || "0"..."9" ~= scalar
          || "a"..."z" ~= scalar || "A"..."Z" ~= scalar
      }
    // By scalars: a quote that an accent follows is one character with it.
    return isPlain
      ? word : "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }.joined(separator: " ")
}

/// A time as it can stand in the name of a file: `20261103T081500Z`.
private func compactTime(_ date: Date) -> String {
  date.formatted(.iso8601).replacing("-", with: "").replacing(":", with: "")
}

extension CommandLineKit.ValueType where Value == Assignment {
  /// A value of a job and its name; it may be empty.
  static let setting = CommandLineKit.ValueType<Assignment>(
    placeholder: "NAME=VALUE",
    forms: "the name of a value of the job and the value as store=trips.store",
    parse: assignment.parse
  )
}
