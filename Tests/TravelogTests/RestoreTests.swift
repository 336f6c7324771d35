import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Restoring by an import")
struct RestoreTests {
  /// A store with large values and others, and its logs of one transaction each.
  private func withLogs(
    hasLargeValues: Bool = true,
    _ body: (_ folder: URL, _ store: Store, _ logs: String) throws -> Void
  ) throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "restores"))
      world.hasLargeValues = hasLargeValues
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      for _ in 0..<12 { try world.write(to: store) }
      if hasLargeValues {
        try addGuest(30_000, String(repeating: "many words ", count: 150_000), to: store)
      }
      let logs = folder.path + "/logs"
      try exportApart(store, to: logs)
      try body(folder, store, logs)
    }
  }

  private func files(_ logs: String, _ isWanted: (String) -> Bool) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: logs).filter(isWanted).sorted()
      .map { logs + "/" + $0 }
  }

  @Test(
    "Logs that were copied into one folder are imported, wherever their blob files are.",
    arguments: ["flat/blobs", "blobs", "flat"]
  )
  func flatCopy(blobs: String) throws {
    try withLogs { folder, store, logs in
      let flat = folder.path + "/copy/flat"
      let values = folder.path + "/copy/" + blobs
      for path in [flat, values] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
      for file in try files(logs, { !$0.hasSuffix(".lock") }) {
        let name = (file as NSString).lastPathComponent
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: file, isDirectory: &isFolder)
        guard !isFolder.boolValue else { continue }
        let place = file.contains("/blobs/") ? values : flat
        try FileManager.default.copyItem(atPath: file, toPath: place + "/" + name)
      }
      let run = try travelog("import", flat, "--into", folder.path + "/b.store")
      #expect(run.code == 0, "\(run.errors)")
      #expect(try travelog("diff", store.location.path, folder.path + "/b.store").code == 0)
      let verified = try travelog("verify", flat)
      #expect(verified.code == 0, "\(verified.output)\(verified.errors)")
    }
  }

  @Test("An import that stops early reports the last transaction of the store.")
  func partWay() throws {
    try withLogs(hasLargeValues: false) { folder, _, logs in
      let replica = folder.path + "/b.store"
      let all = try files(logs) { $0.hasSuffix(".ndjson.gz") }
      let names = all.map { ($0 as NSString).lastPathComponent }.sorted()
      let sixth = try #require(all.first { $0.hasSuffix(names[5]) })
      try FileManager.default.moveItem(atPath: sixth, toPath: folder.path + "/sixth")
      let missing = try travelog("import", logs, "--into", replica)
      #expect(missing.code == 10)
      #expect(missing.errors.contains(" \(replica) is at transaction 5.\n"), "\(missing.errors)")
      try FileManager.default.moveItem(atPath: folder.path + "/sixth", toPath: sixth)

      let eighth = try #require(all.first { $0.hasSuffix(names[7]) })
      let whole = try Data(contentsOf: URL(fileURLWithPath: eighth))
      try whole.dropLast(20).write(to: URL(fileURLWithPath: eighth))
      let damaged = try travelog("import", logs, "--into", replica, "--json")
      #expect(damaged.code == 4)
      #expect(damaged.errors.contains("\(replica) is at transaction 7."), "\(damaged.errors)")
      try whole.write(to: URL(fileURLWithPath: eighth))

      let beyond = try travelog("import", logs, "--into", replica, "--until", "99999")
      #expect(beyond.code == 10)
      #expect(
        beyond.errors.contains(" \(replica) is at transaction \(all.count).\n"),
        "\(beyond.errors)"
      )
      let past = try travelog("import", logs, "--into", replica, "--until", "3")
      #expect(past.errors.components(separatedBy: "is at transaction").count == 2, "\(past.errors)")
      // Without a replica, no transaction was reached.
      let none = try travelog("import", folder.path + "/none", "--into", folder.path + "/c.store")
      #expect(none.code == 10 && !none.errors.contains("is at transaction"))
    }
  }

  @Test("An import that fails leaves nothing beside the replica.")
  func journal() throws {
    try withLogs(hasLargeValues: false) { folder, store, _ in
      // A log of this size is imported into a new replica without a write-ahead log.
      for id in Int64(20_000)..<20_004 {
        let words = (0..<40_000).map { _ in UInt64.random(in: .min ... .max) }
        try addGuest(id, words.withUnsafeBytes { Data($0) }.base64EncodedString(), to: store)
      }
      let logs = folder.path + "/one"
      try travelog("export", store.location.path, "--to", logs, "--new-folder")
      let log = try #require(try files(logs) { $0.hasSuffix(".gz") }.first)
      let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0
      #expect(size > 1 << 20)
      for (number, until) in ["99999", "16"].enumerated() {
        let replica = folder.path + "/\(number).store"
        _ = try travelog("import", logs, "--into", replica, "--until", until)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.filter { $0.hasPrefix("\(number).store") } == ["\(number).store"])
      }
    }
  }
}
