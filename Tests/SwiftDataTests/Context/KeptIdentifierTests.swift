import Foundation
import SwiftData
import Testing

@Suite("Identifiers that are kept through saves")
struct KeptIdentifierTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
  }

  @Test("an identifier from before the save leads to the object after it")
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

  @Test("an identifier from before the save reads the object that nobody held")
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

  @Test("a save that failed leaves identifiers as they were")
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

  @Test("an object that an identifier of nothing gives has that identifier")
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
