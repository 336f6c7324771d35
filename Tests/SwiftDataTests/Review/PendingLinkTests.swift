import Foundation
import SwiftData
import Testing

@Suite("Fetches between changes of links")
struct PendingLinkTests {
  private func tagged(_ context: ModelContext) throws -> Int {
    try context.fetchCount(
      FetchDescriptor<BucketListItem>(
        predicate: #Predicate { $0.tags.contains { $0.label == "t" } }
      )
    )
  }

  @Test("A link that was added and removed between two fetches is gone.")
  func cameAndWent() throws {
    let context = ModelContext(try tripContainer())
    let item = BucketListItem(title: "x")
    let tag = Tag(label: "t")
    context.insert(item)
    context.insert(tag)
    try context.save()
    item.tags.append(tag)
    #expect(try tagged(context) == 1)
    item.tags.removeAll()
    #expect(try tagged(context) == 0)
  }

  @Test("A link that was removed and added between two fetches is present.")
  func wentAndCame() throws {
    let context = ModelContext(try tripContainer())
    let item = BucketListItem(title: "x")
    let tag = Tag(label: "t")
    item.tags = [tag]
    context.insert(item)
    try context.save()
    item.tags.removeAll()
    #expect(try tagged(context) == 0)
    item.tags.append(tag)
    #expect(try tagged(context) == 1)
    context.delete(tag)
    #expect(
      try context.fetchCount(
        FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.tags.count == 0 })
      ) == 1
    )
    context.rollback()
    #expect(try tagged(context) == 1)
  }

  @Test("A member without an inverse that changes owners is seen with the new one.")
  func looseMove() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Board.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    )
    let first = Board(name: "A")
    let second = Board(name: "B")
    let note = Note(text: "n")
    first.notes = [note]
    context.insert(first)
    context.insert(second)
    try context.save()
    func owners() throws -> [String] {
      try context.fetch(
        FetchDescriptor<Board>(predicate: #Predicate { $0.notes.contains { $0.text == "n" } })
      ).map(\.name)
    }
    second.notes.append(note)
    first.notes.removeAll()
    #expect(try owners() == ["B"])
    second.notes.removeAll()
    first.notes.append(note)
    #expect(try owners() == ["A"])
  }
}
