import Foundation
import Testing

@testable import SwiftData

@Suite("The registry of a context's objects")
struct RegistryTests {
  private let container: ModelContainer
  private let registry: Registry
  private let entity: EntityDescription

  init() throws {
    let container = try tripContainer()
    self.container = container
    registry = Registry(container)
    entity = try #require(container.map["Trip"])
  }

  private func isRegistered(_ trip: Trip, row: Int64) -> Bool {
    registry[entity, row].map { $0 === trip } ?? false
  }

  @Test("A row has the object that was added for it, as long as someone holds the object.")
  func rows() {
    do {
      let trip = Trip(name: "a")
      registry.add(LightReference(trip), entity: entity, row: 1)
      #expect(isRegistered(trip, row: 1))
      #expect(registry[entity, 2] == nil)
    }
    #expect(registry[entity, 1] == nil)
  }

  @Test("A context and an object can be dumped after an object that they knew was released.")
  func dumps() throws {
    let context = ModelContext(container)
    let item = BucketListItem(title: "i")
    do {
      let trip = Trip(name: "a")
      context.insert(trip)
      trip.bucketList = [item]
      try context.save()
    }
    var text = ""
    dump(context, to: &text)
    #expect(text.contains("LightReference"))
    dump(item, to: &text)
    #expect(text.contains("BucketListItem"))
  }

  @Test("A removed row has neither its object nor the twins of the object.")
  func removal() {
    let (trip, twin) = (Trip(name: "a"), Trip(name: "b"))
    registry.add(LightReference(trip), entity: entity, row: 1)
    registry.addTwin(twin, entity: entity, row: 1)
    registry.remove(entity, row: 1)
    #expect(registry[entity, 1] == nil)
  }

  @Test("The second object of a row replaces the first when that is released.")
  func twins() {
    let twin = Trip(name: "b")
    do {
      let trip = Trip(name: "a")
      registry.add(LightReference(trip), entity: entity, row: 1)
      registry.addTwin(twin, entity: entity, row: 1)
      #expect(isRegistered(trip, row: 1))
    }
    #expect(registry.table(of: entity)[1]?.model.map { $0 === twin } == true)
    #expect(isRegistered(twin, row: 1))
  }

  @Test("Rows of released objects are removed after many additions, and the others stay.")
  func sweep() {
    let held = (1...10).map { Trip(name: "\($0)") }
    for (index, trip) in held.enumerated() {
      registry.add(LightReference(trip), entity: entity, row: Int64(index))
    }
    for row in 10..<16_384 as Range<Int64> {
      registry.add(LightReference(Trip(name: "")), entity: entity, row: row)
    }
    #expect(registry.table(of: entity).count <= held.count + 1)
    for (index, trip) in held.enumerated() { #expect(isRegistered(trip, row: Int64(index))) }
  }

  @Test("The temporary identifier of an object leads to the identifier that its save gave it.")
  func identifiers() throws {
    let context = ModelContext(container)
    let (saved, new) = (Trip(name: "a"), Trip(name: "b"))
    context.insert(saved)
    try context.save()
    context.insert(new)
    let temporary = new.persistentModelID
    #expect(registry.current(temporary) == temporary)
    registry.savedIdentifiers[try #require(temporary.row)] = saved.persistentModelID
    #expect(registry.current(temporary) == saved.persistentModelID)
    #expect(registry.current(saved.persistentModelID) == saved.persistentModelID)
  }

  @Test("Objects without a context get an internal one.")
  func contexts() {
    #expect(registry.isReleased)
    let replacement = registry.context
    #expect(registry.context === replacement)
    #expect(registry.isReleased && registry.visibleContext == nil)
    let context = ModelContext(container)
    registry.serve(context)
    #expect(!registry.isReleased && registry.visibleContext === context)
  }
}
