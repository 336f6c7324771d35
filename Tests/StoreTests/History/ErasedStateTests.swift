import Format
import StoreTesting
import TestSupport
import Testing

@testable import Store

@Suite("Earlier states with erased values")
struct ErasedStateTests {
  /// A store whose tag has the words a, b, b and c after its transactions, and whose history has
  /// lost them.
  private func withErasedWords(_ body: (Store) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(
        .file(folder.appendingPathComponent("store")),
        schema: sampleSchema
      )
      func word(_ word: String) throws {
        try store.write(Author()) {
          try $0.update(tag, id: 1, columns: [0], values: [.text(word)])
        }
      }
      try store.save { try $0.tag(1).insert(word: "a") }
      try word("b")
      try store.save { try $0.tag(2).insert(word: "other") }
      try word("c")
      try store.eraseHistory(of: 1) { _, change, _ in
        change.entity.elementsEqual("Tag".utf8)
      }
      try body(store)
    }
  }

  private func differences(_ store: Store, _ first: Int64, _ second: Int64?) throws -> [String] {
    try store.read(after: first) { one in
      try store.read(after: second) { other in
        var found: [String] = []
        try one.differences(to: other) { difference in
          let special = String(decoding: difference.special, as: UTF8.self)
          found.append("\(difference.kind) \(difference.id) \(special)")
        }
        return found
      }
    }
  }

  @Test("Two states are equal only if they have the same erased value, and no value is invented.")
  func comparison() throws {
    try withErasedWords { store in
      let same = try differences(store, 1, 1)
      #expect(same == [])
      let changed = try differences(store, 1, 2)
      #expect(changed.count == 1)
      #expect(changed.first?.contains("erased") == true, "\(changed)")
      let inserted = try differences(store, 2, 3)
      #expect(inserted.count == 1)
      #expect(inserted.first?.hasPrefix("insert 2") == true, "\(inserted)")
      let known = try differences(store, 3, nil)
      #expect(known.count == 1)
      #expect(known.first?.hasPrefix("update 1") == true, "\(known)")
      #expect(known.first?.contains("erased") == true, "\(known)")
    }
  }

  @Test("A state with erased values is no complete state, and a store in memory has only one.")
  func refusals() throws {
    try withErasedWords { store in
      #expect(
        try storeError { try store.read(after: 2) { try $0.checkValuesAreKnown() } }.code
          == .irreversible
      )
      try store.read(after: 4) { try $0.checkValuesAreKnown() }
    }
    let memory = try Store.open(.memory("point"), schema: sampleSchema)
    try memory.save { try $0.tag(1).insert(word: "a") }
    #expect(try storeError { try memory.read(after: 0) { _ in } }.code == .misuse)
  }
}
