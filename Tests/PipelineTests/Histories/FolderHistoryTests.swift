import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("The histories in a log folder")
struct FolderHistoryTests {
  /// The ids of the transactions that are read for a range.
  private func ids(_ history: FolderHistory, _ range: ClosedRange<Int64>) throws -> [Int64] {
    var result: [Int64] = []
    try history.read(
      range,
      wants: { _ in false },
      change: { _, _ in },
      transaction: { result.append($0.id) }
    )
    return result
  }

  @Test("Logs that disappear while they are read are reported, but not those after the head.")
  func goneLogs() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "gone logs of a source")
      for id in 1...5 as ClosedRange<Int64> {
        try world.insertGuest(id)
        if id != 1 && id != 3 { try world.export() }
      }
      let history = try FolderHistory(world.logs, store: world.source.identifier)
      let read = { (range: ClosedRange<Int64>) in try self.ids(history, range) }
      #expect(try read(1...5) == [1, 2, 3, 4, 5] && read(2...3) == [2, 3])
      #expect(try read(5...9) == [5] && read(6...9) == [])
      try FileManager.default.removeItem(atPath: try #require(try world.files().last))
      #expect(try read(1...4) == [1, 2, 3, 4])
      for range in [1...5, 4...9, 5...5] as [ClosedRange<Int64>] {
        let error = #expect(throws: PipelineError.self) { _ = try read(range) }
        #expect(error?.code == .missingLogs, "\(range)")
      }
    }
  }

  @Test("A log that belongs to another history than the log before it is refused.")
  func otherHistory() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "two histories")
      try world.insertGuest(1)
      let path = folder.path + "/copy.store"
      try copyStore(world.path, to: path)
      try world.insertGuest(2)
      try world.export()
      let copy = try Store.open(.file(URL(fileURLWithPath: path)))
      let other = LogFolder(folder.path + "/other")
      try other.create()
      let guest = try #require(worldSchema.index(of: "Guest"))
      let values = copy.layouts[guest].columns.map { _ in Value.null }
      for id in 12...13 as ClosedRange<Int64> {
        try copy.write(Author()) { try $0.insert(guest, id: id, values: values) }
        _ = try export(ExportRequest(store: path, logs: other))
      }
      let store = world.source.identifier
      let log = try #require(try other.files(of: store, lineage: 0).last)
      #expect(log.range == 3...3)
      let target = world.logs.path + log.path.dropFirst(other.path.count)
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: target).deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try FileManager.default.copyItem(atPath: log.path, toPath: target)
      let history = try FolderHistory(world.logs, store: store)
      let read = { (range: ClosedRange<Int64>) in try self.ids(history, range) }
      #expect(try read(1...2) == [1, 2] && read(3...3) == [3])
      let error = #expect(throws: LogError.self) { _ = try read(1...3) }
      #expect(error?.code == .damaged && error?.path == target && error?.transaction == 3)
    }
  }

  @Test("Filtered logs are read across the end of a log whose last transaction was left out.")
  func filteredLogs() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "filtered history")
      var filter = ExportFilter()
      filter.authors = ["app"]
      let guest = try #require(worldSchema.index(of: "Guest"))
      let values = world.source.layouts[guest].columns.map { _ in Value.null }
      // Transaction 1 proves the description of the filter.
      try world.export { $0.filter = filter }
      try world.insertGuest(1)
      try world.source.write(Author(name: "other")) {
        try $0.insert(guest, id: 2, values: values)
      }
      try world.export { $0.filter = filter }
      try world.insertGuest(3)
      try world.export { $0.filter = filter }
      let logs = world.logs.partial(leavingOut: filter.words)
      let store = world.source.identifier
      #expect(try logs.files(of: store, lineage: 0).map(\.range) == [1...1, 2...3, 4...4])
      let history = try FolderHistory(logs, store: store)
      #expect(try history.outline().filter == filter.words)
      for (range, expected) in [
        (1...4, [1, 2, 4]), (1...3, [1, 2]), (3...3, []), (3...4, [4]), (4...5, [4]),
      ] as [(ClosedRange<Int64>, [Int64])] {
        #expect(try self.ids(history, range) == expected, "\(range)")
      }
      // Without filtered logs of its own, the folder itself has no history to show.
      let error = #expect(throws: LogError.self) { try FolderHistory(world.logs, store: store) }
      #expect(error?.code == .filtered && error?.path == logs.storeFolder(store))
    }
  }
}
