import ChangeLog
import Format
import Foundation
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Refused erasures, checks and trees")
struct EraseRefusalTests {
  /// Calls `body` with a log of the insertion and the deletion of a guest.
  private func withDeletedGuest(_ body: (World) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "logs of a deleted guest")
      try world.insertGuest(1)
      try world.deleteGuest(1)
      try world.export()
      try body(world)
    }
  }

  @Test("An erasure that names another entity of the family is refused, and names the right one.")
  func otherEntity() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "an erasure of another entity")
      let camp = try #require(worldSchema.index(of: "Camp"))
      let values = world.source.layouts[camp].columns.map {
        $0.isOptional ? Value.null : $0.type == .int64 ? .integer(1) : .text("a camp")
      }
      try world.source.write(Author()) { try $0.insert(camp, id: 3, values: values) }
      try world.export()
      func request(_ entity: String) -> EraseRequest {
        EraseRequest(logs: world.logs, entity: entity, object: 3)
      }
      func refusal(_ entity: String) -> PipelineError? {
        #expect(throws: PipelineError.self) { _ = try erase(request(entity)) }
      }
      #expect(refusal("Hotel")?.code == .missing)
      #expect(refusal("Hotel")?.message.contains("Camp") == true)
      for entity in ["Camp", "Place"] { #expect(refusal(entity)?.code == .stillThere) }
      try world.source.write(Author()) { try $0.delete(camp, id: 3) }
      try world.export()
      #expect(refusal("Hotel")?.code == .missing)
      #expect(try erase(request("Place")).transactions == 2)
    }
  }

  @Test("A check throws the error of a damaged page unless a table differs from the schema.")
  func damagedPage() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "damaged page")
      for id in 1...40 as ClosedRange<Int64> {
        try world.insertGuest(id, note: String(repeating: "n", count: 400))
      }
      let copy = folder.path + "/copy.store"
      try copyStore(world.path, to: copy)
      var request = CheckRequest(store: copy)
      var texts: [String] = []
      let sound = try check(request) { texts.append($0.description) }
      #expect(texts == [] && sound.isComplete)
      let (root, size) = try Store.open(
        .file(URL(fileURLWithPath: copy)),
        options: Options(isReadOnly: true)
      ).read { reader in
        let table = "SELECT rootpage FROM sqlite_schema WHERE name = 'Guest'"
        return (
          try reader.connection.integer(table) ?? 0,
          try reader.connection.integer("SELECT page_size FROM pragma_page_size") ?? 0
        )
      }
      try #require(root > 1 && size >= 512)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
      try file.seek(toOffset: UInt64((root - 1) * size))
      try file.write(contentsOf: Data(repeating: 0x77, count: Int(size)))
      try file.close()
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
      for author in [nil, Author(name: "auditor")] {
        request.author = author
        let error = #expect(throws: StoreError.self) { _ = try check(request) { _ in } }
        #expect(error?.code == .damaged)
      }
    }
  }

  @Test("An erasure is refused if a log has a copy in the folder of another day.")
  func copiedLog() throws {
    try withDeletedGuest { world in
      let log = try #require(try world.files().first)
      let day = URL(fileURLWithPath: log).deletingLastPathComponent()
      let later = day.deletingLastPathComponent().appendingPathComponent("date=2999-01-01")
      try FileManager.default.copyItem(at: day, to: later)
      let copy = later.path + "/" + URL(fileURLWithPath: log).lastPathComponent
      let before = try contents(of: URL(fileURLWithPath: world.logs.path))
      var request = EraseRequest(logs: world.logs, entity: "Guest", object: 1)
      for isDryRun in [true, false] {
        request.isDryRun = isDryRun
        let error = #expect(throws: LogError.self) { _ = try erase(request) }
        #expect(error?.path == copy && error?.code == .gap)
        #expect(try contents(of: URL(fileURLWithPath: world.logs.path)) == before)
      }
      try FileManager.default.removeItem(at: later)
      #expect(try erase(request).transactions == 2)
    }
  }
}
