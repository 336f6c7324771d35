import ChangeLog
import Changes
import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("Refused erasures, checks and trees")
struct EraseRefusalTests {
  /// Calls `body`, and expects an error of the pipeline with the wording of another error.
  private func expect(_ expected: PipelineError, _ body: () throws -> Void) {
    let error = #expect(throws: PipelineError.self) { try body() }
    #expect(error?.code == expected.code)
    #expect(error?.message == expected.message && error?.hint == expected.hint)
  }

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

  @Test("An erasure in the logs of two stores is refused unless the request names a store.")
  func severalStores() throws {
    try withDeletedGuest { world in
      let second = world.folder.appendingPathComponent("second")
      try FileManager.default.createDirectory(at: second, withIntermediateDirectories: true)
      let other = try World(second, "other logs")
      try other.insertGuest(1)
      try other.export { $0.logs = world.logs }
      let stores = [world.source.identifier, other.source.identifier].sorted()
      var request = EraseRequest(logs: world.logs, entity: "Guest", object: 1)
      let several = PipelineError.Reason.severalStores(stores, choice: .file)
      for isDryRun in [true, false] {
        request.isDryRun = isDryRun
        expect(PipelineError(several, logs: world.logs.path)) { _ = try erase(request) }
      }
      request.origin = world.source.identifier
      let result = try erase(request)
      #expect(result.store == world.source.identifier && result.transactions == 2)
    }
  }

  @Test("An erasure in the logs of an unknown store names the stores that have logs.")
  func unknownStore() throws {
    try withDeletedGuest { world in
      let identifier = world.source.identifier
      let logs = world.logs.path
      var request = EraseRequest(logs: world.logs, entity: "Guest", object: 1)
      request.origin = "another"
      expect(PipelineError(.noLogsOfStore("another", others: [identifier]), logs: logs)) {
        _ = try erase(request)
      }
      request.origin = identifier
      request.isDryRun = true
      #expect(try erase(request).transactions == 2)
      request.origin = nil
      let result = try erase(request)
      #expect(result.store == identifier && result.transactions == 2)
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
      let other = PipelineError(.isOfOtherEntity("Camp", ObjectName("Hotel", id: 3)))
      expect(other) { _ = try erase(request("Hotel")) }
      for entity in ["Camp", "Place"] {
        expect(PipelineError(.isThere("\(entity) 3"))) { _ = try erase(request(entity)) }
      }
      try world.source.write(Author()) { try $0.delete(camp, id: 3) }
      try world.export()
      expect(other) { _ = try erase(request("Hotel")) }
      #expect(try erase(request("Place")).transactions == 2)
    }
  }

  @Test("The refusal to erase a present value names the transaction that the logs begin with.")
  func presentSince() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "present since a snapshot")
      try world.insertGuest(1, note: "a")
      try world.setNote(1, "b")
      try world.export()
      try world.insertGuest(2)
      _ = try prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
      let other = LogFolder(folder.path + "/other")
      try other.create()
      let base = try startLogs(of: world.path, in: other).from.transaction
      try world.insertGuest(3)
      // A later snapshot also has the value, but the value was set before.
      let later = try world.export {
        $0.logs = other
        $0.wantsSnapshot = true
      }
      #expect(later.snapshot != nil && later.to.transaction > base)
      var request = EraseRequest(logs: other, entity: "Guest", object: 1)
      request.attributes = ["note"]
      expect(PipelineError(.hasValue("note", of: "Guest 1", since: base), logs: other.path)) {
        _ = try erase(request)
      }
      request.attributes = []
      expect(PipelineError(.isThere("Guest 1"), logs: other.path)) { _ = try erase(request) }
      // After a change, the earlier values in both snapshots are erased.
      try world.setNote(1, "c")
      try world.export { $0.logs = other }
      request.attributes = ["note"]
      request.isDryRun = true
      let plan = try erase(request)
      #expect(plan.transactions == 3 && plan.values == 3 && plan.files.count == 3)
    }
  }

  @Test("An export to a stream leaves the logs in its folder and their tree as they are.")
  func stream() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "stream beside logs")
      try world.insertGuest(1)
      try world.export()
      let token = folder.path + "/token.json"
      try FileManager.default.copyItem(
        atPath: world.logs.token(of: world.source.identifier),
        toPath: token
      )
      try world.insertGuest(2)
      let before = try contents(of: URL(fileURLWithPath: world.logs.path))
      let output = folder.appendingPathComponent("output")
      #expect(FileManager.default.createFile(atPath: output.path, contents: nil))
      let file = try FileHandle(forWritingTo: output)
      let result = try world.export {
        $0.token = token
        $0.stream = file.fileDescriptor
      }
      try file.close()
      #expect(result.transactions == 1 && result.to.transaction == 2)
      #expect(try contents(of: URL(fileURLWithPath: world.logs.path)) == before)
      let tree = try #require(
        try LineageTree(world.logs, store: world.source.identifier, lineage: 0)
      )
      #expect(tree.last.transaction == 1)
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

  @Test("A check with logs needs the folder, and logs of the state that history begins with.")
  func checkWithLogs() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "check with logs")
      for id in 1...3 as ClosedRange<Int64> { try world.insertGuest(id) }
      try world.export()
      let none = LogFolder(folder.path + "/none")
      var request = CheckRequest(store: world.path)
      request.logs = none
      let missing = try #require(missingFolder(none) as? PipelineError)
      expect(missing) { _ = try check(request) { _ in } }
      // While history is whole, no log is needed.
      let empty = LogFolder(folder.path + "/empty")
      try empty.create()
      request.logs = empty
      #expect(try check(request) { _ in }.isComplete)
      _ = try prune(PruneRequest(store: world.path, logs: world.logs, keep: .zero))
      let error = #expect(throws: PipelineError.self) { _ = try check(request) { _ in } }
      #expect(error?.store == "the state that history begins with")
      request.logs = world.logs
      #expect(try check(request) { _ in }.unknown == 0)
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
