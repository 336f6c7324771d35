import CommandLineKit
import Foundation
import ProcessTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@testable import travelog

@Suite("First use of travelog")
struct NewUserTests {
  private func withStore(_ body: (URL, String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "new user"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      for _ in 0..<40 { try world.write(to: store) }
      try body(folder, store.location.path)
    }
  }

  private var names: [String] { Travelog.program.command.subcommands.map(\.name) }

  /// The bytes of all files in a folder by their paths.
  private func contents(of folder: URL) throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      // Readers leave these files beside a store; they have no content of the store.
      guard !name.hasSuffix("-shm"), !name.hasSuffix("-wal") else { continue }
      let url = folder.appendingPathComponent(name)
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
      guard isThere else { continue }
      result[name] = isFolder.boolValue ? Data() : try Data(contentsOf: url)
    }
    return result
  }

  @Test("Each command without arguments, with help, and with a wrong flag says what it needs.")
  func everyCommand() throws {
    for name in names {
      let bare = try travelog(name)
      #expect(bare.code == 64 && bare.output == "" && !bare.errors.isEmpty, "\(name)")
      #expect(name == "generate" || bare.errors.contains("\nExample: "), "\(name)")
      let help = try travelog(name, "--help")
      #expect(help.code == 0 && help.errors == "", "\(name)")
      #expect(help.output.hasPrefix("travelog \(name): ") && help.output.contains("Usage: "))
      #expect(help.output.contains("Exit status:"), "\(name)")
      #expect(name == "generate" || help.output.contains("Examples:"), "\(name)")
      #expect(try travelog("help", name).output == help.output)
      let short = try travelog(name, "-h")
      #expect(short.code == 0 && short.output.split(separator: "\n").count <= 45, "\(name)")
      let wrong = try travelog(name, "--frobnicate")
      #expect(wrong.code == 64 && wrong.output == "", "\(name)")
      #expect(wrong.errors.contains("does not have a flag --frobnicate"), "\(name)")
    }
    let none = try travelog()
    #expect(none.code == 64 && none.output == "" && none.errors.contains("\n  adopt "))
    let almost = try travelog("exprot")
    #expect(almost.code == 64 && almost.errors.contains("Did you mean “export”?"))
    let version = try travelog("--version").output
    #expect(version.wholeMatch(of: /travelog 0\.1\.0\nSQLite 3\.[\d.]+\nzlib 1[^#]*/) != nil)
  }

  @Test("Every command that reads a file reports that it is missing.")
  func missing() throws {
    let lines = [
      "export none --to logs", "import none --into copy", "verify none", "check none",
      "prune none --logs logs", "status none --logs logs", "compact none",
      "recover none --to logs", "promote none", "log none", "show none 1", "blame none Guest 1",
      "diff none none", "query none --tables", "report none", "undo none 1",
      "erase none --entity Guest --id 1",
      "checkpoint none", "prove none 1", "adopt none",
    ]
    let tried = Set(lines.map { String($0.prefix { $0 != " " }) })
    #expect(Set(names).subtracting(tried) == ["completions", "generate"])
    try withTemporaryFolder { folder in
      for line in lines {
        let words = line.split(separator: " ").map(String.init)
        let run = try run(
          try #require(installed("env")),
          ["-C", folder.path, products + "/travelog"] + words
        )
        #expect(run.code == 10, "\(line): \(run.code) \(run.errors)")
        #expect(run.output == "" && run.errors.contains("no"), "\(line): \(run.errors)")
        // An export creates its folder before it opens the store.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(left).subtracting(["logs"]) == [], "\(line)")
        if left.contains("logs") {
          try FileManager.default.removeItem(atPath: folder.path + "/logs")
        }
      }
    }
  }

  @Test("A reader that closes the pipe early is not a failure, and no message is printed.")
  func head() throws {
    try withStore { _, path in
      for command in ["log '\(path)' --patch", "log '\(path)' --json", "report '\(path)'"] {
        let script = "\(products)/travelog \(command) | head -c 10; echo; echo ${PIPESTATUS[0]}"
        let run = try run(try #require(installed("bash")), ["-c", script])
        #expect(run.errors == "", "\(command)")
        #expect(run.output.hasSuffix("\n0\n"), "\(command): \(run.output)")
      }
    }
  }

  @Test(
    "Compressed logs and pages are not written to a terminal.",
    arguments: ["export STORE --to -", "report STORE"]
  )
  func terminal(line: String) throws {
    guard let script = installed("script") else { return }
    try withStore { _, path in
      let line = line.replacingOccurrences(of: "STORE", with: "'\(path)'")
      let run = try run(
        script,
        ["-qec", "\(products)/travelog \(line)", "/dev/null"],
        environment: ["PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"]
      )
      #expect(run.code == 64, "\(run.output)")
      #expect(run.output.contains("can't be written to a terminal"), "\(run.output)")
    }
  }

  @Test("A dry run changes no byte of store, logs and token.")
  func dryRuns() throws {
    try withStore { folder, path in
      let logs = folder.path + "/logs"
      try travelog("export", path, "--to", logs, "--until", "20")
      try travelog("import", logs, "--into", folder.path + "/copy.store")
      let before = try contents(of: folder)
      let lines = [
        ["export", path, "--to", logs],
        ["export", path, "--to", folder.path + "/new", "--new-folder"],
        ["import", logs, "--into", folder.path + "/copy.store"],
        ["import", logs, "--into", folder.path + "/new.store"],
        ["prune", path, "--logs", logs, "--keep", "0s"], ["compact", logs],
      ]
      for line in lines {
        let run = try travelog(line + ["--dry-run"])
        #expect(run.code == 0 || run.code == 15, "\(line): \(run.errors)")
        let after = try contents(of: folder)
        let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        #expect(changed == [], "\(line)")
      }
    }
  }

  @Test("Logs and pages have the same bytes in any environment, and each time.")
  func environments() throws {
    try withStore { folder, path in
      let environments = [
        [:], ["LC_ALL": "C", "TZ": "Asia/Tokyo"],
        ["LANG": "tr_TR.UTF-8", "TZ": "America/St_Johns", "HOME": "/none", "COLUMNS": "20"],
        ["TZ": "nonsense", "TERM": "dumb", "NO_COLOR": "1"],
      ]
      var first: (logs: [String: Data], log: String, page: Data)?
      for (index, environment) in environments.enumerated() {
        let logs = folder.appendingPathComponent("logs\(index)")
        let export = try travelog(
          "export",
          path,
          "--to",
          logs.path,
          "--new-folder",
          environment: environment
        )
        #expect(export.code == 0 && export.errors == "", "\(environment): \(export.errors)")
        var files = try contents(of: logs)
        files[".lock"] = nil
        let log = try travelog("log", path, "--patch", environment: environment)
        // Only the quotes and dots around values depend on the locale.
        let text = log.output.replacing("“", with: "\"").replacing("”", with: "\"")
          .replacing("…", with: "...")
        // The report has the time at which it is made, unless a build gives it.
        let fixed = environment.merging(["SOURCE_DATE_EPOCH": "0"]) { $1 }
        let page = try travelog("report", path, "--json", environment: fixed)
        #expect(log.code == 0 && page.code == 0, "\(environment)")
        if let first {
          #expect(files == first.logs && text == first.log && page.bytes == first.page)
        } else {
          first = (files, text, page.bytes)
        }
      }
    }
  }

  @Test("A folder that can't be written is reported, and the store is read.")
  func readOnly() throws {
    try withStore { folder, path in
      let refused = try travelog("export", path, "--to", "/proc/none/logs")
      #expect(refused.code != 0 && refused.errors.contains("/proc/none"))
      let page = try travelog("report", path, "--output", "/proc/none/page.html")
      #expect(page.code == 2 && page.errors.contains("/proc/none/page.html"))
      let into = try travelog("import", folder.path + "/logs", "--into", "/proc/none/copy.store")
      #expect(into.code != 0)
    }
  }

  @Test("With --json, errors are JSON with the code and its name, and without data.")
  func errors() throws {
    let run = try travelog("verify", "none", "--json")
    #expect(run.code == 10 && run.output == "")
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
    )
    #expect(object["type"] as? String == "error" && object["code"] as? Int == 10)
    #expect(object["name"] as? String == "missing")
  }

  @Test(
    "With --json an error of the command line is one line of JSON, wherever the flag is.",
    arguments: [
      ["--json", "exprot"], ["export", "--json"], ["log", "--json", "--nothing"],
      ["export", "a.store", "--to", "l", "--max-file-size", "10", "--json"],
    ]
  )
  func usageErrors(words: [String]) throws {
    let run = try travelog(words)
    #expect(run.code == 64)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 1)
    let object = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
    #expect(object?["type"] as? String == "error")
    #expect(object?["name"] as? String == "usage")
    #expect(object?["hint"] is String)
  }

  @Test(
    "An error of the command line is text without --json, also if a flag has --json as its value."
  )
  func usageErrorsAsText() throws {
    for words in [["exprot"], ["log", "--nothing"], ["log", "x", "y", "--", "--json"]] {
      let run = try travelog(words)
      #expect(run.code == 64 && run.errors.hasPrefix("travelog: "), "\(words): \(run.errors)")
    }
  }

  @Test("A number without its unit is refused with the units, and so is a tiny log size.")
  func units() throws {
    try withStore { folder, path in
      let logs = folder.path + "/logs"
      let size = try travelog("export", path, "--to", logs, "--max-file-size", "64")
      #expect(size.code == 64 && size.errors.contains("64KiB, 64MiB or 64GiB"), "\(size.errors)")
      let small = try travelog("export", path, "--to", logs, "--max-file-size", "63KiB")
      #expect(small.code == 64 && small.errors.contains("at least 64KiB"), "\(small.errors)")
      let wait = try travelog("export", path, "--to", logs, "--lock-wait", "10")
      #expect(wait.code == 64 && wait.errors.contains("10s, 10m, 10h or 10d"), "\(wait.errors)")
      #expect(!FileManager.default.fileExists(atPath: logs))
      #expect(try travelog("export", path, "--to", logs, "--lock-wait", "0").code == 0)
    }
  }

  @Test("The flag -V shows the version, and -l limits a log as --limit does.")
  func shortFlags() throws {
    #expect(try travelog("-V").output == travelog("--version").output)
    try withStore { _, path in
      let log = try travelog("log", path, "-l", "3")
      #expect(log.code == 0 && log.output.split(separator: "\n").count == 3)
      #expect(try log.output == travelog("log", path, "--limit", "3").output)
    }
  }

  @Test("A report on a full disk fails with a message that says so.")
  func fullDisk() throws {
    try withStore { _, path in
      let run = try travelog("report", path, "--output", "/dev/full")
      #expect(run.code == 2)
      #expect(run.errors.contains("travelog: Can't write /dev/full: No space left on device."))
    }
  }

  @Test("The error of a misspelt entity or attribute suggests the right name.")
  func meantNames() throws {
    try withStore { folder, path in
      let logs = folder.path + "/logs"
      try travelog("export", path, "--to", logs)
      let lines: [(words: [String], name: String)] = [
        (["blame", path, "guest", "1"], "Guest"), (["blame", path, "Gust", "1"], "Guest"),
        (["log", path, "--entity", "Hotle"], "Hotel"),
        (["blame", path, "Guest", "1", "--attribute", "wieght"], "weight"),
        (["diff", path, path, "--entity", "Place", "--attribute", "ratin"], "rating"),
        (["erase", logs, "--entity", "guest", "--id", "1"], "Guest"),
        (["export", path, "--to", logs, "--entity", "Gest"], "Guest"),
      ]
      for line in lines {
        let run = try travelog(line.words)
        #expect(run.code == 10, "\(line.words): \(run.errors)")
        #expect(run.errors.contains("Did you mean “\(line.name)”?"), "\(line.words): \(run.errors)")
      }
      let far = try travelog("blame", path, "Elephant", "1")
      #expect(far.errors.contains("The known names are Camp, Guest, Hotel, Place."))
    }
  }

  @Test("A time can have an offset or a blank; without a zone it is refused with a hint.")
  func times() throws {
    try withStore { _, path in
      let words = ["log", path, "--since"]
      let all = try travelog(words + ["2000-01-01"]).output
      for text in ["2000-01-01 09:00+09:00", "2000-01-01T00:00Z"] {
        #expect(try travelog(words + [text]).output == all)
        let past = try travelog("log", "\(path)@\(text)")
        #expect(past.code == ExitCode.historyGap.number, "\(past.errors)")
      }
      for run in try [
        travelog(words + ["2000-01-01 09:00"]), travelog("log", path + "@2000-01-01T09:00"),
      ] {
        #expect(run.code == 64 && run.errors.contains("The time zone is missing"), "\(run.errors)")
      }
    }
  }

  @Test("A time --since after --until is an error.")
  func order() throws {
    try withStore { _, path in
      for words in [["log", path], ["report", path, "--json"], ["blame", path, "Guest", "1"]] {
        let run = try travelog(words + ["--since", "2024-01-20", "--until", "2024-01-10"])
        #expect(run.code == 64 && run.output == "", "\(words)")
      }
    }
  }

  @Test("Advice never names the command that failed, and says what is missing.")
  func advice() throws {
    try withStore { folder, path in
      let (logs, none) = (folder.path + "/logs", folder.path + "/none")
      try travelog("export", path, "--to", logs)
      let replica = try travelog("import", logs, "--into", none + "/a.store")
      #expect(replica.code == 10 && replica.errors.contains("no folder \(none)."))
      let plain = folder.path + "/plain.db"
      try Connection(path: plain, mode: .readWriteCreate).execute("CREATE TABLE t(a)")
      let into = try travelog("import", logs, "--into", plain)
      #expect(into.code == 4 && !into.errors.contains("adopt"), "\(into.errors)")
      let empty = folder.path + "/empty.db"
      try Data().write(to: URL(fileURLWithPath: empty))
      #expect(try travelog("adopt", "--dry-run", empty).output == "The file has no tables.\n")
      let target = try travelog("export", path, "--to", empty, "--new-folder")
      #expect(target.code == 4 && target.errors.hasSuffix("Name a folder for logs.\n"))
      let adopted = try travelog("adopt", empty)
      #expect(adopted.code == 2 && !adopted.errors.contains("travelog adopt"), "\(adopted.errors)")
      let limit = try travelog("log", path, "--limit", "99999999999999999999")
      #expect(limit.code == 64 && limit.errors.contains("\(Int64.max)"), "\(limit.errors)")
      let past = try travelog("diff", path + "@2000-01-01", path)
      #expect(
        past.code == ExitCode.historyGap.number && !past.errors.contains("LOGS"),
        "\(past.errors)"
      )
    }
  }

  /// Runs the program with a terminal for its messages, and returns what the terminal showed.
  private func onTerminal(_ words: [String]) throws -> String {
    var main: Int32 = 0
    var terminal: Int32 = 0
    try #require(openpty(&main, &terminal, nil, nil, nil) == 0)
    defer { close(main) }
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: products + "/travelog")
    process.arguments = words
    process.environment = [:]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(fileDescriptor: terminal)
    try process.run()
    close(terminal)
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    // Reading a closed terminal is an error.
    while case let count = read(main, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }

  @Test("On a terminal import, undo, prune and compact report in one line what they did.")
  func summaries() throws {
    try withStore { folder, path in
      let logs = folder.path + "/logs"
      let head = try #require(
        travelog("log", path, "-l", "1").output.split(separator: " ").first.map(String.init)
      )
      try travelog("export", path, "--to", logs, "--until", "10")
      try travelog("export", path, "--to", logs)
      let steps: [(words: [String], line: String)] = [
        (["import", logs, "--into", folder.path + "/b.store"], "imported \(head) transactions"),
        (["import", logs, "--into", folder.path + "/b.store"], "at transaction \(head)"),
        (["compact", logs], "merged 2 logs into 1"),
        (["undo", path, head], "reverted transaction \(head)"),
        (["export", path, "--to", logs], "exported 1 transaction,"),
        (["prune", path, "--logs", logs, "--keep", "0"], "deleted"),
      ]
      for step in steps {
        let text = try onTerminal(step.words)
        // A return begins the line again, after the progress of a command that takes long.
        let lines = text.split(separator: "\r\n").compactMap { $0.split(separator: "\r").last }
        #expect(lines.count == 1 && text.contains(step.line), "\(step.words): \(text)")
      }
    }
  }
}
