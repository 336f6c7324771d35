import Foundation
import SwiftData
import Testing

@Suite("Saving and fetching")
struct SavingTests {

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
}
