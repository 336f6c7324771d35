import Foundation
import ProcessTesting
import Store
import StoreTesting
import TestSupport
import Testing

/// Runs the scripts in `Pipelines` as cron does: in an empty environment with the settings of
/// docs/OPERATE.md, in another folder, with pipes for the output.
@Suite("Jobs")
struct JobScriptTests {
  private let jobs = ["nightly-export", "offline-replay", "retention", "weekly-audit"]
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
      for name in ["reports", "metrics"] {
        try FileManager.default.createDirectory(
          atPath: "\(folder.path)/\(name)",
          withIntermediateDirectories: false
        )
      }
      try body(folder, store, &world)
    }
  }

  /// The arguments of `env` for a job in the crontab of docs/OPERATE.md, with files in a folder.
  private func words(_ job: String, in folder: URL, _ settings: [String]) throws -> [String] {
    let page = try String(
      contentsOf: packageRoot.appending(path: "docs/OPERATE.md"),
      encoding: .utf8
    )
    let lines = page.components(separatedBy: "```").map { $0.split(separator: "\n") }
    let place = "  /usr/local/share/travelog/pipelines/\(job).sh"
    let table = try #require(lines.first { $0.contains { $0.hasSuffix(place) } })
    let documented = table.filter { $0.hasPrefix("TRAVELOG_") }
      .map { String($0).replacing("/srv/trips", with: folder.path) }
    let script = ["/bin/sh", "-c", "umask 027; cd / && exec '\(pipelines)/\(job).sh'"]
    return ["-i", "PATH=\(products):/usr/bin:/bin"] + documented + settings + script
  }

  private func cron(_ job: String, in folder: URL, _ settings: String...) throws -> Run {
    try run("/usr/bin/env", words(job, in: folder, settings))
  }

  /// Starts the nightly export.
  private func startNight(in folder: URL) throws -> ChildProcess {
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // A shell can't catch a signal that its parent ignores, as nohup and a job in the background do.
    process.arguments =
      try ["--default-signal=HUP,INT,TERM"] + words("nightly-export", in: folder, [])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func names(in folder: String, with suffix: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(suffix) }
      .sorted()
  }

  /// The lines of each report of a job, from the first run to the last.
  private func reports(in folder: URL, of job: String) throws -> [[[String: Any]]] {
    let paths = try names(in: folder.path + "/reports", with: ".json")
      .filter { $0.hasPrefix(job + "-trips-") }.map { "\(folder.path)/reports/\($0)" }
    return try paths.map { path in
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
    }
  }

  /// The series of the nightly export without their labels, which must be complete.
  private func night(in folder: URL, of store: String = "trips") throws -> [String: Double] {
    let path = "\(folder.path)/metrics/nightly-export-\(store).prom"
    var series: [String: Double] = [:]
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    where !line.hasPrefix("#") {
      let parts = line.matches(of: /^travelog_(\w+){(.*)} ([0-9.]+)$/)
      let (_, name, labels, value) = try #require(parts.first, "\(line)").output
      #expect(labels.hasSuffix("store=\"\(store)\""), "\(line)")
      series[String(name)] = Double(value)
    }
    for name in ["last_run_timestamp", "last_success_timestamp", "duration"] {
      #expect(series["job_\(name)_seconds"] != nil)
    }
    #expect(series["job_last_exit_code"] != nil)
    return series
  }

  @Test("Each job runs completely and silently under cron, and reports its results.")
  func shipped() throws {
    try withStore { folder, store, world in
      for round in 1...2 {
        for job in ["nightly-export", "retention", "offline-replay", "weekly-audit"] {
          let run = try cron(job, in: folder)
          #expect(run.code == 0 && run.output + run.errors == "", "\(job): \(run.errors)")
        }
        if round == 1 { for _ in 0..<5 { try world.write(to: store) } }
      }
      for (job, types) in [
        ("nightly-export", ["export", "verify", "status", "job"]), ("retention", ["prune", "job"]),
        ("weekly-audit", ["verify", "check", "job"]),
        ("offline-replay", ["import", "check", "diff_summary", "job"]),
      ] {
        let reports = try reports(in: folder, of: job)
        #expect(reports.count == 2)
        for report in reports {
          #expect(report.compactMap { $0["type"] as? String } == types)
          #expect(report.last?["code"] as? Int == 0)
        }
      }
      #expect(try names(in: folder.path + "/reports", with: ".html").count == 2)
      try expectMetrics(in: folder.path + "/metrics")
    }
  }

  /// Expects one file of metrics for each job, readable for other users, with every series that the
  /// alerts use.
  private func expectMetrics(in metrics: String) throws {
    #expect(try names(in: metrics) == jobs.map { "\($0)-trips.prom" })
    var text = ""
    for job in jobs {
      let path = "\(metrics)/\(job)-trips.prom"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o644, "\(job)")
      text += try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains("last_exit_code{pipeline=\"\(job)\",store=\"trips\"} 0\n"))
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
        let run = try cron(job, in: folder, "TRAVELOG_KEEP=0s")
        #expect(run.code == 0 && run.output + run.errors == "", "\(job): \(run.errors)")
        for _ in 0..<2 { try world.write(to: store) }
      }
      let oldest = try store.read { try $0.historyRange().oldest } ?? 0
      #expect(oldest > 1)
      // The audit has compared all rows, also those whose history is only in the logs.
      for report in try reports(in: folder, of: "weekly-audit") {
        let check = try #require(report.first { $0["type"] as? String == "check" })
        #expect(check["unknown"] as? Int == 0)
      }
    }
  }

  @Test("If a disk is not mounted, the job says so, exports nothing, and reports a sick store.")
  func unmounted() throws {
    try withStore { folder, _, _ in
      #expect(try cron("nightly-export", in: folder).code == 0)
      #expect(try night(in: folder)["healthy"] == 1)
      let logs = folder.path + "/logs"
      try FileManager.default.moveItem(atPath: logs, toPath: folder.path + "/disk")
      for isThere in [false, true] {
        if isThere {
          try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: false)
        }
        let run = try cron("nightly-export", in: folder)
        #expect(run.code == 10)
        #expect(run.errors.contains("Is the disk with the logs mounted?"), "\(run.errors)")
        let series = try night(in: folder)
        #expect(series["job_last_exit_code"] == 10 && series["healthy"] == 0)
      }
      #expect(try names(in: logs) == [])
      let run = try cron("nightly-export", in: folder, "TRAVELOG_REPORTS=\(folder.path)/none")
      #expect(run.code == 10 && run.errors.contains("Is its disk mounted?"), "\(run.errors)")
    }
  }

  @Test("The first failure ends the job with its code, and the metrics keep the last success.")
  func failure() throws {
    try withStore { folder, store, world in
      #expect(try cron("nightly-export", in: folder).code == 0)
      let success = try night(in: folder)["job_last_success_timestamp_seconds"]
      #expect(success ?? 0 > 0)
      let logs = folder.path + "/logs"
      let log = try #require(
        FileManager.default.subpathsOfDirectory(atPath: logs).first { $0.hasSuffix(".gz") }
      )
      // Other digests in the lines, except the first and the last.
      let alter = #"sed '1!{$!s/[0-9a-f]\{8\}"/00000000"/;}'"#
      let rewrite = #"gzip -dc "$0" | \#(alter) | gzip >"$0".new && mv "$0".new "$0""#
      try run("/bin/sh", ["-c", rewrite, "\(logs)/\(log)"])
      Thread.sleep(forTimeInterval: 1.1)
      let failed = try cron("nightly-export", in: folder)
      #expect(failed.code == 1, "\(failed.errors)")
      #expect(failed.errors.contains("travelog verify failed with exit status 1"))
      // The mail names the log.
      #expect(failed.errors.contains("damaged: ") && failed.errors.contains(log))
      var series = try night(in: folder)
      #expect(series["job_last_success_timestamp_seconds"] == success)
      #expect(series["job_last_exit_code"] == 1 && series["lag_seconds"] == 0)
      let report = try #require(try reports(in: folder, of: "nightly-export").last)
      #expect(report.last?["code"] as? Int == 1)
      // The page comes before the findings.
      let audit = try cron("weekly-audit", in: folder)
      #expect(audit.code == 1, "\(audit.errors)")
      #expect(try names(in: folder.path + "/reports", with: ".html").count == 1)

      // If the export fails, status still says that transactions wait.
      for _ in 0..<2 { try world.write(to: store) }
      let locked = open(logs + "/.lock", O_RDWR)
      #expect(flock(locked, LOCK_EX) == 0)
      #expect(try cron("nightly-export", in: folder, "TRAVELOG_LOCK_WAIT=0s").code == 11)
      close(locked)
      series = try night(in: folder)
      #expect(series["job_last_exit_code"] == 11 && series["lag_transactions"] ?? 0 > 0)

      // A job without its settings reports that too.
      let none = try cron("nightly-export", in: folder, "TRAVELOG_STORE=")
      #expect(none.code == 64 && none.errors.contains("TRAVELOG_STORE is not set"))
      let name = try cron("nightly-export", in: folder, "TRAVELOG_NAME=a\"b")
      #expect(name.code == 64 && name.errors.contains("TRAVELOG_NAME"))
    }
  }

  @Test("A folder that can't be written to is a failure, and loses only what belongs into it.")
  func rights() throws {
    try withStore { folder, store, _ in
      let file = folder.path + "/metrics/nightly-export-trips.prom"
      // Nobody can create a file in /proc, root included.
      for (setting, hasLogs, hasMetrics) in [
        ("TRAVELOG_LOGS=/proc/logs", false, true), ("TRAVELOG_REPORTS=/proc", false, true),
        ("TRAVELOG_METRICS=/proc", true, false),
      ] {
        try? FileManager.default.removeItem(atPath: file)
        let run = try cron("nightly-export", in: folder, setting)
        #expect(run.code != 0 && run.code != 1 && run.errors.contains("/proc"), "\(run.errors)")
        let code = (try? night(in: folder))?["job_last_exit_code"]
        #expect(code == (hasMetrics ? Double(run.code) : nil), "\(setting)")
        let isThere = FileManager.default.fileExists(atPath: folder.path + "/logs")
        #expect(isThere == hasLogs, "\(setting)")
      }
    }
  }

  @Test("On a full disk a job fails with 2, and its metrics are those of this run or the last.")
  func fullDisk() throws {
    let shim = Bundle.main.bundleURL.appendingPathComponent("libFaultShim.so").path
    try withStore { folder, store, world in
      #expect(try cron("nightly-export", in: folder).code == 0)
      for call in 1...trials(5, long: 30) {
        for _ in 0..<2 { try world.write(to: store) }
        let run = try cron(
          "nightly-export",
          in: folder,
          "LD_PRELOAD=\(shim)",
          "FAULT_KIND=full",
          "FAULT_AT=\(call)"
        )
        #expect(run.code == 2 && !run.errors.isEmpty, "\(call): \(run.code) \(run.errors)")
        let code = try night(in: folder)["job_last_exit_code"]
        #expect(code == (call == 1 ? 0 : 2), "\(call)")
        #expect(try names(in: folder.path + "/metrics") == ["nightly-export-trips.prom"])
      }
      #expect(try cron("nightly-export", in: folder).code == 0)
    }
  }

  @Test("Two runs at once wait for each other, and each has its own report.")
  func twoAtOnce() throws {
    try withStore { folder, store, world in
      for round in 1...3 {
        let runs = try (0..<2).map { _ in try startNight(in: folder) }
        for run in runs { run.waitUntilExit() }
        #expect(runs.map(\.terminationStatus) == [0, 0])
        #expect(try reports(in: folder, of: "nightly-export").count == 2 * round)
        #expect(try night(in: folder)["job_last_exit_code"] == 0)
        for _ in 0..<2 { try world.write(to: store) }
      }
    }
  }

  @Test(
    "A signal ends a job and its command at once, and the metrics say so.",
    arguments: [(SIGHUP, 129), (SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)]
  )
  func signals(signal: Int32, code: Int32) throws {
    try withStore { folder, _, _ in
      #expect(try cron("nightly-export", in: folder).code == 0)
      let lock = open(folder.path + "/logs/.lock", O_RDWR)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX) == 0)
      let process = try startNight(in: folder)
      let deadline = ContinuousClock.now + .seconds(20)
      while try names(in: folder.path + "/reports").count < 2, ContinuousClock.now < deadline {
        usleep(10_000)
      }
      usleep(300_000)
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit && process.terminationStatus == code)
      let series = try night(in: folder)
      #expect(series["job_last_exit_code"] == Double(code) && series["healthy"] == 1)
    }
  }

  @Test("A killed job leaves the metrics of an earlier run, and the next run needs no repair.")
  func kills() throws {
    try withStore { folder, store, world in
      var random = SeededGenerator(for: "killed jobs")
      #expect(try cron("nightly-export", in: folder).code == 0)
      for round in 0..<trials(4, long: 60) {
        for _ in 0..<2 { try world.write(to: store) }
        let process = try startNight(in: folder)
        usleep(.random(in: 0..<600_000, using: &random))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(try night(in: folder)["job_last_exit_code"] == 0, "round \(round)")
        let run = try cron("nightly-export", in: folder)
        #expect(run.code == 0 && run.errors == "", "round \(round): \(run.errors)")
      }
    }
  }

  @Test("Each store has metrics with its name, and the alerts are about every store.")
  func twoStores() throws {
    try withStore { folder, _, _ in
      #expect(try cron("nightly-export", in: folder).code == 0)
      let other = try cron(
        "nightly-export",
        in: folder,
        "TRAVELOG_NAME=other.2",
        "TRAVELOG_STORE=\(folder.path)/none"
      )
      #expect(other.code == 10, "\(other.errors)")
      let series = try night(in: folder, of: "other.2")
      #expect(series["job_last_exit_code"] == 10 && series["healthy"] == 0)
      #expect(try night(in: folder)["healthy"] == 1)
      let alerts = try String(contentsOfFile: "\(pipelines)/travelog-alerts.yml", encoding: .utf8)
      #expect(!alerts.contains("store="))
      let summaries = alerts.split(separator: "\n").filter { $0.contains("summary:") }
      #expect(summaries.allSatisfy { $0.contains("{{ $labels.store }}") })
    }
  }

  @Test("systemd, if it is installed, accepts its units.")
  func units() throws {
    let folder = "\(pipelines)/systemd"
    let units = try names(in: folder)
    #expect(units == jobs.flatMap { ["travelog-\($0)@.service", "travelog-\($0)@.timer"] })
    guard let analyze = installed("systemd-analyze") else { return }
    try withTemporaryFolder { copies in
      for unit in units {
        // The jobs are not installed at their final path during a test.
        let text = try String(contentsOfFile: "\(folder)/\(unit)", encoding: .utf8)
          .replacing("/usr/share/travelog/pipelines", with: pipelines)
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

  @Test(
    "shellcheck says nothing about the scripts.",
    .enabled(if: installed("shellcheck") != nil, "shellcheck is not installed")
  )
  func shellcheck() throws {
    let paths = try names(in: pipelines, with: ".sh").map { "\(pipelines)/\($0)" }
    #expect(paths.count == 5)
    let tools = ["install", "make-packages", "static-libraries"].map {
      packageRoot.path + "/Tools/" + $0
    }
    let check = try run(try #require(installed("shellcheck")), paths + tools)
    #expect(check.code == 0 && check.output + check.errors == "", "\(check.output)")
  }
}
