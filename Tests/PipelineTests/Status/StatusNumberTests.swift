import ChangeLog
import Changes
import Foundation
import Pipeline
import PipelineTesting
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
        let found = try #require(status(world).logs)
        #expect(found.lagTransactions == 2 && found.health == .ok)
        try #expect(found.waitingSince == time(world, 3))
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
}
