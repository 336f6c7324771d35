import SQLite
import Testing

@testable import Format
@testable import Store

@Suite("Comparing rows with history")
struct RowCheckTests {
  @Test("The large values of a row are removed before the next row is compared.")
  func largeValues() throws {
    try withForeignStore { store, _ in
      for id in 1...3 as ClosedRange<Int64> {
        let text = String(repeating: "long ", count: 240_000) + "\(id)"
        try store.write(Author()) { try $0.insert(Kind.tag, id: id, values: [.text(text)]) }
      }
      try store.read { reader in
        try reader.withPassingValues { passing in
          var touched: [Bool] = []
          let check = try StateCheck(
            reader.connection,
            schema: store.schema,
            blobs: passing.blobs
          ) {
            touched.append(passing.blobs.isTouched)
            try passing.removeAll()
          }
          try check.readHistory(since: nil) { Issue.record("\($0)") }
          try check.compareRows { Issue.record("\($0)") }
          #expect(touched == [true, true, true])
        }
      }
    }
  }
}
