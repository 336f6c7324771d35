import Foundation
import SwiftData
import Synchronization
import Testing

@Suite("Notifications and autosave")
struct NotificationTests {
  @Test("willSave and didSave are posted, with the identifiers of what was saved")
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

  @Test("the main context saves by itself")
  @MainActor func autosave() async throws {
    let container = try tripContainer()
    container.mainContext.insert(Trip(name: "A"))
    for _ in 0..<100 where container.mainContext.hasChanges {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(!container.mainContext.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test("a context made by hand does not save by itself")
  @MainActor func noAutosave() async throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    context.insert(Trip(name: "A"))
    try await Task.sleep(for: .milliseconds(250))
    #expect(context.hasChanges)
  }

  @Test("observers of a model learn of changes, on both sides of a relationship")
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

  @Test("a transaction saves what its closure did")
  func transaction() throws {
    let context = ModelContext(try tripContainer())
    try context.transaction { context.insert(Trip(name: "A")) }
    #expect(!context.hasChanges)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }
}
