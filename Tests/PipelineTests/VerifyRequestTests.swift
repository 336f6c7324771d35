import ChangeLog
import Changes
import Foundation
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Requests to verify logs")
struct VerifyRequestTests {
  /// Calls `body` with a store of four guests, whose first three are in logs.
  private func withGuests(_ body: (World, VerifyRequest) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "verified guests")
      for id in 1...3 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      try world.insertGuest(4)
      var request = VerifyRequest(logs: world.logs)
      request.token = folder.path + "/no token"
      try body(world, request)
    }
  }

  @Test("A plain request verifies all unfiltered logs.")
  func defaults() {
    let request = VerifyRequest(logs: LogFolder("logs"))
    #expect(request.store == nil && request.token == nil && request.against == nil)
    #expect(request.heads == [] && request.erasures == [] && request.after == nil)
    #expect(!request.replaysSnapshots && !request.includesFiltered)
    #expect(request.failures.isEmpty)
    #expect(!CheckpointRequest(logs: LogFolder("logs")).isForStores)
  }

  @Test("A folder that is missing, is a file or has no logs can't be verified.")
  func noLogs() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/logs"
      var request = VerifyRequest(logs: LogFolder(path))
      let missing = #expect(throws: PipelineError.self) { try verify(request) }
      #expect(missing?.code == .missing && missing?.message == "There is no folder \(path).")
      try Data().write(to: URL(fileURLWithPath: path))
      let file = #expect(throws: LogError.self) { try verify(request) }
      #expect(file?.code == .notALog && file?.message == "\(path) is not a folder of logs.")
      try FileManager.default.removeItem(atPath: path)
      try request.logs.create()
      let empty = #expect(throws: PipelineError.self) { try verify(request) }
      #expect(empty?.code == .missing && empty?.message == "There are no logs in \(path).")
      request.store = "S"
      let store = #expect(throws: PipelineError.self) { try verify(request) }
      #expect(store?.code == .missing)
      #expect(store?.message == "There are no logs of the store S in \(path).")
    }
  }

  @Test("Errors from before the verification are findings if at least one is about damage.")
  func failures() throws {
    try withTemporaryFolder { folder in
      var request = VerifyRequest(logs: LogFolder(folder.path))
      let (missing, cut) = (LogFailure.missingValue.at("a"), LogFailure.cutOff.at("b"))
      let unread = LogFailure.empty.at("c")
      request.failures = [unread, missing]
      let error = #expect(throws: LogError.self) { try verify(request) }
      #expect(error?.path == "c" && error?.code == .notALog)
      for damage in [cut, LogFailure.alteredHeader("x").at("b")] {
        request.failures = [missing, damage]
        let result = try verify(request)
        #expect(result.map(\.store) == [""] && result.map(\.filterName) == [nil])
        #expect(result.map { $0.findings.map(\.path) } == [["a", "b"]])
      }
    }
    try withGuests { world, request in
      var request = request
      request.failures = [LogFailure.empty.at("c")]
      let result = try verify(request)
      #expect(result.map(\.store) == [world.source.identifier])
      #expect(result.map { $0.findings.map(\.kind) } == [[.unreadable]])
    }
  }

  @Test("The logs of a position must be those of one store.")
  func severalStores() throws {
    try withGuests { world, request in
      let other = "00000000-0000-0000-0000-00000000000A"
      let stores = [other, world.source.identifier].sorted()
      let name = LogName(store: other, lineage: 0, day: "2026-01-01", range: 1...1)
      let file = world.folder.appendingPathComponent("logs/" + name.path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data().write(to: file)
      var request = request
      #expect(try verify(request).map(\.store) == stores)
      request.after = TrustedPosition(transaction: 2, digest: try world.point(2).digest)
      let error = #expect(throws: PipelineError.self) { try verify(request) }
      #expect(error?.code == .otherStore)
      #expect(error?.message == "There are logs of 2 stores in \(world.logs.path).")
      #expect(
        error?.hint
          == "Name one of the stores with --store: \(stores.joined(separator: ", "))."
      )
      request.store = world.source.identifier
      #expect(try verify(request).map(\.findings) == [[]])
    }
  }

  @Test("A verification writes nothing into the folder, and ignores the record of an old version.")
  func unchangedFolder() throws {
    try withGuests { world, request in
      let old = world.logs.storeFolder(world.source.identifier) + "/_verified.json"
      try Data(#"{"transaction":9}"#.utf8).write(to: URL(fileURLWithPath: old))
      let folder = URL(fileURLWithPath: world.logs.path)
      let before = try contents(of: folder)
      var request = request
      for replays in [false, true] {
        request.replaysSnapshots = replays
        #expect(try verify(request).map(\.findings) == [[]])
      }
      request.against = world.path
      #expect(try verify(request).map(\.verdict) == [.proven])
      #expect(try contents(of: folder) == before)
    }
  }

  @Test("A store that is compared counts its later transactions, and confirms the end of the logs.")
  func against() throws {
    try withGuests { world, request in
      var request = request
      let plain = try #require(try verify(request).first)
      #expect(plain.unexported == nil && plain.end == .none && plain.proof == nil)
      request.against = world.path
      let later = try #require(try verify(request).first)
      #expect(later.findings == [] && later.unexported == 1 && later.end == .none)
      #expect(later.notices == [.isUnexported(world.path, 1, after: 3)])
      try #expect(later.proven == world.point(3) && later.proof == .store)
      // The token confirms the end, so later transactions are not worth a notice.
      request.token = nil
      let confirmed = try #require(try verify(request).first)
      #expect(confirmed.notices == [] && confirmed.end == .token && confirmed.unexported == 1)
      try world.export()
      request.token = world.folder.path + "/no token"
      let whole = try #require(try verify(request).first)
      #expect(whole.findings == [] && whole.unexported == 0 && whole.end == .store)
      #expect(whole.notices == [] && whole.to.transaction == 4)
      // Damaged logs are not replayed.
      let log = try #require(try world.files().first)
      try Data().write(to: URL(fileURLWithPath: log))
      let damaged = try #require(try verify(request).first)
      #expect(damaged.unexported == nil && damaged.proof == nil && damaged.verdict == .damaged)
    }
  }

  @Test("A given digest that no transaction has is a finding at the end of the last lineage.")
  func heads() throws {
    try withGuests { world, request in
      var request = request
      let (two, three) = try (world.point(2), world.point(3))
      let (one, other) = (SHA256.digest(of: [1]), SHA256.digest(of: [2]))
      request.heads = [two.digest, three.digest]
      let sound = try #require(try verify(request).first)
      #expect(sound.findings == [] && sound.heads == [two, three])
      #expect(sound.proven == three && sound.proof == .head && sound.end == .head)
      request.heads = [one, two.digest, other]
      let result = try #require(try verify(request).first)
      #expect(result.heads == [two] && result.end == .none && result.proven == two)
      #expect(
        result.findings
          == [one, other].map { Finding(.headIsMissing($0, end: three), transaction: 3) }
      )
      #expect(result.verdict == .damaged)
      let beginning = try world.point(0)
      request.heads = [beginning.digest]
      let first = try #require(try verify(request).first)
      #expect(first.heads == [beginning] && first.proven == beginning && first.findings == [])
    }
  }
}
