import SQLite
import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("Comparing rows with history")
struct RowCheckTests {
  /// The differences of tags after SQL without triggers, in a store with the tags 2 and 4.
  private func differences(_ sql: String) throws -> [String] {
    var result: [String] = []
    try withForeignStore { store, connection in
      try store.write(Author()) { writer in
        for id in [2, 4] as [Int64] {
          try writer.insert(Kind.tag, id: id, values: [.text("t\(id)")])
        }
      }
      try connection.setTriggers(enabled: false)
      try connection.execute(sql)
      try store.check { finding in
        guard case .row(let change) = finding else { return result.append("\(finding)") }
        result.append("\(change.sequence) \(change.kind) \(change.object)")
      }
    }
    return result
  }

  @Test("Rows before, between and after the known objects are found and numbered from 0.")
  func inserted() throws {
    let all = "INSERT INTO Tag VALUES (1, 'a'), (3, 'b'), (5, 'c'), (6, 'd')"
    #expect(try differences(all) == ["0 insert 1", "1 insert 3", "2 insert 5", "3 insert 6"])
    #expect(try differences("INSERT INTO Tag VALUES (5, 'c')") == ["0 insert 5"])
    #expect(try differences("SELECT 1") == [])
  }

  @Test("A text that becomes the digest of its earlier value is a changed text.")
  func digestAsText() throws {
    try withForeignStore { store, connection in
      // The first text is the base64 form of three zeros, as history would have it for a blob.
      let long = String(repeating: "long ", count: 240_000)
      for (id, text) in [(1, "AAAA"), (2, long)] as [(Int64, String)] {
        try store.write(Author()) { try $0.insert(Kind.tag, id: id, values: [.text(text)]) }
      }
      try connection.setTriggers(enabled: false)
      for (id, bytes) in [(1, [0, 0, 0]), (2, Array(long.utf8))] as [(Int64, [UInt8])] {
        try connection.run(
          "UPDATE Tag SET word = ?2 WHERE id = ?1",
          values: [.integer(id), .text(SHA256.digest(of: bytes).description)]
        )
      }
      #expect(
        try findings(store)
          == (1...2).map {
            #"Tag \#($0) has other values than in history: ["word"]"#
          }
      )
    }
  }

  @Test("Missing and changed rows are found and numbered from 0, also at the end.")
  func missing() throws {
    #expect(try differences("DELETE FROM Tag") == ["0 delete 2", "1 delete 4"])
    #expect(try differences("DELETE FROM Tag WHERE id = 4") == ["0 delete 4"])
    #expect(try differences("DELETE FROM Tag WHERE id = 2") == ["0 delete 2"])
    #expect(try differences("UPDATE Tag SET word = word || 'x'") == ["0 update 2", "1 update 4"])
  }

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
          try check.readHistory(nil, since: nil) { Issue.record("\($0)") }
          try check.compareRows { Issue.record("\($0)") }
          #expect(touched == [true, true, true])
        }
      }
    }
  }
}
