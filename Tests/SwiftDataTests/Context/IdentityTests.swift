import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Equality and hashes across saves and contexts")
struct IdentityTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
  }

  private func fetched(_ trip: Trip, in other: ModelContext) throws -> Trip {
    try #require(other.model(for: trip.persistentModelID) as? Trip)
  }

  @Test(
    "An object in a set before its save equals the same object of another context.",
    arguments: [true, false]
  )
  func acrossContexts(_ isHashedBefore: Bool) throws {
    let trip = Trip(name: "A")
    context.insert(trip)
    var set: Set<Trip> = []
    if isHashedBefore { set.insert(trip) }
    try context.save()
    set.insert(trip)
    #expect(set.count == 1)
    let same = try fetched(trip, in: ModelContext(container))
    #expect(same == trip && same !== trip)
    #expect(same.hashValue == trip.hashValue)
    #expect(set.contains(same) && Set([trip, same]).count == 1)
  }

  @Test("An object keeps its hash after the object that was saved first is released.")
  func handedOn() throws {
    let other = ModelContext(container)
    let second = try {
      let trip = Trip(name: "A")
      context.insert(trip)
      _ = trip.hashValue
      try context.save()
      let second = try fetched(trip, in: other)
      _ = second.hashValue
      return second
    }()
    #expect(context.registeredModel(for: second.persistentModelID) as Trip? == nil)
    let third = try fetched(second, in: ModelContext(container))
    #expect(Set([second, third]).count == 1)
  }

  @Test("A hash is kept after a failed save, a deletion and a second insertion.")
  func kept() throws {
    let trip = Trip(name: "A")
    context.insert(trip)
    let set: Set<Trip> = [trip]
    let place = LivingAccommodation(placeName: "hut")
    let foreign = ModelContext(container)
    foreign.insert(place)
    context.insert(place)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(set.contains(trip))
    try context.save()
    #expect(set.contains(trip))
    context.delete(trip)
    try context.save()
    #expect(set.contains(trip))
    context.insert(trip)
    #expect(set.contains(trip))
    try context.save()
    #expect(set.contains(trip))
    #expect(set.contains(try fetched(trip, in: ModelContext(container))))
  }

  @Test("An object that is fetched, deleted and inserted again keeps its hash.")
  func fetchedAndReinserted() throws {
    context.insert(Trip(name: "A"))
    try context.save()
    let other = ModelContext(container)
    let trip = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    let set: Set<Trip> = [trip]
    other.delete(trip)
    try other.save()
    other.insert(trip)
    try other.save()
    #expect(set.contains(trip))
    #expect(set.contains(try fetched(trip, in: ModelContext(container))))
  }

  @Test("Equal objects have equal hashes, and sets find their members.", arguments: 0..<8)
  func randomWorlds(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var contexts = (0..<3).map { _ in ModelContext(container) }
    var held: [Trip] = []
    var set: Set<Trip> = []
    for step in 0..<120 {
      let context = contexts[Int.random(in: 0..<3, using: &random)]
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1:
        let trip = Trip(name: "\(seed) \(step)")
        held.append(trip)
        if Bool.random(using: &random) { set.insert(trip) }
        context.insert(trip)
      case 2, 3: try context.save()
      case 4: held += try context.fetch(FetchDescriptor<Trip>()).shuffled(using: &random).prefix(3)
      case 5:
        if let trip = held.randomElement(using: &random), trip.modelContext === context {
          context.delete(trip)
        }
      case 6:
        if let trip = held.randomElement(using: &random), trip.modelContext == nil {
          context.insert(trip)
        }
      case 7:
        if let trip = held.randomElement(using: &random) { set.insert(trip) }
      default:
        held = Array(held.shuffled(using: &random).prefix(8))
        contexts[0] = ModelContext(container)
      }
      // Two contexts can't both save a deletion of one object; this test ignores that.
      for trip in set { #expect(set.contains(trip), "seed \(seed), step \(step)") }
      for left in held {
        for right in held + Array(set) where left == right {
          #expect(left.hashValue == right.hashValue, "seed \(seed), step \(step)")
        }
      }
    }
  }
}
