import SQLite
import Testing

@testable import Format
@testable import Store

@Suite("Ids and errors of a writer")
struct WriterTests {
  private func reserve(_ count: Int, in store: Store) throws -> Int64 {
    try store.write(Author()) { try $0.reserveIDs("Tag", count: count) }
  }

  @Test("The highest possible id can be reserved, and then the table has no ids left.")
  func lastID() throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) { try $0.insert(tag, id: .max - 2, values: [.text("t")]) }
      let early = try storeError { _ = try reserve(3, in: store) }
      #expect(early.code == .invalidValue && early.message.contains("Tag"))
      #expect(try reserve(2, in: store) == .max - 1)
      #expect(try storeError { _ = try reserve(1, in: store) }.code == .invalidValue)
    }
  }

  @Test("Dropped triggers are created again also if another program set a negative schema version.")
  func negativeVersion() throws {
    for version in [-2, -1] as [Int64] {
      try withStore(.file) { store, _ in
        let other = try Connection(path: store.location.path, mode: .readWrite)
        let trigger = try captureTrigger("after_insert", of: "Tag", on: other)
        try other.execute("DROP TRIGGER \(trigger); PRAGMA schema_version = \(version)")
        #expect(try other.integer("PRAGMA schema_version") == version)
        try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("a")]) }
        #expect(try StoreCapture.of(sampleSchema)?.isInstalled(on: other) == true)
      }
    }
  }
}
