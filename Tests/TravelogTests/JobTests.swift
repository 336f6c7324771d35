import Foundation
import Store
import StoreTesting
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

  /// Runs the line for cron that a job has in its comments, in an empty environment, on files in a
  /// folder; the job itself is as it is shipped.
  private func cron(_ job: String, in folder: URL, _ more: String = "") throws -> Run {
    let text = try String(contentsOfFile: "\(pipelines)/\(job).json5", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.contains("* *") })
    let command = try #require(line.range(of: "/usr/bin/travelog")).lowerBound
    let typed = line[command...].replacing("/usr/bin/travelog", with: "\(products)/travelog")
      .replacing("/usr/share/travelog/pipelines", with: pipelines)
      .replacing("/srv/trips", with: folder.path)
    return try run(
      try #require(installed("env")),
      ["-i", "/bin/sh", "-c", "cd / && \(typed) \(more)"]
    )
  }

  private func reports(in folder: URL, of job: String) throws -> [RunReport] {
    let path = folder.path + "/reports"
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
      .filter { $0.hasPrefix(job) && $0.hasSuffix(".json") }
      .map { name in
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        return try JSONDecoder().decode(RunReport.self, from: data)
      }
  }

  @Test("each job that is shipped runs whole as cron runs it, silent, and reports what it did")
  func shipped() throws {
    try withStore { folder, store, world in
      let metrics = folder.path + "/metrics.prom"
      let figures = folder.path + "/figures.prom"
      for round in 1...2 {
        let night = try cron(
          "nightly-export",
          in: folder,
          "--set metrics=\(metrics) --set figures=\(figures)"
        )
        #expect(night.code == 0 && night.output + night.errors == "", "\(night.errors)")
        let replay = try cron("offline-replay", in: folder)
        #expect(replay.code == 0 && replay.output + replay.errors == "", "\(replay.errors)")
        let audit = try cron("weekly-audit", in: folder)
        #expect(audit.code == 0 && audit.output + audit.errors == "", "\(audit.errors)")
        let replica = folder.path + "/replica.store"
        #expect(try travelog("diff", store.location.path, replica).code == 0)
        let text = try String(contentsOfFile: metrics, encoding: .utf8)
        #expect(text.contains("travelog_job_last_exit_code{pipeline=\"nightly-export\"} 0\n"))
        #expect(
          try String(contentsOfFile: figures, encoding: .utf8).contains("travelog_lag_transactions")
        )
        if round == 1 { for _ in 0..<5 { try world.write(to: store) } }
        // The names of reports have the second in them.
        Thread.sleep(forTimeInterval: 1.1)
      }
      let nights = try reports(in: folder, of: "nightly-export")
      #expect(nights.count == 2)
      for report in nights {
        #expect(report.steps.map(\.command) == ["export", "verify", "prune", "status"])
        #expect(report.steps.allSatisfy { $0.state == "done" && !$0.answers.isEmpty })
      }
      #expect(nights.first?.steps.first?.answers.first?.integer("transactions") ?? 0 > 0)
      let audits = try reports(in: folder, of: "weekly-audit")
      #expect(audits.count == 2)
      let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/reports")
        .filter { $0.hasSuffix(".html") }
      #expect(pages.count == 4, "\(pages)")
    }
  }

  @Test("a step that fails ends the job with its code, and the last success stays in the metrics")
  func failure() throws {
    try withStore { folder, store, _ in
      let metrics = folder.path + "/metrics.prom"
      func line(_ name: String) throws -> String? {
        try String(contentsOfFile: metrics, encoding: .utf8).split(separator: "\n")
          .first { $0.hasPrefix(name) }.map(String.init)
      }
      func night() throws -> Run {
        try cron("nightly-export", in: folder, "--metrics-file \(metrics)")
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
      #expect(failed.errors.contains("nightly-export, step 2 of 4, verify: "))
      #expect(try line(success) == before)
      #expect(try line("travelog_job_last_exit_code{")?.hasSuffix(" 1") == true)
      #expect(try line("travelog_job_failed_steps{")?.hasSuffix(" 1") == true)
      let report = try #require(try reports(in: folder, of: "nightly-export").last)
      #expect(report.steps.map(\.state) == ["done", "failed", "skipped", "skipped"])
      #expect(report.code == 1 && report.name == "found")
      #expect(try store.read { try $0.historyRange() }.oldest == 1)

      // A job that is not even begun says so there too, and keeps the last success.
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

  /// Each would end what it stands in, were it not escaped; a quote is one character with its accent.
  private let oddNames = [
    "a'\u{301}b", "\"\u{301}", "back\\slash", "two\nlines", "$(date) `date`", "é *",
  ]

  @Test("the command lines that a dry run prints are what a shell reads")
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

  @Test("a job's name is one label of its series, whatever is in it")
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
    "what is wrong in a job is said with line and column, and nothing is done",
    arguments: [
      ("{\n  stesp: []\n}", "2:3", "steps"),
      ("{ steps: [{ do: 'exprot' }] }", "1:17", "export"),
      ("{ steps: [{ do: 'undo' }] }", "1:17", "No step can be"),
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

  @Test("values have to be set by their right names, and a dry run shows each command line")
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
      "kep=1d"
    )
    #expect(unknown.code == 64 && unknown.errors.contains("“keep”"), "\(unknown.errors)")
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
        travelog prune --logs l --keep 30d --lock-wait 10m 'a b'
        travelog status --logs l --max-lag 1h 'a b'

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
    let report = try JSONDecoder().decode(RunReport.self, from: Data(json.output.utf8))
    #expect(report.dryRun && report.steps.allSatisfy { $0.state == "planned" })
  }

  @Test("a step may fail and the next go on; ways to end may be accepted")
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
      let report = try JSONDecoder().decode(RunReport.self, from: Data(run.output.utf8))
      #expect(report.steps.map(\.state) == ["failed", "done", "done", "done"])
      #expect(report.steps.map(\.name) == ["missing", "success", "empty", "found"])
      #expect(report.steps[0].error?.code == 10)
      let again = try travelog("run", "-", input: Data(text.utf8))
      #expect(again.code == 0, "\(again.errors)")
    }
  }

  @Test("no command of a job has two parameters of one key")
  func keys() throws {
    for name in jobCommands {
      let command = try #require(
        Travelog.program.command.subcommands.first { $0.name == name }
      )
      let keys = command.parameters.map { jobKey(of: $0) }
      #expect(Set(keys).count == keys.count, "\(name): \(keys)")
    }
  }

  @Test("the units of systemd are found right by systemd, where it is there")
  func units() throws {
    let folder = "\(pipelines)/systemd"
    let units = try FileManager.default.contentsOfDirectory(atPath: folder)
    let jobs = try FileManager.default.contentsOfDirectory(atPath: pipelines)
      .filter { $0.hasSuffix(".json5") }.map { $0.replacing(".json5", with: "") }
    #expect(jobs.count == 3)
    for job in jobs {
      #expect(units.contains("travelog-\(job).service") && units.contains("travelog-\(job).timer"))
    }
    guard let analyze = installed("systemd-analyze") else { return }
    try withTemporaryFolder { copies in
      for unit in units {
        // The program is where the package puts it, which is not there in a test.
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
