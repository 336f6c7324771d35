import ChangeLog
import Format
import Foundation
import PipelineTesting
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
      #expect(later.notices == [Finding(.isUnexported(1, after: 3), path: world.path)])
      try #expect(later.proven == world.point(3) && later.proof == .store)
      try world.export()
      let whole = try #require(try verify(request).first)
      #expect(whole.findings == [] && whole.unexported == 0 && whole.end == .store)
      #expect(whole.notices == [] && whole.to.transaction == 4)
    }
  }
}
