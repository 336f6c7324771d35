import Foundation
import SwiftData
import Testing

@Suite("Saving to custom stores")
struct CustomSavingTests {
  private struct Refusal: Error {}

  @Test("Changes that a store refuses are kept, and can be saved later.")
  func refusal() throws {
    let place = try StorePlace(.dictionary)
    let context = try place.context()
    let old = Trip(name: "old")
    let doomed = Trip(name: "doomed")
    context.insert(old)
    context.insert(doomed)
    try context.save()
    place.shelf.refusal = Refusal()
    let new = Trip(name: "new")
    new.bucketList = [BucketListItem(title: "1")]
    context.insert(new)
    old.destination = "x"
    context.delete(doomed)
    let temporary = new.persistentModelID
    #expect(throws: Refusal.self) { try context.save() }
    #expect(context.hasChanges && new.persistentModelID == temporary)
    #expect(context.insertedModelsArray.count == 2 && context.deletedModelsArray.count == 1)
    #expect(old.destination == "x" && doomed.isDeleted)
    #expect(try place.context().fetchCount(FetchDescriptor<Trip>()) == 2)
    place.shelf.refusal = nil
    try context.save()
    #expect(new.persistentModelID != temporary && !context.hasChanges)
    let found = try place.context().fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["new", "old"] && found[1].destination == "x")
    #expect(found[0].bucketList.map(\.title) == ["1"])
  }

  @Test("A custom store gets the author and the reason of each save.")
  func author() throws {
    let place = try StorePlace(.dictionary)
    let context = try place.context()
    context.author = "importer"
    context.transactionContext.reason = "ticket 7"
    context.insert(Trip(name: "A"))
    try context.save()
    #expect(place.shelf.author == "importer")
    #expect(place.shelf.reason == "ticket 7")
    #expect(context.editingState.author == "importer")
  }

  @Test("A context gets the values that a custom store changes during a save.")
  func reregistering() throws {
    let place = try StorePlace(.dictionary)
    place.shelf.afterSave = { record in
      var record = record
      if let name = record.values["name"] as? String { record.values["name"] = name.uppercased() }
      return record
    }
    let context = try place.context()
    let trip = Trip(name: "fjord")
    trip.bucketList = [BucketListItem(title: "swim")]
    context.insert(trip)
    try context.save()
    #expect(trip.name == "FJORD" && !context.hasChanges)
    #expect(trip.bucketList.map(\.title) == ["swim"])
    trip.name = "lake"
    try context.save()
    #expect(trip.name == "LAKE")
  }

  @Test("New objects that the store merges become one.")
  func twins() throws {
    let place = try StorePlace(.dictionary)
    let context = try place.context()
    let first = Trip(name: "A", destination: "x")
    let second = Trip(name: "A", destination: "y")
    second.bucketList = [BucketListItem(title: "1")]
    context.insert(first)
    context.insert(second)
    try context.save()
    #expect(first == second && first.persistentModelID == second.persistentModelID)
    #expect(first.destination == "y" && second.destination == "y")
    #expect(first.bucketList.map(\.title) == ["1"])
    #expect(first.bucketList.first?.trip == first)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    first.destination = "z"
    try context.save()
    #expect(second.destination == "z")
    #expect(try place.context().fetch(FetchDescriptor<Trip>()).map(\.destination) == ["z"])
  }

  @Test("A store that assigns no identifiers works within its process.")
  func noIdentities() throws {
    let place = try StorePlace(.dictionary)
    place.shelf.givesPermanentIdentifiers = false
    let context = try place.context()
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "1")]
    context.insert(trip)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Trip>()).first === trip)
    #expect(context.model(for: trip.persistentModelID) === trip)
    trip.destination = "x"
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(trip.bucketList.first?.trip === trip)
  }

  @Test("Notifications of a save have permanent identifiers.")
  func notifications() throws {
    let place = try StorePlace(.json)
    let context = try place.context()
    let told = Told()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { told.take($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    let trip = Trip(name: "A")
    context.insert(trip)
    try context.save()
    let id = trip.persistentModelID
    #expect(told.inserted == [id] && told.updated.isEmpty && told.deleted.isEmpty)
    trip.destination = "x"
    try context.save()
    #expect(told.inserted.isEmpty && told.updated == [id])
    context.delete(trip)
    try context.save()
    #expect(told.deleted == [id])
  }

  @Test("No temporary identifier is written to a file.")
  func remapping() throws {
    let place = try StorePlace(.json)
    let context = try place.context()
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "1"), BucketListItem(title: "2")]
    context.insert(trip)
    try context.save()
    trip.bucketList.append(BucketListItem(title: "3"))
    try context.save()
    let text = try String(contentsOf: place.folder.file("place.json"), encoding: .utf8)
    #expect(!text.contains("\"primaryKey\" : -"))
    #expect(text.components(separatedBy: "\"storeIdentifier\" : \"place.json\"").count == 4 + 6 + 1)
  }

  @Test("A change does not restore an object that was deleted elsewhere.")
  func deletedElsewhere() throws {
    let place = try StorePlace(.json)
    let container = try place.open()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let trip = Trip(name: "A")
    first.insert(trip)
    try first.save()
    let other = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
    first.delete(trip)
    try first.save()
    other.destination = "x"
    second.rollback()
    other.budget = 3
    #expect(throws: SwiftDataError.self) { try second.save() }
    second.rollback()
    #expect(try second.fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test("An object that is already gone can be deleted.", arguments: [StoreKind.json, .dictionary])
  func goneAlready(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    let container = try place.open()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let trip = Trip(name: "A")
    first.insert(trip)
    try first.save()
    let other = try #require(try second.fetch(FetchDescriptor<Trip>()).first)
    other.name = "B"
    second.rollback()
    first.delete(trip)
    try first.save()
    second.delete(other)
    try second.save()
    #expect(!second.hasChanges && other.modelContext == nil)
  }

  @Test("A value that could not be read is not saved as nil.")
  func unreadable() throws {
    let place = try StorePlace(.dictionary)
    place.shelf.hasCache = false
    let writer = try place.context()
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "1")]
    trip.livingAccommodation = LivingAccommodation(placeName: "Hut")
    writer.insert(trip)
    try writer.save()
    let context = try place.context()
    let found = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    found.destination = "x"
    found.bucketList.append(BucketListItem(title: "2"))
    context.rollback()
    found.destination = "y"
    place.shelf.silence = Refusal()
    #expect(found.bucketList.isEmpty && found.livingAccommodation == nil)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(throws: (any Error).self) { try context.save() }
    place.shelf.silence = nil
    // The error of the last reading is thrown once.
    do { try context.save() } catch { try context.save() }
    #expect(found.bucketList.map(\.title) == ["1"])
    let last = try #require(try place.context().fetch(FetchDescriptor<Trip>()).first)
    #expect(last.destination == "y" && last.bucketList.map(\.title) == ["1"])
    #expect(last.livingAccommodation?.placeName == "Hut")
  }

  @Test("Many contexts in many threads save to one store, one after the other.")
  func threads() async throws {
    let place = try StorePlace(.json)
    let container = try place.open(Reading.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let context = ModelContext(container)
          for step in 0..<5 {
            context.insert(Reading(number * 10 + step))
            try context.save()
            _ = try context.fetch(FetchDescriptor<Reading>())
          }
        }
      }
      try await group.waitForAll()
    }
    let values = try ModelContext(container).fetch(FetchDescriptor<Reading>()).map(\.value)
    let expected: [Int] = (0..<40).map { $0 / 5 * 10 + $0 % 5 }
    #expect(values.sorted() == expected)
    withExtendedLifetime(place) {}
  }
}

/// The content of the last notification.
private final class Told: @unchecked Sendable {
  // Posted and read on the thread of the test.
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []

  func take(_ notification: Notification) {
    typealias Key = ModelContext.NotificationKey
    func identifiers(_ key: Key) -> [PersistentIdentifier] {
      notification.userInfo?[key.rawValue] as? [PersistentIdentifier] ?? []
    }
    inserted = identifiers(.insertedIdentifiers)
    updated = identifiers(.updatedIdentifiers)
    deleted = identifiers(.deletedIdentifiers)
  }
}
