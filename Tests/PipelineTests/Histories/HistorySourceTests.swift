import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("History sources")
struct HistorySourceTests {
  @Test("A text names a store at its head only if it is a store without an earlier point.")
  func storeAtHead() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "store at head")
      try world.write(6)
      let log = try #require(world.export().files.first)
      let head = try world.source.read { try $0.historyRange().head.transaction }
      #expect(try History.storeAtHead(world.path) == world.path)
      #expect(try History.storeAtHead("\(world.path)@\(head)") == world.path)
      #expect(try History.storeAtHead("\(world.path)@\(head - 1)") == nil)
      for path in [log, world.logs.path, folder.path + "/none"] {
        #expect(try History.storeAtHead(path) == nil)
      }
    }
  }

  @Test("A sign @ in the path of a store or of logs does not begin a point.")
  func signs() throws {
    try withTemporaryFolder { folder in
      let inner = folder.appendingPathComponent("trips@1st place")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
      var world = try World(inner, "signs in paths")
      try world.write(4)
      try world.export()
      let head = try world.source.read { try $0.sealedHead() }
      for path in [world.path, world.logs.path] {
        #expect(try History(path).last == head)
        #expect(try History(path + "@2").last == 2)
      }
    }
  }

  @Test("A store, its log folder and each single log give the same history.")
  func same() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "history sources")
      for _ in 0..<3 {
        try world.write(6)
        try world.export()
      }
      let store = try StoreHistory(path: world.path)
      let logs = try FolderHistory(world.logs, store: world.source.identifier)
      let outline = try store.outline()
      let all = try #require(outline.head > 0 ? 1...outline.head : nil)
      #expect(try logs.outline().head == outline.head)
      #expect(try logs.outline().schema == outline.schema)
      let whole = try StoreTesting.lines(of: world.source)
      #expect(try lines(store, all) == whole)
      #expect(try lines(logs, all) == whole)
      #expect(try lines(logs.unverified, all) == whole)
      for first in all {
        let range = first...(min(first + 5, outline.head))
        #expect(try lines(store, range) == lines(logs, range))
        #expect(try lines(store, range) == lines(logs.unverified, range))
      }
      var joined = ""
      for file in try world.logs.files(of: world.source.identifier, lineage: 0) {
        let log = LogHistory(path: file.path)
        let stretches = try log.outline().stretches
        #expect(stretches == [file.range])
        joined += try lines(log, file.range)
        #expect(try lines(log.unverified, file.range) == lines(log, file.range))
      }
      #expect(joined == whole)
    }
  }

  @Test("The error about a missing log names the log after it, also before the first log.")
  func missingLogs() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "missing logs of sources")
      for _ in 0..<3 {
        try world.write(4)
        try world.export()
      }
      let store = world.source.identifier
      let files = try world.logs.files(of: store, lineage: 0)
      let aside = folder.path + "/aside"
      func move(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: from, toPath: to)
      }
      try move(files[1].path, aside)
      let inside = #expect(throws: LogError.self) { try FolderHistory(world.logs, store: store) }
      #expect(inside?.code == .gap && inside?.path == files[2].path)
      try move(aside, files[1].path)
      try move(files[0].path, aside)
      let history = try FolderHistory(world.logs, store: store)
      let before = #expect(throws: LogError.self) {
        try history.read(
          1...files[2].range.upperBound,
          wants: { _ in true },
          change: { _, _ in },
          transaction: { _ in }
        )
      }
      #expect(before?.code == .gap && before?.path == files[1].path)
    }
  }

  @Test("An argument names a store, a log folder, a store's part of it, or a log.")
  func names() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "names of sources")
      try world.write(8)
      try world.export()
      let head = try world.source.read { try $0.sealedHead() }
      let file = try #require(
        world.logs.files(of: world.source.identifier, lineage: 0).first
      )
      let names = [
        world.path, world.logs.path, world.logs.path + "/", file.path,
        world.logs.path + "/store=\(world.source.identifier)",
        world.logs.path + "/store=\(world.source.identifier)/lineage=0",
      ]
      for name in names {
        let history = try History(name)
        #expect(history.last == head)
        #expect(history.outline.store == world.source.identifier)
        #expect(try History(name + "@3").last == 3)
        #expect(try History(name + "@head").last == head)
      }
    }
  }

  @Test("A point given as a time means the last transaction before the first with a later time.")
  func times() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "times of sources")
      try world.write(12)
      try world.export()
      var times: [String] = []
      let store = try StoreHistory(path: world.path)
      let head = try store.outline().head
      try store.read(
        1...head,
        wants: { _ in false },
        change: { _, _ in },
        transaction: { times.append($0.time) }
      )
      for source in [store, LogHistory(path: try #require(world.files().first))]
        as [any HistorySource]
      {
        for (index, time) in times.enumerated() {
          let expected = times.lastIndex { $0 <= time } ?? index
          let history = try History(name: "", source: source, at: .time(time))
          #expect(history.last == Int64(expected + 1))
        }
      }
    }
  }

  @Test("A time between pruned and kept history means the last pruned transaction.")
  func timeOfBase() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "time of the base")
      try world.write(6)
      let set = "UPDATE history_transaction SET time = printf('2026-01-%02dT00:00:00.000000Z', "
      // The clock was set back before the third transaction.
      try runSQL(
        set + "CASE id WHEN 2 THEN 5 ELSE id END + CASE WHEN id > 3 THEN 5 ELSE 0 END)",
        on: world.path
      )
      try world.source.deleteHistory([1...2])
      try world.source.deleteHistory([3...3])
      #expect(try History(world.path + "@2026-01-09T12:00Z").last == 4)
      #expect(try History(world.path + "@2026-01-08").last == 3)
      #expect(try History(world.path + "@2026-01-05").last == 3)
      let error = #expect(throws: PipelineError.self) { try History(world.path + "@2026-01-04") }
      #expect(error?.code == .historyExpired)
      #expect(error?.hint.contains("LOGS@2026-01-04") == true)
    }
  }

  @Test("The error of a point outside the history names the points that it has.")
  func points() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "points of sources")
      try world.write(5)
      let head = try world.source.read { try $0.sealedHead() }
      func message(_ point: String) -> String {
        do {
          _ = try History(world.path + "@" + point)
          return "nothing"
        } catch {
          return "\(error)"
        }
      }
      #expect(message("999").contains("ends at transaction \(head)"))
      #expect(message("1999-01-01").contains("begins"))
      #expect(message("yesterday").contains("2026-11-03T08:00Z"))
      #expect(message("2026-02-30").contains("is not a point"))
      try world.source.deleteHistory([1...2])
      #expect(message("1").contains("after transaction 2"))
      let base = try History(world.path + "@2")
      #expect(base.last == 2 && base.range == nil && base.stretches.isEmpty && !base.isAtHead)
      let next = try History(world.path + "@3")
      #expect(next.range == 3...3 && next.stretches == [3...3] && next.isAtHead == (head == 3))
    }
  }

  @Test("The outline of a store with a very large id has at most 65,536 ranges.")
  func outlineOfForgedStore() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "outline of a forged store")
      for id in 1...2 as ClosedRange<Int64> { try world.insertGuest(id) }
      // The id is 300 × 65,536, so each range has 301 transactions.
      try runSQL(
        "UPDATE history_transaction SET id = 19660800, digest = zeroblob(32) WHERE id = 2",
        on: world.path
      )
      let outline = try StoreHistory(path: world.path).outline()
      #expect(outline.base == 0 && outline.head == 19_660_800)
      #expect(outline.stretches.count == 65_319)
      #expect(outline.stretches.first == 1...301)
      #expect(outline.stretches.last == 19_660_719...19_660_800)
    }
  }

  @Test("A point inside a gap can be moved to the end of the gap.")
  func gaps() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "points in a gap")
      for id in 1...2 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      for id in 3...7 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.source.deleteHistory([1...5])
      let result = try recover(RecoverRequest(store: world.path, logs: world.logs))
      #expect(result.remedy == .gap && result.objects == 3)
      #expect(result.from.transaction == 2 && result.resumes.transaction == 5)
      for id in 0...7 as ClosedRange<Int64> {
        let history = try History("\(world.logs.path)@\(id)")
        let moved = try history.throughGap()
        #expect(moved?.last == (id == 3 || id == 4 ? 5 : nil), "transaction \(id)")
      }
    }
  }
}
