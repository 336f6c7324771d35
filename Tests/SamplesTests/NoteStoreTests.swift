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

  @Test("A generic actor and one that is written by hand use the same container.")
  func otherActors() async throws {
    try await withTemporaryFolder { folder in
      let store = try NoteStore.open(at: folder.appending(path: "notes.store"))
      for text in ["b", "a", "c"] { try await store.add(text) }
      #expect(try await Counter<Note>(modelContainer: store.modelContainer).count() == 3)
      let handmade = HandmadeNoteStore(modelContainer: store.modelContainer)
      #expect(try await handmade.texts() == ["a", "b", "c"])
    }
  }

  @Test("A note has its own identifier besides that of its store.")
  func identities() throws {
    let id = UUID()
    let note = Note(id: id, text: "x", createdAt: .distantPast)
    #expect(note.id == id && note.createdAt == .distantPast)
    #expect(note.persistentModelID.entityName == "Note")
    #expect(note.persistentModelID.storeIdentifier == nil)
  }
}
