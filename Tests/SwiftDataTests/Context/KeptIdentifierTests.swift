import Foundation
import SwiftData
import Testing

@Suite("Identifiers from before a save")
struct KeptIdentifierTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
  }

  @Test("An identifier from before the save finds the object after it.")
  func keptIdentifier() throws {
    let trip = Trip(name: "A")
    let item = BucketListItem(title: "x", trip: trip)
    let early = item.persistentModelID
    context.insert(trip)
    let fetched = try context.fetchIdentifiers(FetchDescriptor<Trip>())
    let identifier = try #require(fetched.first)
    try context.save()
    #expect(context.model(for: identifier) === trip)
    #expect(context.registeredModel(for: identifier) as Trip? === trip)
    #expect(context.model(for: early) === item)
    context.delete(trip)
    try context.save()
    #expect(context.registeredModel(for: identifier) as Trip? == nil)
    #expect((context.model(for: identifier) as? Trip)?.modelContext == nil)
  }

  @Test("An identifier from before the save reads an object that was released.")
  func keptIdentifierOfReleased() throws {
    let identifier = try {
      let trip = Trip(name: "A")
      context.insert(trip)
      let identifier = trip.persistentModelID
      try context.save()
      return identifier
    }()
    #expect(context.registeredModel(for: identifier) as Trip? == nil)
    #expect((context.model(for: identifier) as? Trip)?.name == "A")
  }

  @Test("A failed save does not change identifiers.")
  func keptIdentifierOfFailedSave() throws {
    let trip = Trip(name: "A")
    context.insert(trip)
    let identifier = trip.persistentModelID
    let foreign = ModelContext(container)
    let place = LivingAccommodation(placeName: "hut")
    foreign.insert(place)
    context.insert(place)
    #expect(throws: (any Error).self) { try context.save() }
    #expect(trip.persistentModelID == identifier && context.model(for: identifier) === trip)
    context.rollback()
    #expect(context.registeredModel(for: identifier) as Trip? == nil)
  }

  @Test("An object that stands for a deleted one has the identifier that was asked for.")
  func placeholder() throws {
    let trip = Trip(name: "A")
    context.insert(trip)
    try context.save()
    let identifier = trip.persistentModelID
    let other = ModelContext(container)
    context.delete(trip)
    try context.save()
    let placeholder = other.model(for: identifier)
    #expect(placeholder.persistentModelID == identifier && placeholder.modelContext == nil)
  }
}
