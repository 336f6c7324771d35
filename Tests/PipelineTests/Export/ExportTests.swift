import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Exporting")
struct ExportTests {
  @Test("Several exports up to any points write the lines of one export.", arguments: 1...3)
  func splitting(_ round: Int) throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "splitting \(round)")
      var random = SeededGenerator(for: "splits \(round)")
      for _ in 0..<12 {
        try world.write(Int.random(in: 0...6, using: &random))
        let result = try world.export { request in
          request.maximumFileSize = Bool.random(using: &random) ? 1 : 1 << 20
          request.level = Int.random(in: 1...9, using: &random)
        }
        #expect(result.to.transaction == result.head)
      }
      try #expect(world.lines() == lines(of: world.source))
      let token = try Bookmark(
        json: Array(Data(contentsOf: URL(fileURLWithPath: tokenPath(of: world))))
      )
      let head = try world.source.read { try $0.historyRange().head }
      #expect(token.points == [world.source.identifier: head])
      #expect(try Pipeline.verify(VerifyRequest(logs: world.logs)).map(\.findings) == [[]])
    }
  }

  private func tokenPath(of world: World) -> String {
    world.logs.token(of: world.source.identifier)
  }

  @Test("An export without new transactions changes no file, and reports the last transaction.")
  func emptyRun() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "empty run")
      try world.write(5)
      let first = try world.export()
      let again = try world.export()
      #expect(again.transactions == 0)
      #expect(again.files.isEmpty)
      #expect(again.to == first.to)
      #expect(try world.logs.files(of: world.source.identifier, lineage: 0).count == 1)
    }
  }

  @Test("An export of a store without history writes a token at transaction 0.")
  func emptyStore() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "empty store")
      let result = try world.export()
      #expect(result.to.transaction == 0)
      #expect(FileManager.default.fileExists(atPath: tokenPath(of: world)))
      _ = try world.export()
    }
  }

  @Test("A token that is missing, unreadable or out of date is rebuilt from the logs and reported.")
  func rebuiltToken() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "rebuilt token")
      try world.write(6)
      try world.export()
      let path = tokenPath(of: world)
      let old = try Data(contentsOf: URL(fileURLWithPath: path))
      try world.write(6)
      try world.export()
      let damages: [() throws -> Void] = [
        { try FileManager.default.removeItem(atPath: path) },
        { try Data("{\"kind\":".utf8).write(to: URL(fileURLWithPath: path)) },
        { try Data().write(to: URL(fileURLWithPath: path)) },
        { try old.write(to: URL(fileURLWithPath: path)) },
      ]
      for damage in damages {
        try damage()
        try world.write(3)
        let result = try world.export()
        #expect(!result.notices.isEmpty)
        try #expect(world.lines() == lines(of: world.source))
        #expect(try world.export().notices.isEmpty)
      }
    }
  }

  @Test("A token of a newer program, or one that the disk can't read, is left as it is.")
  func tokenOfOthers() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "token of others")
      try world.write(6)
      try world.export()
      try world.write(2)
      let url = URL(fileURLWithPath: tokenPath(of: world))
      let token = try String(contentsOf: url, encoding: .utf8)
      let newer = token.replacing(#""version":1"#, with: #""version":2"#)
      try Data(newer.utf8).write(to: url)
      let error = #expect(throws: StoreError.self) { try world.export() }
      #expect(error?.code == .newerFormat)
      #expect(try String(contentsOf: url, encoding: .utf8) == newer)
      try FileManager.default.removeItem(at: url)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      let other = #expect(throws: LogError.self) { try world.export() }
      #expect(other?.code == .inputOutput)
      #expect(try world.logs.files(of: world.source.identifier, lineage: 0).count == 1)
    }
  }

  @Test("A token ahead of its logs, or without logs, is an error and does not start again.")
  func missingLogs() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "missing logs")
      try world.write(6)
      try world.export()
      try world.write(6)
      let second = try world.export()
      let file = try #require(second.files.first)
      try FileManager.default.removeItem(atPath: file)
      for _ in 0..<2 {
        let error = #expect(throws: PipelineError.self) { try world.export() }
        #expect(error?.code == .missingLogs)
        #expect(error?.message.contains("transaction \(second.to.transaction)") == true)
        // First only the last log is missing, then all of them.
        for file in try world.logs.files(of: world.source.identifier, lineage: 0) {
          try FileManager.default.removeItem(atPath: file.path)
        }
      }
    }
  }

  @Test("A store that was restored from an older copy is refused, whatever was written since.")
  func divergence() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "divergence")
      try world.write(6)
      let copy = folder.appendingPathComponent("older.store")
      try copyStore(world.path, to: copy.path)
      try world.write(8)
      try world.export()
      for count in [0, 20] as [Int] {
        let store = try Store.open(.file(copy))
        for id in 0..<count {
          try store.write(Author()) {
            try $0.insert(
              worldSchema.index(of: "Guest") ?? 0,
              id: Int64(1000 + id),
              values: Array(repeating: .null, count: 9)
            )
          }
        }
        let error = #expect(throws: PipelineError.self) {
          try Pipeline.export(ExportRequest(store: copy.path, logs: world.logs))
        }
        #expect(error?.code == .historyDiverged)
      }
    }
  }

  @Test("History that was deleted before its export is an error that names the remedy.")
  func expiry() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "expiry")
      try world.write(6)
      let first = try world.export()
      try world.write(10)
      try world.source.deleteHistory([1...first.to.transaction + 2])
      let error = #expect(throws: PipelineError.self) { try world.export() }
      #expect(error?.code == .historyExpired)
      #expect(error?.hint.contains("travelog recover") == true)
    }
  }

  @Test("An export ends at the given point, and the next one continues after it.")
  func points() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "points")
      try world.write(10)
      #expect(try world.export { $0.until = .transaction(4) }.to.transaction == 4)
      let time = try world.source.read { try $0.transaction(6)?.time } ?? ""
      let last = try world.source.read {
        try $0.lastTransaction(beforeTime: time, orAt: true, from: 4, through: 8)
      }
      #expect(try world.export { $0.until = .time(time) }.to.transaction == last)
      #expect(try world.export { $0.until = .transaction(2) }.transactions == 0)
      try world.export()
      try #expect(world.lines() == lines(of: world.source))
    }
  }

  @Test("A dry run reports what an export would do, and changes no file.")
  func dryRun() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "dry run")
      try world.write(10)
      let before = try contents(of: folder)
      let plan = try world.export { $0.isDryRun = true }
      #expect(try contents(of: folder) == before)
      let result = try world.export()
      #expect(plan.transactions == result.transactions)
      #expect(plan.changes == result.changes)
      #expect(plan.to == result.to)
    }
  }

  @Test("A foreign change is exported as its transaction.")
  func foreignWriter() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "foreign writer")
      try world.write(30)
      try runSQL("UPDATE Guest SET note = 'by hand'", on: world.path)
      try world.export()
      #expect(try world.lines().contains(#""op":"foreign""#))
      try #expect(world.lines() == lines(of: world.source))
    }
  }

  @Test("Only the owner has access to exported files and folders.")
  func modes() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "modes")
      try world.write(30)
      try world.export()
      let all = try FileManager.default.subpathsOfDirectory(atPath: world.logs.path)
      #expect(all.count > 4)
      for name in all {
        let attributes = try FileManager.default.attributesOfItem(
          atPath: world.logs.path + "/" + name
        )
        let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
        #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(name)")
      }
    }
  }
}
