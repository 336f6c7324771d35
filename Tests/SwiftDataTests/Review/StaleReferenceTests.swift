import Foundation
import SwiftData
import TestSupport
import Testing

@Model final class Board {
  @Attribute(.unique) var name: String
  var notes: [Note] = []
  var pinned: Note?
  @Attribute(.externalStorage) var picture = Data()
  init(name: String) { self.name = name }
}

@Model final class Note {
  @Attribute(.unique) var text: String
  init(text: String) { self.text = text }
}

@Suite("References to released, deleted and moved objects")
struct StaleReferenceTests {
  private func boards() throws -> ModelContainer {
    try ModelContainer(
      for: Board.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
  }

  @Test("A child whose parent was released finds the parent in the store.")
  func parentGone() throws {
    let context = ModelContext(try tripContainer())
    let item = BucketListItem(title: "x")
    do {
      let trip = Trip(name: "A")
      context.insert(trip)
      trip.bucketList.append(item)
      try context.save()
    }
    #expect(item.trip?.name == "A")
    item.title = "y"
    try context.save()
    #expect(item.trip?.name == "A")
  }

  @Test("A parent whose collection was never read is released with its new children.")
  func release() throws {
    let container = try tripContainer()
    let setup = ModelContext(container)
    setup.insert(Trip(name: "A"))
    try setup.save()
    let context = ModelContext(container)
    weak var weakTrip: Trip?
    do {
      let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
      let item = BucketListItem(title: "x", trip: trip)
      context.insert(item)
      try context.save()
      weakTrip = trip
    }
    #expect(weakTrip == nil)
  }

  @Test("The next save does not write a saved link again.")
  func linkOnce() throws {
    let container = try tripContainer()
    let setup = ModelContext(container)
    setup.insert(Tag(label: "t"))
    setup.insert(BucketListItem(title: "x"))
    try setup.save()
    let context = ModelContext(container)
    let tag = try #require(try context.fetch(FetchDescriptor<Tag>()).first)
    let item = try #require(try context.fetch(FetchDescriptor<BucketListItem>()).first)
    item.tags.append(tag)
    try context.save()
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<BucketListItem>()).first).tags = []
    try other.save()
    tag.label = "u"
    try context.save()
    let third = ModelContext(container)
    #expect(try third.fetch(FetchDescriptor<BucketListItem>()).first?.tags.isEmpty == true)
  }

  @Test("A new one-to-one partner replaces one that was not in memory.")
  func stealing() throws {
    let container = try tripContainer()
    let setup = ModelContext(container)
    let trip = Trip(name: "A")
    trip.livingAccommodation = LivingAccommodation(placeName: "old")
    setup.insert(trip)
    try setup.save()
    let context = ModelContext(container)
    let found = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let new = LivingAccommodation(placeName: "new")
    context.insert(new)
    new.trip = found
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<LivingAccommodation>())
    #expect(all.filter { $0.trip != nil }.map(\.placeName) == ["new"])
    #expect(try other.fetch(FetchDescriptor<Trip>()).first?.livingAccommodation?.placeName == "new")
  }

  @Test("A value that was rolled back can be changed, undone and read.")
  func undoAfterRollback() throws {
    let context = ModelContext(try tripContainer())
    let manager = UndoManager()
    context.undoManager = manager
    let trip = Trip(name: "A", destination: "Oslo")
    let item = BucketListItem(title: "x", trip: trip)
    context.insert(item)
    try context.save()
    trip.destination = "Bergen"
    item.trip = nil
    context.rollback()
    trip.destination = "Voss"
    item.trip = nil
    manager.undo()
    #expect(trip.destination == "Oslo")
    #expect(item.trip === trip)
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Trip>()).first?.destination == "Oslo")
    #expect(try other.fetch(FetchDescriptor<BucketListItem>()).first?.trip != nil)
  }

  @Test("Undoing saved links changes the store too.")
  func undoneLinks() throws {
    let context = ModelContext(try tripContainer())
    let manager = UndoManager()
    let item = BucketListItem(title: "x")
    let tag = Tag(label: "t")
    context.insert(item)
    context.insert(tag)
    try context.save()
    context.undoManager = manager
    item.tags.append(tag)
    try context.save()
    manager.undo()
    #expect(item.tags.isEmpty && tag.items.isEmpty)
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Tag>()).first?.items.isEmpty == true)
  }

  @Test("Undo restores large data that is kept in a file, after a save too.")
  func undoneData() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Board.self,
      configurations: ModelConfiguration(url: folder.file("a.store"))
    )
    let setup = ModelContext(container)
    let big = Data(repeating: 7, count: 300_000)
    let made = Board(name: "A")
    made.picture = big
    setup.insert(made)
    try setup.save()
    let context = ModelContext(container)
    let manager = UndoManager()
    context.undoManager = manager
    let board = try #require(try context.fetch(FetchDescriptor<Board>()).first)
    board.picture = Data([1])
    try context.save()
    manager.undo()
    #expect(board.picture == big)
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Board>()).first?.picture == big)
  }

  @Test("A collection without an inverse is kept after an upsert of its owner and of its members.")
  func looseUpsert() throws {
    let container = try boards()
    let context = ModelContext(container)
    context.insert(Board(name: "A"))
    context.insert(Note(text: "n"))
    try context.save()
    let board = Board(name: "A")
    board.notes = [Note(text: "n"), Note(text: "m")]
    context.insert(board)
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Board>()).first)
    #expect(Set(found.notes.map(\.text)) == ["m", "n"])
    #expect(try other.fetchCount(FetchDescriptor<Note>()) == 2)
  }

  @Test("A member that moved to another owner is not removed from it by the first one.")
  func looseMove() throws {
    let context = ModelContext(try boards())
    let first = Board(name: "A")
    let second = Board(name: "B")
    let note = Note(text: "n")
    first.notes = [note]
    context.insert(first)
    context.insert(second)
    try context.save()
    second.notes.append(note)
    try context.save()
    #expect(first.notes.isEmpty)
    context.delete(note)
    try context.save()
    #expect(second.notes.isEmpty)
  }

  @Test("A reference to an unsaved object that was deleted is nil.")
  func deletedTarget() throws {
    let context = ModelContext(try boards())
    let board = Board(name: "A")
    let note = Note(text: "n")
    board.pinned = note
    context.insert(board)
    context.delete(note)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Board>()).count == 1)
  }

  @Test("A reference without an inverse does not lead to an object that is to be deleted.")
  func deletedWithoutInverse() throws {
    let context = ModelContext(try boards())
    let board = Board(name: "A")
    let note = Note(text: "n")
    board.pinned = note
    board.notes = [note, Note(text: "m")]
    context.insert(board)
    try context.save()
    context.delete(note)
    #expect(board.pinned == nil)
    #expect(board.notes.map(\.text) == ["m"])
    context.insert(note)
    #expect(board.pinned === note)
    #expect(board.notes.count == 2)
    context.delete(note)
    context.rollback()
    #expect(board.pinned === note)
    #expect(board.notes.count == 2)
    context.delete(note)
    board.notes.append(Note(text: "o"))
    try context.save()
    #expect(board.pinned == nil)
    let other = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Board>()).first
    )
    #expect(Set(other.notes.map(\.text)) == ["m", "o"])
    #expect(other.pinned == nil)

    let unsaved = Note(text: "u")
    board.pinned = unsaved
    board.notes.append(unsaved)
    context.delete(unsaved)
    #expect(board.pinned == nil && board.notes.count == 2)
    context.insert(unsaved)
    #expect(board.pinned === unsaved && board.notes.count == 3)
  }

  @Test("A collection contains an object once, however often it was added.")
  func once() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "A")
    context.insert(trip)
    let item = BucketListItem(title: "x")
    trip.bucketList = [item, item]
    #expect(trip.bucketList.count == 1)
  }

  @Test("An object whose parent was rolled back still leaves its old parent.")
  func movedAgain() throws {
    let context = ModelContext(try tripContainer())
    let first = Trip(name: "A")
    let second = Trip(name: "B")
    let item = BucketListItem(title: "x")
    first.bucketList = [item]
    context.insert(first)
    context.insert(second)
    try context.save()
    item.trip = second
    context.rollback()
    item.trip = second
    #expect(first.bucketList.isEmpty && second.bucketList.count == 1)
  }
}
