import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Status of exports")
struct StatusTests {
  @Test("Status reports waiting transactions, and whether the next export can continue.")
  func status() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "status")
      try world.write(10)
      func status() throws -> Status { try Pipeline.status(of: world.path, logs: world.logs) }
      let never = try status()
      #expect(never.logs?.health == .notExported)
      #expect(never.logs?.lagTransactions == never.head.transaction)
      #expect(try never.logs?.waitingSince == world.source.read { try $0.transaction(1)?.time })
      let first = try world.export()
      #expect(try status().logs?.health == .ok)
      #expect(try status().logs?.lagTransactions == 0)
      #expect(try status().logs?.exported == first.to)
      #expect(try status().logs?.files == first.files.count)
      let sizes = try first.files.map { try Data(contentsOf: URL(fileURLWithPath: $0)).count }
      #expect(try status().logs?.bytes == Int64(sizes.reduce(0, +)))
      try world.write(10)
      let later = try status()
      #expect(later.logs?.lagTransactions == later.head.transaction - first.to.transaction)
      #expect(later.logs?.waitingSince != nil)
      try world.source.deleteHistory([1...first.to.transaction + 1])
      #expect(try status().logs?.health == .expired)
      for file in first.files { try FileManager.default.removeItem(atPath: file) }
      #expect(try status().logs?.health == .logsMissing)
    }
  }

  @Test("Status reports what the next export would report.")
  func refusals() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "status of refused exports")
      world.history.hasLargeValues = false
      try world.write(6)
      try world.export()
      func expectRefusal(_ health: Status.Health, _ logs: LogFolder) throws {
        let error = #expect(throws: PipelineError.self) {
          try world.export { $0.logs = logs }
        }
        let status = try Pipeline.status(of: world.path, logs: logs).logs
        #expect(status?.health == health)
        #expect(status?.message == error?.message && status?.hint == error?.hint)
      }
      let copy = folder.appendingPathComponent("older.store").path
      try copyStore(world.path, to: copy)
      try world.write(1)
      try world.export()
      let unmounted = LogFolder(folder.path + "/unmounted")
      let none = #expect(throws: PipelineError.self) {
        try Pipeline.status(of: world.path, logs: unmounted)
      }
      #expect(none?.code == .missing)
      try unmounted.create()
      try expectRefusal(.logsMissing, unmounted)
      try world.write(3)
      try world.source.deleteHistory([1...world.source.read { try $0.sealedHead() } - 1])
      try expectRefusal(.expired, world.logs)
      #expect(try Pipeline.status(of: copy, logs: world.logs).logs?.health == .diverged)
    }
  }

  @Test("The status counts the waiting transactions, also without a token.")
  func waiting() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "waiting transactions")
      for id in 1...4 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export { $0.until = .transaction(2) }
      let token = URL(fileURLWithPath: world.logs.token(of: world.source.identifier))
      for damage in [
        {}, { try Data("nothing".utf8).write(to: token) },
        { try FileManager.default.removeItem(at: token) },
      ] as [() throws -> Void] {
        try damage()
        let found = try Pipeline.status(of: world.path, logs: world.logs).logs
        #expect(found?.lagTransactions == 2 && found?.health == .ok)
        try #expect(found?.waitingSince == world.source.read { try $0.transaction(3)?.time })
      }
    }
  }

  @Test("The lag is the age of the oldest waiting transaction, and zero if its time is unusable.")
  func lag() throws {
    let times: [(String, isLong: Bool)] = [
      ("2020-01-01T00:00:00.000000Z", true), ("9000-01-01T00:00:00.000000Z", false),
      ("yesterday", false),
    ]
    for (time, isLong) in times {
      try withTemporaryFolder { folder in
        let world = try World(folder, "lag")
        try world.insertGuest(1)
        try world.insertGuest(2)
        try runSQL("UPDATE history_transaction SET time = '\(time)' WHERE id = 1", on: world.path)
        let logs = try #require(Pipeline.status(of: world.path, logs: world.logs).logs)
        #expect(logs.waitingSince == time)
        #expect(isLong ? logs.lag > .seconds(365 * 86_400) : logs.lag == .zero)
      }
    }
  }
}
