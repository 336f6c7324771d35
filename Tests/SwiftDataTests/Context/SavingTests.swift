import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Saving and fetching")
struct SavingTests {
  @Test("Another context finds a saved trip.")
  func roundTrip() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Fjord", destination: "Bergen", startDate: Date(timeIntervalSince1970: 1))
    trip.budget = 12.5
    context.insert(trip)
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(!context.hasChanges)

    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    #expect(found.name == "Fjord")
    #expect(found.destination == "Bergen")
    #expect(found.startDate == Date(timeIntervalSince1970: 1))
    #expect(found.endDate == nil)
    #expect(found.budget == 12.5)
    #expect(found.persistentModelID == trip.persistentModelID)
    #expect(found == trip)
    #expect(found !== trip)
  }

  @Test("A store on disk has its trips when it is opened again.")
  func reopening() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("trips.store")
    do {
      let container = try ModelContainer(for: Trip.self, configurations: .init(url: url))
      let context = ModelContext(container)
      context.insert(Trip(name: "Fjord"))
      try context.save()
    }
    let container = try ModelContainer(for: Trip.self, configurations: .init(url: url))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test("One row is one object in a context.")
  func identity() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    context.insert(Trip(name: "Fjord"))
    try context.save()
    let first = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let second = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    #expect(first === second)
  }

  @Test("An identifier is temporary until the object is saved, and permanent then.")
  func identifiers() throws {
    let context = ModelContext(try tripContainer())
    let trip = Trip(name: "Fjord")
    context.insert(trip)
    #expect(trip.persistentModelID.storeIdentifier == nil)
    let set: Set<Trip> = [trip]
    try context.save()
    #expect(trip.persistentModelID.storeIdentifier != nil)
    #expect(trip.persistentModelID.entityName == "Trip")
    #expect(set.contains(trip))
    let data = try JSONEncoder().encode(trip.persistentModelID)
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(context.model(for: decoded) === trip)
    let registered: Trip? = context.registeredModel(for: decoded)
    #expect(registered === trip)
  }

  @Test("Changes are listed, saved and seen by other contexts.")
  func changing() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Fjord")
    context.insert(trip)
    try context.save()
    trip.destination = "Oslo"
    trip.endDate = Date(timeIntervalSinceReferenceDate: 0.1)
    #expect(trip.hasChanges)
    #expect(context.changedModelsArray.first === trip)
    try context.save()
    #expect(!trip.hasChanges)
    let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    #expect(found.destination == "Oslo")
    #expect(found.endDate == Date(timeIntervalSinceReferenceDate: 0.1))
  }

  @Test("Deleted objects are gone after the save, and then have no context.")
  func deleting() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "Fjord")
    context.insert(trip)
    try context.save()
    context.delete(trip)
    #expect(trip.isDeleted)
    #expect(context.deletedModelsArray.count == 1)
    #expect(trip.modelContext != nil)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    try context.save()
    #expect(!trip.isDeleted)
    #expect(trip.modelContext == nil)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test("A rollback reverts all changes.")
  func rollback() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let kept = Trip(name: "Kept", destination: "Oslo")
    let deleted = Trip(name: "Deleted")
    context.insert(kept)
    context.insert(deleted)
    try context.save()
    kept.destination = "Bergen"
    kept.bucketList.append(BucketListItem(title: "Fjord"))
    context.delete(deleted)
    let new = Trip(name: "New")
    context.insert(new)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(kept.destination == "Oslo")
    #expect(kept.bucketList.isEmpty)
    #expect(!deleted.isDeleted)
    #expect(new.modelContext == nil)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test("Fetches see unsaved changes.")
  func pendingChanges() throws {
    let context = ModelContext(try tripContainer())
    let first = Trip(name: "A")
    context.insert(first)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    try context.save()
    let second = Trip(name: "B")
    context.insert(second)
    first.name = "C"
    let names = try context.fetch(FetchDescriptor<Trip>()).map(\.name).sorted()
    #expect(names == ["B", "C"])
    let found = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "C" }))
    #expect(found.first === first)
    var saved = FetchDescriptor<Trip>()
    saved.includePendingChanges = false
    #expect(try context.fetchCount(saved) == 1)
  }

  @Test("A trip with the same unique name updates the existing one.")
  func upsert() throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let old = Trip(name: "Fjord", destination: "Oslo")
    context.insert(old)
    try context.save()
    let new = Trip(name: "Fjord", destination: "Bergen")
    context.insert(new)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(old.destination == "Bergen")
    #expect(new.persistentModelID == old.persistentModelID)
    new.destination = "Voss"
    #expect(old.destination == "Voss")
  }
}
