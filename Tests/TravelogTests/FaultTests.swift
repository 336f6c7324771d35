import Foundation
import Store
import StoreTesting
import Testing

/// Stops the program at every call that changes a file, runs it again, and looks whether anything
/// was lost or doubled.
///
/// `make faults` goes through all of them; here it is each of a few, spread over the run.
@Suite("Faults")
struct FaultTests {
  private enum Kind: String, CaseIterable {
    case full, error, short, kill
    case killedAfter = "killed-after"
  }

  /// Runs a command with each fault once, and calls after each with the number of the fault.
  ///
  /// - Returns: The number of faults that fired.
  private func stop(
    _ arguments: [String],
    in folder: URL,
    prepare: () throws -> Void,
    check: (String) throws -> Void
  ) throws -> Int {
    let mark = folder.appendingPathComponent("mark").path
    let shim = Bundle.main.bundleURL.appendingPathComponent("libFaultShim.so").path
    try #require(FileManager.default.fileExists(atPath: shim))
    var fired = 0
    for kind in Kind.allCases {
      var number = 1
      while true {
        try prepare()
        if FileManager.default.fileExists(atPath: mark) {
          try FileManager.default.removeItem(atPath: mark)
        }
        let run = try travelog(
          arguments,
          environment: [
            "LD_PRELOAD": shim, "FAULT_AT": "\(number)", "FAULT_KIND": kind.rawValue,
            "FAULT_MARK": mark,
          ]
        )
        guard FileManager.default.fileExists(atPath: mark) else { break }
        fired += 1
        let call = try String(contentsOfFile: mark, encoding: .utf8)
        let place = "\(kind.rawValue) at \(number), \(call)"
        // A program that went on must have made good what failed.
        #expect(
          run.code != 132 && run.code != 133 && run.code != 134 && run.code != 139,
          "\(place)"
        )
        if run.code != 0, run.code < 128 { #expect(!run.errors.isEmpty, "\(place)") }
        try check(place)
        number += trials(19, long: 1)
      }
    }
    return fired
  }

