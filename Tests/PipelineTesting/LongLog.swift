import ChangeLog
import Format
import Foundation
import Pipeline
import Store
import StoreTesting
import TestSupport

/// A store of 200 transactions, each of which inserts a camp, and its log of several members.
package struct LongLog {
  package let store: Store
  package let logs: LogFolder
  package let log: URL

  package init(_ folder: URL) throws {
    store = try Store.open(.file(folder.appendingPathComponent("a.store")), schema: worldSchema)
    let camp = worldSchema.index(of: "Camp") ?? 0
    var row = [Value](repeating: .null, count: store.layouts[camp].columns.count)
    var generator = SeededGenerator(for: "a long log")
    for id in 1...200 as ClosedRange<Int64> {
      // About 25 KiB that are hardly compressible.
      let noise = (0..<2_000).map { _ in String(generator.next(), radix: 36) }
      row[0] = .text("camp \(id) \(noise.joined())")
      try store.write(Author(name: "app")) { try $0.insert(camp, id: id, values: row) }
    }
    logs = LogFolder(folder.appendingPathComponent("logs").path)
    try logs.create()
    _ = try export(ExportRequest(store: store.location.path, logs: logs))
    log = URL(fileURLWithPath: try logs.files(of: store.identifier, lineage: 0)[0].path)
  }

  package var members: URL {
    let name = "_" + log.lastPathComponent.dropLast(".ndjson.gz".count) + ".members.ndjson"
    return log.deletingLastPathComponent().appendingPathComponent(name)
  }

  /// The offsets of members in the log, from the members file.
  package func offsets() throws -> [Int] {
    try String(contentsOf: members, encoding: .utf8).split(separator: "\n").dropFirst().compactMap {
      Int($0.split(separator: ":")[2].prefix { $0.isNumber })
    }
  }
}
