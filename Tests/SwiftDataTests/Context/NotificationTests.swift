import Foundation
import SwiftData
import Synchronization
import Testing

@Suite("Notifications and autosave")
struct NotificationTests {
  @Test("willSave and didSave are posted with the identifiers of the saved objects.")
  func identifiers() throws {
    let context = ModelContext(try tripContainer())
    let log = Mutex<[String]>([])
    let saved = Mutex<[String: [PersistentIdentifier]]>([:])
    let center = NotificationCenter.default
    let will = center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) {
      _ in
      log.withLock { $0.append("will") }
    }
    let did = center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      let info = $0.userInfo ?? [:]
      log.withLock { $0.append("did") }
      for key in [
        ModelContext.NotificationKey.insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
      ] {
        let identifiers = info[key.rawValue] as? [PersistentIdentifier]
        saved.withLock { $0[key.rawValue] = identifiers }
      }
    }
    defer {
      center.removeObserver(will)
      center.removeObserver(did)
    }
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "x")]
    context.insert(trip)
    try context.save()
    #expect(log.withLock { $0 } == ["will", "did"])
    #expect(saved.withLock { $0["inserted"]?.count } == 2)
    let identifier = trip.persistentModelID
    #expect(saved.withLock { $0["inserted"]?.contains(identifier) } == true)
    trip.budget = 3
    try context.save()
    #expect(saved.withLock { $0["updated"] } == [identifier])
    context.delete(trip)
    try context.save()
    #expect(saved.withLock { $0["deleted"]?.count } == 2)
    try context.save()
    #expect(log.withLock { $0.count } == 6)
  }

  /// The content of a save's notification, as names of entities with the keys of their rows.
  private func told(
    by context: ModelContext,
    _ body: () throws -> Void
  ) throws -> [String: Set<PersistentIdentifier>] {
    let told = Mutex<[String: Set<PersistentIdentifier>]>([:])
    let center = NotificationCenter.default
    let observer = center.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { notification in
      for (key, value) in notification.userInfo ?? [:] {
        guard let key = key as? String, let list = value as? [PersistentIdentifier] else {
          continue
        }
        #expect(Set(list).count == list.count)
        told.withLock { $0[key] = Set(list) }
      }
    }
    defer { center.removeObserver(observer) }
    try body()
    return told.withLock { $0 }
  }

  @Test("didSave lists objects that lost references or links by delete rules, unread ones too.")
  func ruledUpdates() throws {
    let container = try ModelContainer(
      for: Trip.self,
      Board.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let setup = ModelContext(container)
    let trip = Trip(name: "A")
    let item = BucketListItem(title: "x", trip: trip)
    let tag = Tag(label: "t")
    item.tags = [tag]
    let board = Board(name: "b")
    let note = Note(text: "n")
    let member = Note(text: "m")
    board.pinned = note
    for model in [trip, tag, board, note, member] as [any PersistentModel] { setup.insert(model) }
    try setup.save()
    let identifiers = (
      trip: trip.persistentModelID, item: item.persistentModelID, tag: tag.persistentModelID,
      board: board.persistentModelID, note: note.persistentModelID, member: member.persistentModelID
    )

    let first = ModelContext(container)
    let pinned = try told(by: first) {
      try first.delete(model: Note.self, where: #Predicate { $0.text == "n" })
      try first.save()
    }
    #expect(
      pinned == ["inserted": [], "updated": [identifiers.board], "deleted": [identifiers.note]]
    )

    let cascaded = try told(by: first) {
      try first.delete(model: Trip.self)
      try first.save()
    }
    #expect(cascaded["deleted"] == [identifiers.trip, identifiers.item])
    #expect(cascaded["updated"] == [identifiers.tag])

    let found = try #require(try first.fetch(FetchDescriptor<Board>()).first)
    let notes = try first.fetch(FetchDescriptor<Note>())
    let joined = try told(by: first) {
      found.notes = notes
      try first.save()
    }
    #expect(joined["updated"] == [identifiers.board, identifiers.member])
  }

  @Test("Collections in memory lose the objects that a delete rule removed in the store.")
  func ruledCollections() throws {
    let container = try tripContainer()
    let setup = ModelContext(container)
    let trip = Trip(name: "A")
    let item = BucketListItem(title: "x", trip: trip)
    item.tags = [Tag(label: "t")]
    setup.insert(item)
    try setup.save()
    let context = ModelContext(container)
    let tag = try #require(try context.fetch(FetchDescriptor<Tag>()).first)
    let kept = tag.items
    try context.delete(model: Trip.self)
    try context.save()
    #expect(tag.items.isEmpty)
    #expect(kept[0].modelContext == nil)
    tag.label = "u"
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test("The main context saves automatically.")
  @MainActor func autosave() async throws {
    let container = try tripContainer()
    container.mainContext.insert(Trip(name: "A"))
    for _ in 0..<100 where container.mainContext.hasChanges {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(!container.mainContext.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test("A context that the application creates does not save automatically.")
  @MainActor func noAutosave() async throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    context.insert(Trip(name: "A"))
    try await Task.sleep(for: .milliseconds(250))
    #expect(context.hasChanges)
  }

  @Test("Observers of a model are notified of changes on both sides of a relationship.")
  func observation() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "A")
    let item = BucketListItem(title: "x")
    context.insert(trip)
    context.insert(item)
    let changes = Mutex(0)
    func watch(_ read: () -> Void) {
      withObservationTracking(read) { changes.withLock { $0 += 1 } }
    }
    watch { _ = trip.name }
    trip.budget = 1
    #expect(changes.withLock { $0 } == 0)
    trip.name = "B"
    #expect(changes.withLock { $0 } == 1)
    watch { _ = item.trip }
    trip.bucketList.append(item)
    #expect(changes.withLock { $0 } == 2)
    watch { _ = trip.bucketList }
    item.trip = nil
    #expect(changes.withLock { $0 } == 3)
    try context.save()
    trip.name = "C"
    watch { _ = trip.name }
    context.rollback()
    #expect(changes.withLock { $0 } == 4)
    #expect(trip.name == "B")
  }

  @Test("A transaction saves the changes of its closure.")
  func transaction() throws {
    let context = ModelContext(try tripContainer())
    try context.transaction { context.insert(Trip(name: "A")) }
    #expect(!context.hasChanges)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }
}
