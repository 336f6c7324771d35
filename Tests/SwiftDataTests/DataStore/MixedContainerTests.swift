import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("A container with a default and a custom store")
struct MixedContainerTests {
  private struct Refusal: Error {}
  private let folder: TemporaryFolder
  private let shelf = Shelf()

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> ModelContainer {
    let configurations: [any DataStoreConfiguration] = [
      DictionaryStoreConfiguration(name: "readings", schema: Schema([Reading.self]), shelf: shelf),
      ModelConfiguration("trips", url: folder.file("trips.store")),
    ]
    return try ModelContainer(
      for: Schema([Trip.self, Reading.self]),
      configurations: configurations
    )
  }

  @Test("Each store keeps its own models.")
  func ownModels() throws {
    let context = ModelContext(try open())
    let trip = Trip(name: "A")
    let reading = Reading(1)
    context.insert(trip)
    context.insert(reading)
    try context.save()
    #expect(trip.persistentModelID.storeIdentifier != reading.persistentModelID.storeIdentifier)
    #expect(shelf.records.keys.map(\.entityName) == ["Reading"])
    let fresh = ModelContext(try open())
    #expect(try fresh.fetch(FetchDescriptor<Trip>()).map(\.name) == ["A"])
    #expect(try fresh.fetch(FetchDescriptor<Reading>()).map(\.value) == [1])
    #expect((fresh.model(for: reading.persistentModelID) as? Reading)?.value == 1)
    #expect((fresh.model(for: trip.persistentModelID) as? Trip)?.name == "A")
  }

  @Test("If one store refuses a save, nothing is written to the other.")
  func refusal() throws {
    let context = ModelContext(try open())
    shelf.refusal = Refusal()
    let trip = Trip(name: "A")
    context.insert(trip)
    context.insert(Reading(1))
    let temporary = trip.persistentModelID
    #expect(throws: Refusal.self) { try context.save() }
    #expect(trip.persistentModelID == temporary && context.insertedModelsArray.count == 2)
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Trip>()) == 0)
    shelf.refusal = nil
    try context.save()
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Trip>()) == 1)
    #expect(shelf.records.count == 1)
  }

  @Test("A save for one store does not use the other.")
  func oneAlone() throws {
    let context = ModelContext(try open())
    shelf.refusal = Refusal()
    context.insert(Trip(name: "A"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test("Unsaved changes of one store do not affect the other.")
  func pending() throws {
    let context = ModelContext(try open())
    context.insert(Trip(name: "A"))
    context.insert(Reading(1))
    #expect(try context.fetchCount(FetchDescriptor<Reading>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Reading>()) == 0)
  }

  @Test("Erasing the container erases both stores.")
  func erasing() throws {
    let container = try open()
    let context = ModelContext(container)
    context.insert(Trip(name: "A"))
    context.insert(Reading(1))
    try context.save()
    try container.erase()
    #expect(shelf.records.isEmpty)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 0)
  }

  @Test("A configuration without models gets the models of no other configuration.")
  func openConfiguration() throws {
    let configurations: [any DataStoreConfiguration] = [
      ModelConfiguration(
        "trips",
        schema: Schema([Trip.self]),
        url: folder.file("trips.store")
      ),
      DictionaryStoreConfiguration(name: "rest", schema: nil, shelf: shelf),
    ]
    let container = try ModelContainer(
      for: Schema([Trip.self, Reading.self, Hotel.self]),
      configurations: configurations
    )
    let context = ModelContext(container)
    context.insert(Hotel(name: "H"))
    context.insert(Reading(2))
    try context.save()
    #expect(Set(shelf.records.keys.map(\.entityName)) == ["Hotel", "Reading"])
  }
}