  /// Three stores of one history, of which each is some writes ahead of the one before.
  private func withStages(
    _ mode: HistoryMode = .full,
    _ body: (URL, [URL], Store) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "faults"))
      world.hasLargeValues = false
      let path = folder.appendingPathComponent("a.store")
      let store = try Store.open(
        .file(path),
        schema: worldSchema,
        options: Options(historyMode: mode)
      )
      for _ in 0..<12 { try world.write(to: store) }
      try body(folder, [path], store)
    }
  }

  private func remove(_ paths: String...) throws {
    for path in paths where FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test(
    "an export that is stopped anywhere is made good by the next: the same lines, once each",
    arguments: [HistoryMode.full, .tombstones]
  )
  func export(_ mode: HistoryMode) throws {
    try withStages(mode) { folder, stores, store in
      let path = stores[0].path
      let logs = folder.path + "/logs"
      let expected = try lines(of: store)
      let command = ["export", path, "--to", logs, "--max-file-size", "500"]
      let fired = try stop(command, in: folder) {
        try remove(logs)
      } check: { place in
        #expect(try travelog(command).code == 0, "\(place)")
        #expect(try logLines(logs) == expected, "\(place)")
        #expect(try travelog(["verify", logs]).code == 0, "\(place)")
        let again = try travelog(command + ["--error-if-empty"])
        #expect(again.code == 5, "\(place)")
      }
      print("export: \(fired) faults fired")
      #expect(fired >= trials(8, long: 200))
    }
  }

  @Test("a partial export that is stopped anywhere is made good by the next, and so is its token")
  func partialExport() throws {
    try withStages { folder, stores, store in
      let path = stores[0].path
      let logs = folder.path + "/logs"
      func command(_ logs: String) -> [String] {
        [
          "export", path, "--to", logs, "--max-file-size", "500", "--author", "app", "--author", "",
          "--entity", "Guest", "--redact", "Guest.note=drop",
        ]
      }
      #expect(try travelog(command(folder.path + "/expected")).code == 0)
      let expected = try logLines(folder.path + "/expected")
      let fired = try stop(command(logs), in: folder) {
        try remove(logs)
      } check: { place in
        let run = try travelog(command(logs))
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(try logLines(logs) == expected, "\(place)")
        #expect(try travelog(command(logs) + ["--error-if-empty"]).code == 5, "\(place)")
      }
      print("partial export: \(fired) faults fired")
      #expect(fired >= trials(5, long: 50))
    }
  }

  @Test("an import that is stopped anywhere is made good by the next: the replica is the origin")
  func replay() throws {
    try withStages { folder, stores, store in
      let logs = folder.path + "/logs"
      let replica = folder.path + "/replica.store"
      try travelog(["export", stores[0].path, "--to", logs, "--max-file-size", "500"])
      let rows = try rowDump(of: store)
      let history = try lines(of: store)
      let command = ["import", logs, "--into", replica]
      let fired = try stop(command, in: folder) {
        try remove(
          replica,
          replica + "-wal",
          replica + "-shm",
          replica + "-blobs",
          replica + "-journal"
        )
      } check: { place in
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        let copy = try Store.open(
          .file(URL(fileURLWithPath: replica)),
          options: Options(isReadOnly: true)
        )
        #expect(try rowDump(of: copy) == rows, "\(place)")
        #expect(try lines(of: copy) == history, "\(place)")
      }
      print("import: \(fired) faults fired")
      #expect(fired >= trials(8, long: 200))
    }
  }

  /// A folder with a store and its logs, which is made anew before each fault.
  private func withWorld(
    _ body: (_ fresh: () throws -> Void, _ store: String, _ logs: String, _ folder: URL) throws ->
      Void,
    _ prepare: (Store, inout HistoryWorld, String) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      let pristine = folder.appendingPathComponent("pristine")
      let work = folder.appendingPathComponent("work")
      try FileManager.default.createDirectory(at: pristine, withIntermediateDirectories: true)
      var world = HistoryWorld(SeededGenerator(for: "faults"))
      world.hasLargeValues = false
      let store = try Store.open(
        .file(pristine.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      try prepare(store, &world, pristine.appendingPathComponent("logs").path)
      let copied = folder.appendingPathComponent("copied")
      try FileManager.default.createDirectory(at: copied, withIntermediateDirectories: true)
      try store.copy(to: copied.appendingPathComponent("a.store"))
      try FileManager.default.copyItem(
        at: pristine.appendingPathComponent("logs"),
        to: copied.appendingPathComponent("logs")
      )
      try body(
        {
          try remove(work.path)
          try FileManager.default.copyItem(at: copied, to: work)
        },
        work.appendingPathComponent("a.store").path,
        work.appendingPathComponent("logs").path,
        folder
      )
    }
  }

  @Test("a compaction that is stopped anywhere loses no line, and the next one ends it")
  func compact() throws {
    try withWorld { fresh, store, logs, folder in
      try fresh()
      let expected = try logLines(logs)
      let command = ["compact", logs]
      let fired = try stop(command, in: folder) {
        try fresh()
      } check: { place in
        let replica = folder.path + "/replica.store"
        try remove(replica, replica + "-wal", replica + "-shm")
        #expect(try travelog("import", logs, "--into", replica).code == 0, "\(place)")
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(try logLines(logs) == expected, "\(place)")
        #expect(try travelog("verify", logs).code == 0, "\(place)")
      }
      print("compact: \(fired) faults fired")
      #expect(fired >= trials(5, long: 50))
    } _: { store, world, logs in
      for _ in 0..<4 {
        for _ in 0..<3 { try world.write(to: store) }
        try travelog("export", store.location.path, "--to", logs)
      }
    }
  }

  @Test("a prune that is stopped anywhere keeps what logs do not have, and the next one ends it")
  func prune() throws {
    try withWorld { fresh, store, logs, folder in
      let command = ["prune", store, "--logs", logs, "--keep", "0s"]
      let fired = try stop(command, in: folder) {
        try fresh()
      } check: { place in
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(try travelog("check", store).code == 0, "\(place)")
        #expect(try travelog("export", store, "--to", logs).code == 0, "\(place)")
        #expect(try travelog("verify", logs, "--against", store).code == 0, "\(place)")
      }
      print("prune: \(fired) faults fired")
      #expect(fired >= trials(5, long: 50))
    } _: { store, world, logs in
      for _ in 0..<8 { try world.write(to: store) }
      try travelog("export", store.location.path, "--to", logs)
      for _ in 0..<3 { try world.write(to: store) }
    }
  }

  @Test(
    "an erasure that is stopped anywhere is told of until the next run ends it, and all is gone"
  )
  func erase() throws {
    let secret = "the secret of somebody"
    try withWorld { fresh, store, logs, folder in
      let command = [
        "erase", logs, "--entity", "Guest", "--id", "1", "--store", store, "--reason", "asked for",
      ]
      let fired = try stop(command, in: folder) {
        try fresh()
      } check: { place in
        // In between, logs are sound, or it is said that they are being changed.
        let between = try travelog("verify", logs)
        #expect(
          between.code == 0 || between.output.contains("begun and not finished"),
          "\(place): \(between.output)"
        )
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(!(try text(of: logs, store).contains(secret)), "\(place)")
        #expect(try travelog("check", store).code == 0, "\(place)")
        #expect(try travelog("export", store, "--to", logs).code == 0, "\(place)")
        let verified = try travelog("verify", logs, "--against", store)
        #expect(verified.code == 0, "\(place): \(verified.output)")
      }
      print("erase: \(fired) faults fired")
      #expect(fired >= trials(5, long: 50))
    } _: { store, world, logs in
      let guest = worldSchema.entities.firstIndex { $0.name == "Guest" } ?? 0
      try store.write(Author()) { writer in
        let columns = writer.layouts[guest].columns
        try writer.insert(
          guest,
          id: 1,
          values: columns.map { $0.name == "note" ? .text(secret) : .null }
        )
      }
      try travelog("export", store.location.path, "--to", logs)
      try store.write(Author()) { writer in
        let note = writer.layouts[guest].columns.firstIndex { $0.name == "note" } ?? 0
        try writer.update(guest, id: 1, columns: [note], values: [.text(secret + ", and more")])
      }
      try store.write(Author()) { try $0.delete(guest, id: 1) }
      try travelog("export", store.location.path, "--to", logs)
    }
  }

  /// The bytes of all logs as they are without compression, and of a store's files.
  private func text(of logs: String, _ store: String) throws -> String {
    let parent = (store as NSString).deletingLastPathComponent
    let name = (store as NSString).lastPathComponent
    let files = try FileManager.default.contentsOfDirectory(atPath: parent)
      .filter { $0.hasPrefix(name) && !$0.hasSuffix("-blobs") }.map { parent + "/" + $0 }
    var text = ""
    for file in files {
      text += String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    }
    for file in try FileManager.default.subpathsOfDirectory(atPath: logs)
    where file.hasSuffix(".gz") {
      text += try gunzip(logs + "/" + file)
    }
    return text
  }

  @Test(
    "a recovery that is stopped anywhere is ended by the next, and the logs give the store",
    arguments: [false, true]
  )
  func recover(_ isRestored: Bool) throws {
    try withWorld { fresh, store, logs, folder in
      let command = ["recover", store, "--to", logs]
      let fired = try stop(command, in: folder) {
        try fresh()
      } check: { place in
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(try travelog("check", store).code == 0, "\(place)")
        let verified = try travelog("verify", logs, "--against", store)
        #expect(verified.code == 0, "\(place): \(verified.output)")
      }
      print("recover: \(fired) faults fired")
      #expect(fired >= trials(5, long: 50))
    } _: { store, world, logs in
      for _ in 0..<6 { try world.write(to: store) }
      try travelog("export", store.location.path, "--to", logs)
      for _ in 0..<6 { try world.write(to: store) }
      let head = try store.read { try $0.historyRange().head.transaction }
      if isRestored {
        // Logs of what came later, of a copy, are those of another history.
        let copy = logs + ".store"
        try store.copy(to: URL(fileURLWithPath: copy))
        let other = try Store.open(.file(URL(fileURLWithPath: copy)))
        var later = world
        for _ in 0..<6 { try later.write(to: other) }
        try travelog("export", copy, "--to", logs)
        for _ in 0..<4 { try world.write(to: store) }
      } else {
        try store.deleteHistory([1...head - 2])
      }
    }
  }
}

/// All lines of transactions in a folder of logs, by the names of their files.
func logLines(_ logs: String) throws -> String {
  var text = ""
  let names = try FileManager.default.subpathsOfDirectory(atPath: logs)
    .filter { $0.hasSuffix(".ndjson.gz") && !$0.contains("snapshots") }
  let sorted = names.sorted {
    ($0.split(separator: "/").last ?? "") < ($1.split(separator: "/").last ?? "")
  }
  for name in sorted {
    for line in try gunzip(logs + "/" + name).split(separator: "\n")
    where line.hasPrefix(#"{"kind":"change""#) || line.hasPrefix(#"{"kind":"transaction""#) {
      text += line + "\n"
    }
  }
  return text
}
