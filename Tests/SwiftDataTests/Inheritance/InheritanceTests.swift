import Foundation
import SwiftData
import Testing

@Model class Vehicle {
  @Attribute(.unique) var plate: String
  var wheels = 4
  var owner: Driver?
  init(plate: String) { self.plate = plate }
}

@Model class Car: Vehicle {
  var doors: Int
  var wheelsText: String { "\(wheels)" }
  init(plate: String, doors: Int) {
    self.doors = doors
    super.init(plate: plate)
  }
}

@Model final class Taxi: Car {
  var fare: Double = 1.5
  var license: String?
  init(plate: String, license: String) {
    self.license = license
    super.init(plate: plate, doors: 4)
  }
}

@Model final class Bike: Vehicle {
  var doors: String = "none"
  override init(plate: String) {
    super.init(plate: plate)
    wheels = 2
  }
}

@Model final class Driver {
  var name: String
  @Relationship(inverse: \Vehicle.owner) var vehicles: [Vehicle] = []
  init(name: String) { self.name = name }
}

@Suite("Inheritance")
struct InheritanceTests {
  private func context() throws -> ModelContext {
    let container = try ModelContainer(
      for: Vehicle.self,
      Car.self,
      Taxi.self,
      Bike.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let driver = Driver(name: "Ada")
    driver.vehicles = [
      Vehicle(plate: "V"), Car(plate: "C", doors: 2), Taxi(plate: "T", license: "L"),
      Bike(plate: "B"),
    ]
    context.insert(driver)
    try context.save()
    return ModelContext(container)
  }

  @Test("A fetch of a class returns objects of its subclasses with their own type.")
  func polymorphic() throws {
    let context = try context()
    let all = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.plate)]))
    #expect(all.map { String(describing: type(of: $0)) } == ["Bike", "Car", "Taxi", "Vehicle"])
    let cars = try context.fetch(FetchDescriptor<Car>(sortBy: [SortDescriptor(\.plate)]))
    #expect(cars.map(\.plate) == ["C", "T"] && cars.map(\.doors) == [2, 4])
    let taxi = try #require(try context.fetch(FetchDescriptor<Taxi>()).first)
    #expect(taxi.license == "L" && taxi.fare == 1.5 && taxi.wheels == 4)
    let bike = try #require(try context.fetch(FetchDescriptor<Bike>()).first)
    #expect(bike.wheels == 2 && bike.doors == "none")
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 4)
    #expect(taxi.persistentModelID.entityName == "Taxi")
  }

  @Test("Properties of all levels are saved and read.")
  func changing() throws {
    let context = try context()
    let taxi = try #require(try context.fetch(FetchDescriptor<Taxi>()).first)
    taxi.plate = "TT"
    taxi.doors = 5
    taxi.fare = 9
    try context.save()
    let found = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Taxi>()).first
    )
    #expect(found.plate == "TT" && found.doors == 5 && found.fare == 9)
    #expect(found.owner?.name == "Ada")
  }

  @Test("Relationships to a class hold objects of its subclasses.")
  func relationships() throws {
    let context = try context()
    let driver = try #require(try context.fetch(FetchDescriptor<Driver>()).first)
    #expect(driver.vehicles.map(\.plate) == ["V", "C", "T", "B"])
    #expect(driver.vehicles[2] is Taxi)
  }

  @Test("Batch deletion includes subclasses unless that is disabled.")
  func batchDelete() throws {
    let context = try context()
    try context.delete(model: Car.self, includeSubclasses: false)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 3)
    try context.delete(model: Vehicle.self)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 0)
  }

  @Test("Predicates over subclasses see inherited properties.")
  func predicates() throws {
    let context = try context()
    let plate = "T"
    let found = try context.fetch(
      FetchDescriptor<Car>(predicate: #Predicate { $0.plate == plate && $0.doors == 4 })
    )
    #expect(found.map(\.plate) == ["T"])
  }

  @Test("Unique values are unique in the whole family.")
  func upsert() throws {
    let context = try context()
    let bike = Bike(plate: "B")
    bike.wheels = 3
    context.insert(bike)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Bike>()).map(\.wheels) == [3])
  }

  @Test("Inherited properties can be prefetched, and fetched selectively, through a subclass.")
  func inheritedKeyPaths() throws {
    let context = try context()
    var descriptor = FetchDescriptor<Car>(sortBy: [SortDescriptor(\.plate)])
    descriptor.propertiesToFetch = [\.plate]
    descriptor.relationshipKeyPathsForPrefetching = [\.owner]
    let cars = try context.fetch(descriptor)
    #expect(cars.map(\.plate) == ["C", "T"] && cars.map(\.doors) == [2, 4])
    #expect(cars.map { $0.owner?.name } == ["Ada", "Ada"])
  }
}
