import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

@testable import travelog

@Suite("Jobs")
struct JobTests {
  private let pipelines = packageRoot.appendingPathComponent("Pipelines").path

  private func withStore(_ body: (URL, Store, inout HistoryWorld) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "jobs"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("trips.store")),
        schema: worldSchema
      )
      for _ in 0..<15 { try world.write(to: store) }
      try body(folder, store, &world)
    }
  }

  /// Runs the line for cron from a supplied job's comment, in an empty environment, with files in a
  /// folder.
  private func cron(_ job: String, in folder: URL, _ more: String = "") throws -> Run {
    let text = try String(contentsOfFile: "\(pipelines)/\(job).json5", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.contains("* *") })
    let command = try #require(line.range(of: "/usr/bin/travelog")).lowerBound
    let typed = line[command...].replacing("/usr/bin/travelog", with: "\(products)/travelog")
      .replacing("/usr/share/travelog/pipelines", with: pipelines)
      .replacing("/srv/trips", with: folder.path.replacing(" ", with: "\\ "))
    return try run(
      try #require(installed("env")),
      ["-i", "/bin/sh", "-c", "umask 027; cd / && \(typed) \(more)"]
    )
  }

  private func reports(in folder: URL, of job: String) throws -> [RunReport] {
    let path = folder.path + "/reports"
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
      .filter { $0.hasPrefix(job) && $0.hasSuffix(".json") }
      .map { name in
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        return try runReport(data)
      }
  }

  @Test("Each supplied job runs completely and silently under cron, and reports its results.")
  func shipped() throws {
    try withStore { folder, store, world in
      for round in 1...2 {
        for job in ["nightly-export", "retention", "offline-replay", "weekly-audit"] {
          let run = try cron(job, in: folder)
          #expect(run.code == 0 && run.output + run.errors == "", "\(job): \(run.errors)")
        }
        if round == 1 { for _ in 0..<5 { try world.write(to: store) } }
        // Names of reports have a resolution of one second.
        Thread.sleep(forTimeInterval: 1.1)
      }
      for (job, steps) in [
        ("nightly-export", ["export", "verify", "status"]), ("retention", ["prune"]),
        ("weekly-audit", ["verify", "check", "report"]),
      ] {
        let reports = try reports(in: folder, of: job)
        #expect(reports.count == 2)
        for report in reports {
          #expect(report.steps.map(\.command) == steps)
          #expect(report.steps.allSatisfy { $0.state == "done" })
        }
      }
      let night = try #require(try reports(in: folder, of: "nightly-export").first)
      #expect(night.steps[0].answers.first?.integer("transactions") ?? 0 > 0)
      let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/reports")
        .filter { $0.hasSuffix(".html") }
      #expect(pages.count == 2, "\(pages)")
      try expectMetrics(in: folder.path + "/metrics")
    }
  }

  /// Expects a file of metrics for each job and one for the store, readable for other users, with
  /// every series that the alerts use.
  private func expectMetrics(in metrics: String) throws {
    let jobs = ["nightly-export", "offline-replay", "retention", "weekly-audit"]
    let files = jobs.map { "\($0).prom" } + ["nightly-export-store.prom"]
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: metrics).sorted() == files.sorted()
    )
    var text = ""
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(metrics)/\(file)")
      #expect(attributes[.posixPermissions] as? Int == 0o644, "\(file)")
      text += try String(contentsOfFile: "\(metrics)/\(file)", encoding: .utf8)
    }
    for job in jobs {
      #expect(text.contains("travelog_job_last_exit_code{pipeline=\"\(job)\"} 0\n"))
    }
    let alerts = try String(contentsOfFile: "\(pipelines)/travelog-alerts.yml", encoding: .utf8)
    for series in alerts.matches(of: /travelog_\w+/) {
      #expect(text.contains("\n\(series.output){"), "\(series.output)")
    }
    for pipeline in alerts.matches(of: /pipeline="([^"]+)"/) {
      #expect(jobs.contains(String(pipeline.output.1)))
    }
  }

  @Test("Export, retention and audit print nothing in any order, while an app writes to the store.")
  func anyOrder() throws {
    try withStore { folder, store, world in
      // Each job runs once after each other one.
      for job in [
        "nightly-export", "retention", "weekly-audit", "nightly-export", "weekly-audit",
        "retention", "nightly-export",
      ] {
        let run = try cron(job, in: folder, job == "retention" ? "--set keep=0s" : "")
        #expect(run.code == 0 && run.output + run.errors == "", "\(job): \(run.errors)")
        for _ in 0..<2 { try world.write(to: store) }
      }
      let oldest = try store.read { try $0.historyRange().oldest } ?? 0
      #expect(oldest > 1)
      // The audit has compared all rows, also those whose history is only in the logs.
      for report in try reports(in: folder, of: "weekly-audit") {
        #expect(report.steps[1].command == "check")
        #expect(report.steps[1].answers.first?.integer("unknown") == 0)
      }
    }
  }

  @Test("A job whose logs are missing, because a disk is not mounted, exports nothing and says so.")
  func unmounted() throws {
    try withStore { folder, _, _ in
      #expect(try cron("nightly-export", in: folder).code == 0)
      let logs = folder.path + "/logs"
      try FileManager.default.moveItem(atPath: logs, toPath: folder.path + "/disk")
      for isThere in [false, true] {
        if isThere {
          try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: false)
        }
        let night = try cron("nightly-export", in: folder)
        #expect(night.code == 10)
        #expect(night.errors.contains("Is the disk with the logs mounted?"), "\(night.errors)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: logs) == [])
    }
  }

  @Test("A step that fails ends the job with its code, and the metrics keep the last success.")
  func failure() throws {
    try withStore { folder, _, _ in
      let metrics = folder.path + "/metrics.prom"
      func line(_ name: String) throws -> String? {
        try String(contentsOfFile: metrics, encoding: .utf8).split(separator: "\n")
          .first { $0.hasPrefix(name) }.map(String.init)
      }
      func night() throws -> Run {
        try cron("nightly-export", in: folder, "--metrics-file '\(metrics)'")
      }
      let success = "travelog_job_last_success_timestamp_seconds{"
      #expect(try night().code == 0)
      let before = try line(success)
      #expect(before?.hasSuffix(" 0") == false)
      let logs = folder.path + "/logs"
      let log = try #require(
        FileManager.default.subpathsOfDirectory(atPath: logs).first { $0.hasSuffix(".gz") }
      )
      let url = URL(fileURLWithPath: "\(logs)/\(log)")
      var bytes = try Data(contentsOf: url)
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: url)
      Thread.sleep(forTimeInterval: 1.1)
      let failed = try night()
      #expect(failed.code == 1, "\(failed.errors)")
      #expect(failed.errors.contains("nightly-export, step 2 of 3, verify: "))
      // The mail names the log.
      #expect(failed.errors.contains("damaged: ") && failed.errors.contains(log))
      #expect(try line(success) == before)
      #expect(try line("travelog_job_last_exit_code{")?.hasSuffix(" 1") == true)
      #expect(try line("travelog_job_failed_steps{")?.hasSuffix(" 1") == true)
      let report = try #require(try reports(in: folder, of: "nightly-export").last)
      #expect(report.steps.map(\.state) == ["done", "failed", "skipped"])
      #expect(report.code == 1 && report.name == "found")

      // A job that can't start reports that too, and keeps the last success.
      let none = try travelog(
        "run",
        "\(pipelines)/nightly-export.json5",
        "--metrics-file",
        metrics
      )
      #expect(none.code == 64)
      #expect(try line(success) == before)
      #expect(try line("travelog_job_last_exit_code{")?.hasSuffix(" 64") == true)
    }
  }

  /// Names that need escaping in labels; a quote with a combining accent is one character.
  private let oddNames = [
    "a'\u{301}b", "\"\u{301}", "back\\slash", "two\nlines", "$(date) `date`", "é *",
  ]

  @Test("A shell can read the command lines that a dry run prints.")
  func printedLines() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/job.json5"
      try Data(
        "{ steps: [{ do: 'verify', with: { logs: '${logs}' } }], values: { logs: null } }".utf8
      ).write(to: URL(fileURLWithPath: path))
      for name in oddNames {
        let printed = try travelog("run", path, "--set", "logs=\(folder.path)/\(name)", "--dry-run")
        #expect(printed.code == 0, "\(printed.errors)")
        let read = try run(
          "/bin/sh",
          ["-c", "travelog() { printf '%s\\0' \"$@\"; }\n" + printed.output]
        )
        let words = read.output.split(separator: "\0").map { Array($0.utf8) }
        #expect(words.contains(Array("\(folder.path)/\(name)".utf8)), "\(printed.output)")
      }
    }
  }

  @Test("A job's name is one label of its metrics, whatever characters it has.")
  func labels() {
    for (name, label) in zip(
      oddNames,
      ["a'\u{301}b", "\\\"\u{301}", "back\\\\slash", "two\\nlines", "$(date) `date`", "é *"]
    ) {
      let text = prometheusText(
        ofJob: name,
        ended: Date(timeIntervalSince1970: 1),
        seconds: 2,
        code: .success,
        report: nil,
        before: ""
      )
      let series = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      #expect(series.count == 8)
      for line in series {
        let labels = Array("{pipeline=\"\(label)\"} ".utf8)
        #expect(Array(line.utf8.drop { $0 != UInt8(ascii: "{") }).starts(with: labels), "\(line)")
      }
    }
  }

  @Test(
    "The error of a wrong job names the line and column, and nothing is done.",
    arguments: [
      ("{\n  stesp: []\n}", "2:3", "steps"),
      ("{ steps: [{ do: 'exprot' }] }", "1:17", "export"),
      ("{ steps: [{ do: 'undo' }] }", "1:17", "A step can't run"),
      ("{ steps: [{ do: 'export', with: {\n stroe: 'a', to: 'b' } }] }", "2:2", "store"),
      (
        "{ steps: [{ do: 'export', with: { store: 'a', to: 'b',\n level: 10 } }] }", "2:9", "1 to 9"
      ),
      ("{ steps: [{ do: 'export', with: { store: 'a', to: 'b', snapshot: 1 } }] }", "1:66", "true"),
      ("{ steps: [{ do: 'export', with: { store: 'a', to: '-' } }] }", "1:51", "standard"),
      ("{ steps: [{ do: 'export', with: { to: 'b' } }] }", "1:11", "STORE"),
      (
        "{ steps: [{ do: 'verify', with: { logs: '${lgos}' } }], values: { logs: 'x' } }", "1:41",
        "logs"
      ),
      ("{ steps: [{ do: 'verify', with: { logs: 'x' }, accept: 'fuond' }] }", "1:56", "found"),
      ("{ steps: [{ do: 'verify', with: { logs: 'x' }, on_failure: 'go' }] }", "1:60", "stop"),
      ("{ steps: [] }", "1:10", "at least one"),
      ("{ steps: 1, }", "1:10", "list"),
      ("{ }", "1:1", "steps"),
      ("[]", "1:1", "a job"),
      ("{ steps: [{ do: 'verify', with: { logs: [] } }] }", "1:11", "LOGS"),
      ("{\n\n  oh no }", "3:6", ":"),
    ]
  )
  func refusals(text: String, place: String, words: String) throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/job.json5"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let run = try travelog("run", path)
      #expect(run.code == 4, "\(run.errors)")
      #expect(run.errors.contains("job.json5:\(place): "), "\(run.errors)")
      #expect(run.errors.contains(words), "\(run.errors)")
      #expect(run.errors.contains("Nothing was done."))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["job.json5"])
    }
  }

  @Test("Values are set by their exact names, and a dry run shows each command line.")
  func values() throws {
    let job = "\(pipelines)/nightly-export.json5"
    let missing = try travelog("run", job, "--set", "store=a")
    #expect(missing.code == 64 && missing.errors.contains("--set logs=VALUE"), "\(missing.errors)")
    let wrong = try travelog("run", job, "--set", "stroe=a")
    #expect(wrong.code == 64)
    let unknown = try travelog(
      "run",
      job,
      "--set",
      "store=a",
      "--set",
      "logs=b",
      "--set",
      "reports=c",
      "--set",
      "patince=1m"
    )
    #expect(unknown.code == 64 && unknown.errors.contains("“patience”"), "\(unknown.errors)")
    let dry = try travelog(
      "run",
      job,
      "--set",
      "store=a b",
      "--set",
      "logs=l",
      "--set",
      "reports=r",
      "--dry-run"
    )
    #expect(dry.code == 0, "\(dry.errors)")
    #expect(
      dry.output == """
        travelog export --to l --lock-wait 10m 'a b'
        travelog verify l
        travelog status --logs l --max-lag 1h --prometheus r/nightly-export-store.prom 'a b'

        """
    )
    let json = try travelog(
      "run",
      job,
      "--set",
      "store=a",
      "--set",
      "logs=l",
      "--set",
      "reports=r",
      "-n",
      "--json"
    )
    let report = try runReport(Data(json.output.utf8))
    #expect(report.dryRun && report.steps.allSatisfy { $0.state == "planned" })
  }

  @Test("A job may continue after a failing step, and may accept exit codes.")
  func policies() throws {
    try withStore { folder, store, _ in
      let job = folder.path + "/job.json5"
      let text = """
        { values: { store: '\(store.location.path)', logs: '\(folder.path)/logs' }, steps: [
          { do: 'verify', with: { logs: '${logs}' }, on_failure: 'continue' },
          { do: 'export', with: { store: ['${store}'], to: '${logs}', error_if_empty: true },
            accept: ['empty'] },
          { do: 'export', with: { store: '${store}', to: '${logs}', error_if_empty: true },
            accept: ['empty'] },
          { do: 'diff', with: { a: '${store}@3', b: '${store}' }, accept: 'found' },
        ] }
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: job))
      let run = try travelog("run", job, "--json")
      #expect(run.code == 10, "\(run.errors)")
      let report = try runReport(Data(run.output.utf8))
      #expect(report.steps.map(\.state) == ["failed", "done", "done", "done"])
      #expect(report.steps.map(\.name) == ["missing", "success", "empty", "found"])
      #expect(report.steps[0].error?.code == 10)
      let again = try travelog("run", "-", input: Data(text.utf8))
      #expect(again.code == 0, "\(again.errors)")
    }
  }

  @Test("No command of a job has two parameters with the same key.")
  func keys() throws {
    for name in jobCommands {
      let command = try #require(
        Travelog.program.command.subcommands.first { $0.name == name }
      )
      let keys = command.parameters.map { jobKey(of: $0) }
      #expect(Set(keys).count == keys.count, "\(name): \(keys)")
    }
  }

  @Test("systemd, if it is installed, accepts its units.")
  func units() throws {
    let folder = "\(pipelines)/systemd"
    let units = try FileManager.default.contentsOfDirectory(atPath: folder)
    let jobs = try FileManager.default.contentsOfDirectory(atPath: pipelines)
      .filter { $0.hasSuffix(".json5") }.map { $0.replacing(".json5", with: "") }
    #expect(jobs.count == 4)
    for job in jobs {
      #expect(units.contains("travelog-\(job).service") && units.contains("travelog-\(job).timer"))
    }
    guard let analyze = installed("systemd-analyze") else { return }
    try withTemporaryFolder { copies in
      for unit in units {
        // The program is not installed at its final path during a test.
        let text = try String(contentsOfFile: "\(folder)/\(unit)", encoding: .utf8)
          .replacing("/usr/bin/travelog", with: "\(products)/travelog")
        try Data(text.utf8).write(to: copies.appendingPathComponent(unit))
      }
      let verify = try run(
        analyze,
        ["verify", "--man=no"] + units.map { copies.appendingPathComponent($0).path },
        environment: ["PATH": "/usr/bin:/bin"]
      )
      let ours = verify.errors.split(separator: "\n").filter { $0.contains("travelog-") }
      #expect(ours == [], "\(ours)")
    }
  }
}

private func runReport(_ json: Data) throws -> RunReport {
  let decoder = JSONDecoder()
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  return try decoder.decode(RunReport.self, from: json)
}
