import Audit
import Format
import Foundation
import Pipeline
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Report

@Suite("Lines of a report's page")
struct PageLineTests {
  @Test("A change that is copied from its line equals the change that is written from its values.")
  func copies() throws {
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "lines of a page"))
      let url = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      for _ in 0..<40 { try world.write(to: store) }
      // A name with an escape, one that is too long for a list, and a value that the page cuts.
      let camp = try #require(worldSchema.index(of: "Camp"))
      try store.write(Author(name: nil)) { writer in
        let width = writer.layouts[camp].columns.count
        for (id, length) in [(9001, 0), (9002, 400), (9003, 9000)] as [(Int64, Int)] {
          var values = [Value](repeating: .null, count: width)
          values[0] = .text("\"\\\u{1}é" + String(repeating: "x", count: length))
          try writer.insert(camp, id: id, values: values)
        }
        try writer.update(camp, id: 9003, columns: [0], values: [.text("")])
      }
      let history = try History(url.path)
      let vocabulary = Vocabulary(history.outline.schema)
      var (kinds, count): (Set<ChangeKind>, Int) = ([], 0)
      try history.source.read(
        try #require(history.range),
        wants: { _ in true },
        change: { change, _ in
          let difference = ObjectDifference(change, vocabulary: vocabulary)
          var (copied, written): ([UInt8], [UInt8]) = ([], [])
          PageLine.append(change, vocabulary: vocabulary, isFirst: false, to: &copied)
          PageLine.append(difference, isFirst: false, to: &written)
          #expect(copied == written, "\(String(decoding: written, as: UTF8.self))")
          if change.special.isEmpty, change.large.isEmpty { kinds.insert(change.kind) }
          count += 1
        },
        transaction: { _ in }
      )
      #expect(kinds == [.insert, .update, .delete] && count > 100)
    }
  }
}
