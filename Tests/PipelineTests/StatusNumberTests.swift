import ChangeLog
import Changes
import Foundation
import Pipeline
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("The status of a store and its logs")
struct StatusNumberTests {
  private func status(_ world: World) throws -> Status {
    try Pipeline.status(of: world.path, logs: world.logs)
  }

  private func time(_ world: World, _ id: Int64) throws -> String {
    try world.source.read { try #require(try $0.transaction(id)?.time) }
  }

  private func size(_ path: String) throws -> Int64 {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    return try Int64(Data(contentsOf: URL(fileURLWithPath: path)).count)
  }

  @Test("The status of a store without history and of its empty folder has only zeros.")
  func empty() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "empty status")
      let found = try status(world)
      #expect(found.store == world.path && found.identifier == world.source.identifier)
      #expect(found.head.transaction == 0 && found.headTime == nil && found.oldest == nil)
      #expect(found.changes == 0 && found.filtered == [])
      #expect(found.unrecorded == nil)
      try #expect(found.storeBytes == size(world.path) + size(world.path + "-wal"))
      #expect(found.logs?.exported == nil && found.logs?.waitingSince == nil)
      #expect(found.logs?.lag == .zero && found.logs?.lagTransactions == 0)
      #expect(found.logs?.files == 0 && found.logs?.bytes == 0)
      #expect(found.logs?.health == .notExported)
    }
  }

  @Test("The status counts the waiting transactions, also without a token and without logs.")
  func waiting() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "waiting transactions")
      for id in 1...3 as ClosedRange<Int64> { try world.insertGuest(id) }
      let (path, logs) = (world.path, world.logs.path)
      let run = "Run “travelog export \(path) --to \(logs)”."
      var found = try status(world)
      try #expect(found.head == world.point(3) && found.oldest == 1 && found.changes == 3)
      try #expect(found.headTime == time(world, 3))
      try #expect(found.logs?.exported == nil && found.logs?.waitingSince == time(world, 1))
      #expect(found.logs?.lagTransactions == 3 && found.logs?.health == .notExported)
      #expect(found.logs?.message == "\(path) was not exported to \(logs) yet.")
      #expect(found.logs?.hint == run)
      // The first two transactions are exported.
      let first = try world.export { $0.until = .transaction(2) }
      found = try status(world)
      try #expect(found.logs?.exported == world.point(2) && found.logs?.lagTransactions == 1)
      try #expect(found.logs?.waitingSince == time(world, 3) && found.logs?.health == .ok)
      #expect(found.logs?.files == 1 && found.logs?.bytes == first.compressedBytes)
      let waited = try "; the oldest has waited since \(time(world, 3))."
      #expect(found.logs?.message == "1 transaction of \(path) is not exported yet" + waited)
      #expect(found.logs?.hint == run)
      try world.insertGuest(4)
      found = try status(world)
      #expect(found.logs?.lagTransactions == 2)
      #expect(found.logs?.message == "2 transactions of \(path) are not exported yet" + waited)
      // Without a readable token, the names of the logs give the last exported transaction.
      let token = world.logs.token(of: world.source.identifier)
      let sound = try Data(contentsOf: URL(fileURLWithPath: token))
      let rebuilt = "The next export rebuilds the token from the logs."
      try FileManager.default.removeItem(atPath: token)
      found = try status(world)
      #expect(found.logs?.exported == nil && found.logs?.lagTransactions == 2)
      try #expect(found.logs?.waitingSince == time(world, 3) && found.logs?.health == .ok)
      #expect(
        found.logs?.message == "The token \(token) is missing." && found.logs?.hint == rebuilt
      )
      try Data("nothing".utf8).write(to: URL(fileURLWithPath: token))
      found = try status(world)
      #expect(found.logs?.exported == nil && found.logs?.lagTransactions == 2)
      #expect(found.logs?.message?.hasPrefix("The token \(token) can't be read: ") == true)
      #expect(found.logs?.hint == rebuilt && found.logs?.health == .ok)
      // All transactions are exported.
      try sound.write(to: URL(fileURLWithPath: token))
      let second = try world.export()
      found = try status(world)
      try #expect(found.logs?.exported == world.point(4) && found.logs?.lagTransactions == 0)
      #expect(found.logs?.waitingSince == nil && found.logs?.lag == .zero)
      #expect(found.logs?.files == 2)
      #expect(found.logs?.bytes == first.compressedBytes + second.compressedBytes)
      #expect(found.logs?.message == nil && found.logs?.hint == nil && found.logs?.health == .ok)
      // The last log is missing, then all logs.
      for count in [1, 0] {
        let last = try world.logs.files(of: world.source.identifier, lineage: 0)[count].path
        try FileManager.default.removeItem(atPath: last)
        found = try status(world)
        #expect(found.logs?.health == .logsMissing && found.logs?.files == count)
        #expect(found.logs?.message != nil)
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
        let logs = try #require(status(world).logs)
        #expect(logs.waitingSince == time)
        #expect(isLong ? logs.lag > .seconds(365 * 86_400) : logs.lag == .zero)
      }
    }
  }

  @Test("The status has the state of filtered logs.")
  func filtered() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "filtered logs in a status")
      try world.insertGuest(1)
      try world.export()
      var filter = ExportFilter()
      filter.authors = ["app"]
      let partial = try world.export { $0.filter = filter }
      try world.insertGuest(2)
      let found = try status(world)
      #expect(found.filtered.map(\.words) == [filter.words])
      let logs = try #require(found.filtered.first?.logs)
      try #expect(logs.exported == world.point(2) && logs.lagTransactions == 1)
      #expect(logs.files == 1 && logs.bytes == partial.compressedBytes)
      #expect(logs.hint == "Run “travelog export” with this filter again.")
    }
  }

  @Test("The status of a store whose history was deleted or restored says what an export reports.")
  func health() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "health")
      for id in 1...2 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      let copy = folder.path + "/older.store"
      try copyStore(world.path, to: copy)
      for id in 3...5 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export { $0.until = .transaction(3) }
      let diverged = try Pipeline.status(of: copy, logs: world.logs)
      #expect(diverged.logs?.health == .diverged && diverged.logs?.lagTransactions == 0)
      try world.source.deleteHistory([1...4])
      let expired = try status(world)
      #expect(expired.logs?.health == .expired && expired.logs?.lagTransactions == 2)
      #expect(expired.oldest == 5)
      let error = #expect(throws: PipelineError.self) { try world.export() }
      #expect(expired.logs?.message == error?.message && expired.logs?.hint == error?.hint)
    }
  }

  @Test("The status of a store whose log folder is missing is an error.")
  func noFolder() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "no folder")
      let none = LogFolder(folder.path + "/none")
      let error = #expect(throws: PipelineError.self) {
        _ = try Pipeline.status(of: world.path, logs: none)
      }
      #expect(error?.code == .missing)
      #expect(error?.message.contains(none.path) == true)
    }
  }
}
