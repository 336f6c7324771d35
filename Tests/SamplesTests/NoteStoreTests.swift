import SwiftData
import TestSupport
import Testing

@Suite("Notes in a public actor")
struct NoteStoreTests {
  @Test("Notes are written, changed, pinned and removed.")
  func wholeStore() async throws {
    let store = try NoteStore.open(at: nil)
    let first = try await store.add("First\nmore")
    let second = try await store.add("Second")
    #expect(try await store.summaries().map(\.title) == ["First", "Second"])
    try await store.pin(second)
    #expect(try await store.update(first, text: "Changed"))
    #expect(try await store.update(UUID(), text: "nobody") == false)
    #expect(try await store.summaries().map(\.title) == ["Second", "Changed"])
    #expect(try await store.summaries().map(\.id) == [second, first])
    try await store.remove(second)
    #expect(try await store.summaries().map(\.id) == [first])
  }
}
