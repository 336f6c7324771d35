import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Fetching from custom stores")
struct CustomFetchTests {
  private func dictionary(trips: Int) throws -> StorePlace {
    let place = try StorePlace(.dictionary)
    let context = try place.context()
    for number in 0..<trips {
      let trip = Trip(name: "\(number)", destination: number < 2 ? "x" : "y")
      trip.bucketList = [BucketListItem(title: "\(number)a"), BucketListItem(title: "\(number)b")]
      trip.livingAccommodation = LivingAccommodation(placeName: "\(number)")
      context.insert(trip)
    }
    try context.save()
    return place
  }

  @Test("Every type is read back from every kind of snapshot.", arguments: StoreKind.allCases)
  func types(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context(AllTypes.self)
    let made = AllTypes()
    made.date = Date(timeIntervalSince1970: 1_700_000_000)
    made.uint64 = 1 << 63
    made.double = 1e300
    made.decimal = try #require(Decimal(string: "12.345"))
    made.shape = .named("x", 5)
    made.grade = .low
    made.moods = [.wild]
    made.labels = ["a", "b"]
    made.table = ["k": 0.5]
    made.address = Address(street: "s", city: "c", zip: 9)
    made.photo = Data(repeating: 1, count: 200_000)
    made.optionalMood = .wild
    made.optionalShape = .circle(radius: 2)
    made.optionalUUID = UUID()
    context.insert(made)
    try context.save()
    let other = try place.context(AllTypes.self)
    let found = try #require(try other.fetch(FetchDescriptor<AllTypes>()).first)
    #expect(found.date == made.date && found.uint64 == made.uint64 && found.double == made.double)
    #expect(found.int8 == .min && found.uint == .max && found.float == 0.1 && found.half == 1.5)
    #expect(found.decimal == made.decimal && found.shape == made.shape && found.grade == .low)
    #expect(found.moods == [.wild] && found.labels == ["a", "b"] && found.table == ["k": 0.5])
    #expect(found.address == made.address && found.photo == made.photo)
    #expect(found.optionalMood == .wild && found.optionalShape == .circle(radius: 2))
    #expect(found.optionalUUID == made.optionalUUID && found.optionalInt == nil)
    #expect(found.uuid == made.uuid && found.url == made.url && found.ephemeral == 7)
    #expect(!other.hasChanges)
  }

