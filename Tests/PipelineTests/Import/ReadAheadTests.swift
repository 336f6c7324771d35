import Foundation
import PipelineTesting
import StoreTesting
import TestSupport
import Testing

@testable import ChangeLog
@testable import Pipeline
@testable import Store

@Suite("Reading ahead of a replay")
struct ReadAheadTests {
  /// A log of small transactions and a few that need several batches.
  private func log(_ folder: URL, _ name: String) throws -> String {
    var world = try World(folder, name)
    let hotel = try #require(worldSchema.index(of: "Hotel"))
    for round in 0..<3 {
      try world.write(5)
      try world.source.write(Author()) { writer in
        for row in 0..<1200 {
          let name = String(repeating: "Grand \(round) \(row) \"x\" ", count: 20)
          try writer.insert(
            hotel,
            id: Int64(10_000 * (round + 1) + row),
            values: [.text(name), .null, .null, .null, .integer(4)]
          )
        }
      }
    }
    try world.write(5)
    try world.export()
    let files = try world.logs.files(of: world.source.identifier, lineage: 0)
    try #require(files.count == 1)
    return files[0].path
  }

  /// The changes that a reader returns without reading ahead.
  private func plainly(_ reader: LogReader) throws -> [String] {
    var result: [String] = []
    while let transaction = try reader.next({ change, transaction, count in
      result.append(
        "\(transaction) of \(count): \(change.sequence) \(change.kind) \(change.object)"
      )
    }) {
      result.append("end of \(transaction.id)")
    }
    return result
  }

  @Test("Reading ahead returns the transactions of the log in their order.")
  func order() throws {
    try withTemporaryFolder { folder in
      let path = try log(folder, "read ahead")
      let source = ReadAhead(try LogReader(path: path))
      var steps: [String] = []
      var open = (id: Int64(0), count: Int64(0))
      while let step = try source.next() {
        switch step {
        case .begin(let transaction, let count): open = (transaction, count)
        case .changes(let changes, let range):
          for index in range {
            let change = changes.parts[index].change
            steps.append(
              "\(open.id) of \(open.count): \(change.sequence) \(change.kind) \(change.object)"
            )
          }
          #expect(changes.refusals.isEmpty)
        case .end(let transaction): steps.append("end of \(transaction.id)")
        }
      }
      #expect(try steps == plainly(LogReader(path: path)))
      #expect(try source.next() == nil)
    }
  }

  @Test("Reading ahead can be stopped at any step, and while it waits.")
  func stopping() throws {
    try withTemporaryFolder { folder in
      let path = try log(folder, "stopping")
      for taken in 0..<40 {
        let source = ReadAhead(try LogReader(path: path))
        for _ in 0..<taken { _ = try source.next() }
        // Gives the thread time to fill all batches.
        if taken % 10 == 0 { usleep(50_000) }
        source.stop()
      }
    }
  }

  @Test("Damage is reported after all transactions before it.")
  func damage() throws {
    try withTemporaryFolder { folder in
      let path = try log(folder, "damage ahead")
      // Finds the digest of the last transaction, which is before that of the trailer.
      var parts = try gunzip(path).components(separatedBy: #""digest":""#)
      let last = parts.count - 2
      parts[last] = (parts[last].hasPrefix("0") ? "1" : "0") + parts[last].dropFirst()
      let text = parts.joined(separator: #""digest":""#)
      let altered = folder.appendingPathComponent("altered.ndjson.gz").path
      try Data(GzipCompressor(level: 1, path: altered).member(of: Array(text.utf8)))
        .write(to: URL(fileURLWithPath: altered))
      let whole = try plainly(LogReader(path: path)).filter { $0.hasPrefix("end") }
      let source = ReadAhead(try LogReader(path: altered))
      var ends = 0
      let error = #expect(throws: LogError.self) {
        while let step = try source.next() {
          if case .end = step { ends += 1 }
        }
      }
      #expect(error?.code == .damaged)
      #expect(ends == whole.count - 1)
    }
  }
}
