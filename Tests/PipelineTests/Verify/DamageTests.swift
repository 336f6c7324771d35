import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

/// Each damage to a log folder must be found, and nothing after it applied.
@Suite("Damaged log folders")
struct DamageTests {
  private struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether the damage changes transactions; otherwise some are only duplicated.
    var changesContent = true
    let work: @Sendable (_ logs: [String], _ folder: URL) throws -> Void
  }

  private static func move(_ from: String, _ to: String) throws {
    try FileManager.default.moveItem(atPath: from, toPath: to)
  }

  private static let all: [Damage] = [
    Damage(testDescription: "a log is missing") { logs, _ in
      try FileManager.default.removeItem(atPath: logs[1])
    },
    Damage(testDescription: "the first log is missing") { logs, _ in
      try FileManager.default.removeItem(atPath: logs[0])
    },
    Damage(testDescription: "the last log is missing") { logs, _ in
      try FileManager.default.removeItem(atPath: logs[logs.count - 1])
    },
    Damage(testDescription: "the names of two logs are swapped") { logs, folder in
      let aside = folder.appendingPathComponent("aside").path
      try move(logs[1], aside)
      try move(logs[2], logs[1])
      try move(aside, logs[2])
    },
    Damage(testDescription: "a log has the name of a longer one") { logs, _ in
      let range = try #require(LogName.range(ofFile: (logs[1] as NSString).lastPathComponent))
      let folder = (logs[1] as NSString).deletingLastPathComponent
      let name = LogName(
        store: "",
        lineage: 0,
        day: "",
        range: range.lowerBound...range.upperBound + 1
      )
      try move(logs[1], folder + "/" + name.file)
    },
    Damage(testDescription: "a log is duplicated under another day", changesContent: false) {
      logs,
      _ in
      let day =
        ((logs[1] as NSString).deletingLastPathComponent as NSString)
        .deletingLastPathComponent + "/date=1999-01-01"
      try FileManager.default.createDirectory(
        atPath: day,
        withIntermediateDirectories: true
      )
      try FileManager.default.copyItem(
        atPath: logs[1],
        toPath: day + "/" + (logs[1] as NSString).lastPathComponent
      )
    },
    Damage(testDescription: "a log has the bytes of the one before") { logs, _ in
      try Data(contentsOf: URL(fileURLWithPath: logs[0])).write(
        to: URL(fileURLWithPath: logs[1])
      )
    },
    Damage(testDescription: "a log is empty") { logs, _ in
      try Data().write(to: URL(fileURLWithPath: logs[1]))
    },
    Damage(testDescription: "a log is text") { logs, _ in
      try Data("hello\n".utf8).write(to: URL(fileURLWithPath: logs[1]))
    },
    Damage(testDescription: "a log is a folder") { logs, _ in
      try FileManager.default.removeItem(atPath: logs[1])
      try FileManager.default.createDirectory(
        atPath: logs[1],
        withIntermediateDirectories: false
      )
    },
    Damage(testDescription: "a log continues after its trailer") { logs, _ in
      let url = URL(fileURLWithPath: logs[1])
      try (Data(contentsOf: url) + Data(contentsOf: URL(fileURLWithPath: logs[2]))).write(to: url)
    },
  ]

  @Test("Verify finds damage, and import applies nothing after it.", arguments: all.indices)
  func damage(_ index: Int) throws {
    let damage = Self.all[index]
    try withTemporaryFolder { folder in
      var world = try World(folder, damage.testDescription)
      world.history.hasLargeValues = false
      var heads: [Int64] = [0]
      while heads.count < 5 {
        try world.write(4)
        if try world.export().files.isEmpty { continue }
        heads.append(try world.source.read { try $0.historyRange().head.transaction })
      }
      let logs = try world.logs.files(of: world.source.identifier, lineage: 0).map(\.path)
      try damage.work(logs, folder)
      let results = try verify(VerifyRequest(logs: world.logs))
      #expect(!results.flatMap(\.findings).isEmpty)
      let request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      // Some damage is an error; logs that are missing at the end are not.
      _ = try? importLogs(request)
      guard FileManager.default.fileExists(atPath: request.store) else { return }
      let replica = try Store.open(.file(URL(fileURLWithPath: request.store)))
      let head = try replica.read { try $0.historyRange().head.transaction }
      #expect(heads.contains(head))
      #expect(head < heads[4] || !damage.changesContent)
      #expect(try lines(of: replica) == lines(of: world.source, through: head))
    }
  }

  @Test("A log of another store in the folder is found.")
  func foreignLog() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "foreign log")
      try world.write(5)
      let mine = try world.export().files[0]
      let other = folder.appendingPathComponent("other")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      var second = try World(other, "foreign log, the other")
      try second.write(5)
      let theirs = try second.export().files[0]
      let place =
        (mine as NSString).deletingLastPathComponent + "/"
        + (theirs as NSString).lastPathComponent
      if FileManager.default.fileExists(atPath: place) {
        try FileManager.default.removeItem(atPath: place)
      }
      try FileManager.default.copyItem(atPath: theirs, toPath: place)
      #expect(!(try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings).isEmpty))
    }
  }

  @Test("A large value that is missing or altered is found, and its transaction is not applied.")
  func largeValues() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "large values")
      let guest = worldSchema.index(of: "Guest") ?? 0
      try world.source.write(Author()) { writer in
        var values = writer.layouts[guest].columns.map { _ in Value.null }
        let note = writer.layouts[guest].column(of: "note") ?? 0
        values[note] = .text(String(repeating: "long ", count: 300_000))
        try writer.insert(guest, id: 1, values: values)
      }
      try world.export()
      #expect(try verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
      let blobs = world.logs.path + "/blobs"
      let name = try #require(FileManager.default.contentsOfDirectory(atPath: blobs).first)
      let url = URL(fileURLWithPath: blobs + "/" + name)
      var data = try Data(contentsOf: url)
      data[1000] ^= 1
      let damages: [() throws -> Void] = [
        { try data.write(to: url) }, { try FileManager.default.removeItem(at: url) },
      ]
      for damage in damages {
        try damage()
        let findings = try verify(VerifyRequest(logs: world.logs)).flatMap(\.findings)
        #expect(findings.map(\.kind) == [.value])
        let request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
        #expect(throws: (any Error).self) { try importLogs(request) }
        #expect(!FileManager.default.fileExists(atPath: request.store))
      }
    }
  }

  @Test("Verify warns about logs that other users may write.")
  func permissions() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "permissions")
      try world.write(5)
      let log = try world.export().files[0]
      #expect(try verify(VerifyRequest(logs: world.logs)).flatMap(\.notices).isEmpty)
      #expect(chmod(log, 0o660) == 0)
      let notices = try verify(VerifyRequest(logs: world.logs)).flatMap(\.notices)
      #expect(notices.count == 1)
      #expect(notices.first?.message.contains(log) == true)
    }
  }

  @Test("A promoted replica is an independent store with its own logs.")
  func promotion() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "promotion")
      try world.write(20)
      try world.export()
      let request = ImportRequest(logs: world.logs, store: folder.path + "/replica.store")
      _ = try importLogs(request)
      let url = URL(fileURLWithPath: request.store)
      let replica = try Store.open(.file(url))
      #expect(throws: StoreError.self) { try world.history.write(to: replica) }
      let identifier = try replica.promote()
      let promoted = try Store.open(.file(url))
      #expect(promoted.identifier == identifier)
      #expect(!promoted.isReplica)
      #expect(try rowDump(of: promoted) == rowDump(of: world.source))
      for _ in 0..<10 { try world.history.write(to: promoted) }
      let logs = LogFolder(folder.path + "/own")
      try logs.create()
      _ = try Pipeline.export(ExportRequest(store: request.store, logs: logs))
      let copy = ImportRequest(logs: logs, store: folder.path + "/copy.store")
      _ = try importLogs(copy)
      let second = try Store.open(.file(URL(fileURLWithPath: copy.store)))
      #expect(try rowDump(of: second) == rowDump(of: promoted))
      #expect(throws: PipelineError.self) { try importLogs(request) }
      #expect(throws: StoreError.self) { try promoted.promote() }
    }
  }
}