  @Test("A custom store counts its objects itself unless there are unsaved changes.")
  func counting() throws {
    let place = try dictionary(trips: 5)
    let context = try place.context()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 5)
    #expect(place.shelf.counts == 1 && place.shelf.fetches == 0)
    context.insert(Reading(1))
    #expect(throws: SwiftDataError.unknownEntity) { try context.save() }
    context.insert(Trip(name: "new"))
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 6)
    #expect(place.shelf.counts == 1 && place.shelf.fetches == 1)
  }

  @Test("Limits and offsets are passed to a store that supports them.")
  func pages() throws {
    let place = try dictionary(trips: 5)
    let context = try place.context()
    var descriptor = FetchDescriptor<Trip>()
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 3
    #expect(try context.fetch(descriptor).map(\.name) == ["3", "4"])
    descriptor.predicate = #Predicate { $0.destination == "y" }
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.name) == ["3", "4"])
    descriptor.sortBy = [SortDescriptor(\.name, order: .reverse)]
    #expect(try context.fetch(descriptor).map(\.name) == ["3", "2"])
  }

  @Test("Relationships are read from the store's cache if it has one.", arguments: [true, false])
  func cache(_ hasCache: Bool) throws {
    let place = try dictionary(trips: 3)
    place.shelf.hasCache = hasCache
    let context = try place.context()
    let trips = try context.fetch(FetchDescriptor<Trip>())
    #expect(place.shelf.fetches == 1)
    #expect(trips.allSatisfy { $0.bucketList.count == 2 && $0.livingAccommodation != nil })
    #expect(place.shelf.fetches == (hasCache ? 1 : 3))
  }

  @Test("A store that reads its whole file does not read it for each object.")
  func wholeFile() throws {
    let folder = try TemporaryFolder()
    let configuration = JSONStoreConfiguration(name: "all", fileURL: folder.file("all.json"))
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(container)
    for number in 0..<20 {
      let trip = Trip(name: "\(number)")
      trip.bucketList = [BucketListItem(title: "a"), BucketListItem(title: "b")]
      context.insert(trip)
    }
    try context.save()
    let other = ModelContext(container)
    configuration.reads = 0
    let items = try other.fetch(FetchDescriptor<BucketListItem>())
    #expect(items.count == 40 && items.allSatisfy { $0.trip?.bucketList.count == 2 })
    #expect(configuration.reads == 1)
    let batch = try other.fetch(FetchDescriptor<Trip>(), batchSize: 5)
    #expect(batch.map(\.name).count == 20)
  }

  @Test("Members that a store omits are found by their owner.")
  func leftOut() throws {
    let place = try dictionary(trips: 2)
    place.shelf.leavesOutCollections = true
    place.shelf.hasCache = false
    let context = try place.context()
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).last)
    #expect(trip.bucketList.map(\.title).sorted() == ["1a", "1b"])
    #expect(trip.bucketList.allSatisfy { $0.trip === trip })
  }

  @Test("The error of a value with a wrong type names it.")
  func misfit() throws {
    let place = try dictionary(trips: 1)
    for (identifier, record) in place.shelf.records where identifier.entityName == "Trip" {
      var record = record
      record.values["budget"] = "much"
      place.shelf.records[identifier] = record
    }
    let context = try place.context()
    let error = #expect(throws: SwiftDataError.self) {
      try context.fetch(FetchDescriptor<Trip>())
    }
    #expect(try #require(error).message.contains("Trip.budget"))
  }

  @Test("Values of a similar type are converted.")
  func likeTypes() throws {
    let place = try dictionary(trips: 1)
    for (identifier, record) in place.shelf.records where identifier.entityName == "Trip" {
      var record = record
      record.values["budget"] = 12
      record.values["endDate"] = .some(nil)
      place.shelf.records[identifier] = record
    }
    let trip = try #require(try place.context().fetch(FetchDescriptor<Trip>()).first)
    #expect(trip.budget == 12 && trip.endDate == nil)
  }

  @Test("Without pending changes a fetch selects by saved values.", arguments: StoreKind.allCases)
  func withoutPending(_ kind: StoreKind) throws {
    guard kind != .native else { return }
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context()
    for name in ["A", "B", "C"] { context.insert(Trip(name: name, destination: "x")) }
    try context.save()
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    trips[0].destination = "y"
    context.delete(trips[1])
    context.insert(Trip(name: "D", destination: "x"))
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.destination == "x" },
      sortBy: [SortDescriptor(\.name)]
    )
    descriptor.includePendingChanges = false
    let found = try context.fetch(descriptor)
    #expect(found.map(\.name) == ["A", "B", "C"])
    #expect(found[0] === trips[0] && found[0].destination == "y")
  }

  @Test("Collections are refreshed when they are fetched again.", arguments: StoreKind.allCases)
  func collections(_ kind: StoreKind) throws {
    guard kind != .native else { return }
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let container = try place.open()
    let (writer, reader) = (ModelContext(container), ModelContext(container))
    let trip = Trip(name: "A")
    writer.insert(trip)
    try writer.save()
    let seen = try #require(try reader.fetch(FetchDescriptor<Trip>()).first)
    #expect(seen.bucketList.isEmpty && seen.livingAccommodation == nil)
    trip.bucketList = [BucketListItem(title: "1")]
    trip.livingAccommodation = LivingAccommodation(placeName: "Hut")
    try writer.save()
    #expect(try reader.fetch(FetchDescriptor<Trip>()).count == 1)
    #expect(seen.bucketList.map(\.title) == ["1"])
    #expect(seen.livingAccommodation?.placeName == "Hut")
    writer.delete(trip.bucketList[0])
    try writer.save()
    _ = try reader.fetch(FetchDescriptor<Trip>())
    #expect(seen.bucketList.isEmpty && !reader.hasChanges)
  }

  @Test("A family of classes is fetched whole or by its members.")
  func inheritance() throws {
    let place = try StorePlace(.json)
    func open() throws -> ModelContext {
      try place.context(Vehicle.self, Car.self, Taxi.self, Bike.self, Driver.self)
    }
    let context = try open()
    let driver = Driver(name: "Ada")
    driver.vehicles = [
      Vehicle(plate: "V"), Car(plate: "C", doors: 2), Taxi(plate: "T", license: "L"),
      Bike(plate: "B"),
    ]
    context.insert(driver)
    try context.save()
    let fresh = try open()
    #expect(try fresh.fetchCount(FetchDescriptor<Vehicle>()) == 4)
    #expect(Set(try fresh.fetch(FetchDescriptor<Car>()).map(\.plate)) == ["C", "T"])
    let taxi = try #require(try fresh.fetch(FetchDescriptor<Taxi>()).first)
    #expect(taxi.license == "L" && taxi.doors == 4 && taxi.owner?.name == "Ada")
    let vehicles = try #require(try fresh.fetch(FetchDescriptor<Driver>()).first).vehicles
    #expect(vehicles.count == 4 && vehicles.contains { $0 === taxi })
    #expect(vehicles.filter { $0 is Car }.count == 2)
    try fresh.delete(model: Vehicle.self, includeSubclasses: false)
    try fresh.save()
    #expect(Set(try open().fetch(FetchDescriptor<Vehicle>()).map(\.plate)) == ["C", "T", "B"])
  }

  @Test("A store is notified of contexts that are created and released.")
  func contexts() throws {
    let place = try dictionary(trips: 0)
    let before = place.shelf.contexts
    let container = try place.open()
    do {
      let contexts = [ModelContext(container), ModelContext(container)]
      #expect(place.shelf.contexts == before + contexts.count)
    }
    #expect(place.shelf.contexts == before)
  }

  @Test("Relationships are right while thousands of objects are added and deleted.")
  func sweeping() throws {
    let place = try StorePlace(.dictionary)
    let writer = try place.context()
    let trip = Trip(name: "A")
    trip.livingAccommodation = LivingAccommodation(placeName: "Hut")
    writer.insert(trip)
    for number in 0..<9000 { writer.insert(BucketListItem(title: "\(number)")) }
    try writer.save()
    let context = try place.context()
    let kept = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    for _ in 0..<4 { #expect(try context.fetch(FetchDescriptor<BucketListItem>()).count == 9000) }
    #expect(kept.livingAccommodation?.placeName == "Hut")
    #expect(kept.livingAccommodation?.trip === kept)
  }
}
