import Foundation
import SwiftData
import TestSupport
import Testing

@Model final class Download {
  @Attribute(.unique) var name: String
  var size = 0
  @Attribute(.ephemeral) var progress = 0.0
  @Transient var speed = 0.0
  @Attribute(.externalStorage) var content: Data?
  init(name: String) { self.name = name }
}

@Suite("Rollback")
struct RollbackTests {
  @Test("An ephemeral value gets its value from before the change, and not its default.")
  func ephemeral() throws {
    let container = try ModelContainer(
      for: Download.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let download = Download(name: "a")
    download.progress = 0.25
    download.speed = 1
    context.insert(download)
    try context.save()
    download.progress = 0.5
    download.progress = 0.75
    download.speed = 2
    context.rollback()
    #expect(download.progress == 0.25)
    #expect(download.speed == 2)
    download.progress = 0.5
    try context.save()
    download.progress = 1
    context.delete(download)
    context.rollback()
    #expect(download.progress == 0.5)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Download>()).first?.progress == 0)
  }

  @Test("An optional value in a file is readable again after a rollback.")
  func external() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Download.self,
      configurations: ModelConfiguration(url: folder.file("a.store"))
    )
    let context = ModelContext(container)
    let download = Download(name: "a")
    let content = Data(repeating: 1, count: 300_000)
    download.content = content
    context.insert(download)
    try context.save()
    download.content = nil
    context.rollback()
    #expect(download.content == content)
    var partly = FetchDescriptor<Download>()
    partly.propertiesToFetch = [\.name]
    let other = ModelContext(container)
    #expect(try other.fetch(partly).first?.content == content)
  }

  /// A context with a saved "A", a new "A" that a save would merge with it, and a change that makes
  /// the save fail.
  private func failing() throws -> (ModelContext, old: Trip, new: Trip, culprit: Trip) {
    let context = ModelContext(try tripContainer())
    let old = Trip(name: "A", destination: "old")
    old.bucketList = [BucketListItem(title: "x")]
    context.insert(old)
    context.insert(Trip(name: "B"))
    let culprit = Trip(name: "C")
    context.insert(culprit)
    try context.save()
    let new = Trip(name: "A", destination: "new")
    new.bucketList = [BucketListItem(title: "y")]
    context.insert(new)
    culprit.name = "B"
    #expect(throws: (any Error).self) { try context.save() }
    return (context, old, new, culprit)
  }

  @Test("Objects that a failed save merged are separate again, with their own values.")
  func parted() throws {
    let (context, old, new, culprit) = try failing()
    #expect(old != new && !old.hasChanges && new.persistentModelID.storeIdentifier == nil)
    #expect(old.destination == "old" && new.destination == "new")
    #expect(old.bucketList.map(\.title) == ["x"] && new.bucketList.map(\.title) == ["y"])
    #expect(new.bucketList[0].trip === new)
    #expect(context.insertedModelsArray.count == 2 && context.changedModelsArray.count == 1)
    #expect(
      try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "A" })) == 2
    )
    culprit.name = "D"
    try context.save()
    #expect(old == new && old.destination == "new" && old.bucketList.count == 2)
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(found.map(\.name) == ["A", "B", "D"])
    #expect(found.map { $0.bucketList.count } == [2, 0, 0])
  }

  @Test("Objects that a failed save merged stay separate after a rollback.")
  func rolledBackUpsert() throws {
    let (context, old, new, _) = try failing()
    context.rollback()
    #expect(!context.hasChanges && new.modelContext == nil)
    new.destination = "elsewhere"
    #expect(old.destination == "old" && old.bucketList.map(\.title) == ["x"])
    #expect(!context.hasChanges)
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Trip>())
    #expect(Set(found.map(\.destination)) == ["old", ""])
  }

  @Test("Two new objects that a failed save merged are separate again.")
  func partedNew() throws {
    let context = ModelContext(try tripContainer())
    context.insert(Trip(name: "B"))
    let culprit = Trip(name: "C")
    context.insert(culprit)
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    let first = Trip(name: "A", destination: "1")
    let second = Trip(name: "A", destination: "2")
    context.insert(first)
    context.insert(second)
    culprit.name = "B"
    #expect(throws: (any Error).self) { try context.save() }
    #expect(first != second && first.destination == "1" && second.destination == "2")
    manager.undo()
    #expect(!context.hasChanges || culprit.name == "C")
    try context.save()
    let names = try ModelContext(context.container).fetch(FetchDescriptor<Trip>()).map(\.name)
    #expect(Set(names) == ["B", "C"])
  }
}
