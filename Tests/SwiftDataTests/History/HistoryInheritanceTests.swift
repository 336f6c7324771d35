import Foundation
import SwiftData
import Testing

@Suite("History and inheritance")
struct HistoryInheritanceTests {
  @Test("A change has the object's own class, with inherited properties by its key paths.")
  func ownClass() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Vehicle.self,
        Car.self,
        Taxi.self,
        Bike.self,
        Driver.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    )
    let taxi = Taxi(plate: "T 1", license: "x")
    let bike = Bike(plate: "B 1")
    context.insert(taxi)
    context.insert(bike)
    try context.save()
    taxi.wheels = 6
    taxi.doors = 2
    taxi.fare = 9.5
    bike.wheels = 3
    try context.save()
    context.delete(taxi)
    try context.save()
    let all = try allHistory(context)
    let update = try #require(
      all[1].changes.compactMap { change -> DefaultHistoryUpdate<Taxi>? in
        guard case .update(let update as DefaultHistoryUpdate<Taxi>) = change else { return nil }
        return update
      }.first
    )
    #expect(update.changedPersistentIdentifier == taxi.persistentModelID)
    #expect(update.changedPersistentIdentifier.entityName == "Taxi")
    #expect(Set(update.updatedAttributes) == [\.wheels, \.doors, \.fare])
    #expect(update.updatedAttributes.contains(\Taxi.wheels))
    #expect(update.values[\.wheels] as? Int == 6)
    #expect(update.previousValues[\.doors] as? Int == 4)
    for keyPath in update.updatedAttributes {
      #expect(taxi[keyPath: keyPath] as? AnyHashable != nil)
    }
    let isThere = all[1].changes.contains { change in
      if case .update(_ as DefaultHistoryUpdate<Bike>) = change { true } else { false }
    }
    #expect(isThere)
    guard case .delete(let delete as DefaultHistoryDelete<Taxi>) = all[2].changes[0] else {
      Issue.record("\(all[2].changes)")
      return
    }
    #expect(delete.tombstone[\.plate] as? String == "T 1")
    #expect(delete.tombstone[\.license] as? String == "x")
    // The text of bikes has the name of cars' number, so history has two names for them.
    #expect(delete.tombstone[\.doors] as? Int == 2)
    #expect(delete.previousValues["doors"] as? Int == 2)
    #expect(delete.previousValues["Car.doors"] == nil)
    #expect(
      Set(delete.previousValues.names) == ["plate", "wheels", "owner", "doors", "fare", "license"]
    )
  }

  @Test("Properties whose names differ only in case are distinguished.")
  func sharedNames() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Rack.self,
        Sticker.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    )
    let rack = Rack()
    let sticker = Sticker()
    context.insert(rack)
    context.insert(sticker)
    try context.save()
    rack.size = 2
    rack.Size = "huge"
    rack.stickers = [sticker]
    try context.save()
    context.delete(rack)
    try context.save()
    let all = try allHistory(context)
    let update = try #require(
      all[1].changes.compactMap { change -> DefaultHistoryUpdate<Rack>? in
        if case .update(let update as DefaultHistoryUpdate<Rack>) = change { update } else { nil }
      }.first
    )
    #expect(Set(update.updatedAttributes) == [\.size, \.Size, \.stickers])
    #expect(update.values[\.size] as? Int == 2)
    #expect(update.values[\.Size] as? String == "huge")
    #expect(update.previousValues[\.Size] as? String == "big")
    #expect(update.values[\.stickers] as? [PersistentIdentifier] == [sticker.persistentModelID])
    #expect(Set(update.values.names) == ["size", "Size", "stickers"])
    guard case .delete(let delete as DefaultHistoryDelete<Rack>) = all[2].changes[0] else {
      Issue.record("\(all[2].changes)")
      return
    }
    #expect(delete.tombstone[\.size] as? Int == 2)
    #expect(delete.tombstone[\.stickers] as? [PersistentIdentifier] == [sticker.persistentModelID])
  }

  @Test("A key path through a subclass is writable.")
  func writable() throws {
    let context = ModelContext(
      try ModelContainer(for: Car.self, configurations: .init(isStoredInMemoryOnly: true))
    )
    let car = Car(plate: "C", doors: 5)
    context.insert(car)
    try context.save()
    car.wheels = 5
    try context.save()
    let all = try allHistory(context)
    guard case .update(let update as DefaultHistoryUpdate<Car>) = all[1].changes[0] else { return }
    let keyPath = try #require(
      update.updatedAttributes.first as? ReferenceWritableKeyPath<Car, Int>
    )
    #expect(keyPath == \Car.wheels)
    car[keyPath: keyPath] = 7
    #expect(car.wheels == 7)
  }
}

@Model final class Rack {
  var size = 1
  var Size = "big"
  @Relationship(inverse: \Sticker.racks) var stickers: [Sticker] = []
  init() {}
}

@Model final class Sticker {
  var stickers = 0
  var racks: [Rack] = []
  init() {}
}
