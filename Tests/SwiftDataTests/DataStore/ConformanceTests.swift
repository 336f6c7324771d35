import Foundation
import SwiftData
import Testing

@Suite("The behaviour of every kind of store")
struct ConformanceTests {
  @Test("Objects are read back when the store is opened again.", arguments: StoreKind.allCases)
  func roundTrip(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    do {
      let context = try place.context()
      let trip = Trip(
        name: "Fjord",
        destination: "Bergen",
        startDate: Date(timeIntervalSince1970: 86_400)
      )
      trip.budget = 12.5
      context.insert(trip)
      #expect(trip.persistentModelID.storeIdentifier == nil)
      try context.save()
      #expect(trip.persistentModelID.storeIdentifier != nil)
      #expect(!context.hasChanges && !trip.hasChanges)
    }
    let context = try place.context()
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    #expect(trip.name == "Fjord" && trip.destination == "Bergen" && trip.budget == 12.5)
    #expect(trip.startDate == Date(timeIntervalSince1970: 86_400))
    #expect(trip.endDate == nil)
    trip.endDate = Date(timeIntervalSince1970: 172_800)
    try context.save()
    let again = try place.context()
    #expect(
      try again.fetch(FetchDescriptor<Trip>()).first?.endDate
        == Date(timeIntervalSince1970: 172_800)
    )
  }

  @Test("One identifier is one object in a context.", arguments: StoreKind.allCases)
  func identity(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let container = try place.open()
    let context = ModelContext(container)
    let trip = Trip(name: "Fjord")
    context.insert(trip)
    try context.save()
    let id = trip.persistentModelID
    #expect(try context.fetch(FetchDescriptor<Trip>()).first === trip)
    #expect(context.model(for: id) === trip)
    let registered: Trip? = context.registeredModel(for: id)
    #expect(registered === trip)
    let other = ModelContext(container)
    let unregistered: Trip? = other.registeredModel(for: id)
    #expect(unregistered == nil)
    let found = try #require(other.model(for: id) as? Trip)
    #expect(found.name == "Fjord" && found !== trip && found == trip)
    #expect(try other.fetch(FetchDescriptor<Trip>()).first === found)
    #expect(found.persistentModelID == id)
    let third = try #require(try ModelContext(container).fetch(FetchDescriptor<Trip>()).first)
    #expect(third == found && third.hashValue == found.hashValue)
  }

  @Test("A fetch of one context sees the saves of another.", arguments: StoreKind.allCases)
  func refreshing(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let container = try place.open()
    let writer = ModelContext(container)
    let reader = ModelContext(container)
    let trip = Trip(name: "Fjord")
    writer.insert(trip)
    try writer.save()
    let seen = try #require(try reader.fetch(FetchDescriptor<Trip>()).first)
    #expect(seen.destination.isEmpty)
    trip.destination = "Oslo"
    trip.bucketList = [BucketListItem(title: "Swim")]
    try writer.save()
    seen.budget = 3
    #expect(try reader.fetch(FetchDescriptor<Trip>()).first === seen)
    #expect(seen.destination == "Oslo" && seen.budget == 3)
    #expect(seen.bucketList.map(\.title) == ["Swim"])
  }

  @Test("Fetches see unsaved changes.", arguments: StoreKind.allCases)
  func pendingChanges(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context()
    for name in ["A", "B", "C", "D"] { context.insert(Trip(name: name, destination: "x")) }
    try context.save()
    func names(_ descriptor: FetchDescriptor<Trip>) throws -> [String] {
      try context.fetch(descriptor).map(\.name)
    }
    var byName = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.destination == "x" },
      sortBy: [SortDescriptor(\.name)]
    )
    #expect(try names(byName) == ["A", "B", "C", "D"])
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    trips[0].destination = "y"
    context.delete(trips[1])
    context.insert(Trip(name: "E", destination: "x"))
    context.insert(Trip(name: "F", destination: "z"))
    trips[2].name = "Z"
    #expect(try names(byName) == ["D", "E", "Z"])
    #expect(try context.fetchCount(byName) == 3)
    #expect(try context.fetchIdentifiers(byName).count == 3)
    byName.fetchLimit = 1
    byName.fetchOffset = 1
    #expect(try names(byName) == ["E"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 5)
    byName = FetchDescriptor(
      predicate: #Predicate { $0.destination == "x" },
      sortBy: [SortDescriptor(\.name)]
    )
    var saved = FetchDescriptor<Trip>()
    saved.includePendingChanges = false
    #expect(try context.fetch(saved).count == 4)
    try context.save()
    #expect(try names(byName) == ["D", "E", "Z"])
  }

  @Test("Unsaved changes of related objects count too.", arguments: StoreKind.allCases)
  func pendingRelatives(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context()
    let trip = Trip(name: "A", destination: "x")
    trip.bucketList = [BucketListItem(title: "1"), BucketListItem(title: "2")]
    context.insert(trip)
    context.insert(BucketListItem(title: "3"))
    try context.save()
    let inX = FetchDescriptor<BucketListItem>(
      predicate: #Predicate { $0.trip?.destination == "x" },
      sortBy: [SortDescriptor(\.title)]
    )
    #expect(try context.fetch(inX).map(\.title) == ["1", "2"])
    trip.destination = "y"
    #expect(try context.fetch(inX).isEmpty)
    let inY = FetchDescriptor<BucketListItem>(
      predicate: #Predicate { $0.trip?.destination == "y" },
      sortBy: [SortDescriptor(\.title)]
    )
    #expect(try context.fetch(inY).map(\.title) == ["1", "2"])
    let many = FetchDescriptor<Trip>(predicate: #Predicate { $0.bucketList.count > 2 })
    #expect(try context.fetchCount(many) == 0)
    trip.bucketList.append(BucketListItem(title: "4"))
    #expect(try context.fetchCount(many) == 1)
  }

  @Test("Fetches filter, sort, skip and limit.", arguments: StoreKind.allCases)
  func fetching(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context(Reading.self)
    for value in [5, 3, 9, 1, 7] { context.insert(Reading(value, mood: value > 4 ? .wild : .calm)) }
    try context.save()
    let fresh = try place.context(Reading.self)
    var descriptor = FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.value, order: .reverse)])
    #expect(try fresh.fetch(descriptor).map(\.value) == [9, 7, 5, 3, 1])
    descriptor.predicate = #Predicate { $0.value > 2 }
    #expect(try fresh.fetch(descriptor).map(\.value) == [9, 7, 5, 3])
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 2
    #expect(try fresh.fetch(descriptor).map(\.value) == [7, 5])
    #expect(try fresh.fetchIdentifiers(descriptor).count == 2)
    let all = FetchDescriptor<Reading>()
    #expect(try fresh.fetchCount(all) == 5)
    #expect(Set(try fresh.fetchIdentifiers(all)).count == 5)
    #expect(
      try fresh.fetchCount(FetchDescriptor<Reading>(predicate: #Predicate { $0.value > 2 })) == 4
    )
    var plain = FetchDescriptor<Reading>()
    plain.fetchLimit = 2
    #expect(try fresh.fetch(plain).count == 2)
    let wild = Mood.wild
    #expect(
      try fresh.fetchCount(FetchDescriptor<Reading>(predicate: #Predicate { $0.mood == wild })) == 3
    )
    let ids = Array(try fresh.fetchIdentifiers(all).prefix(2))
    let some = FetchDescriptor<Reading>(
      predicate: #Predicate { ids.contains($0.persistentModelID) }
    )
    #expect(try fresh.fetchCount(some) == 2)
    let batches = try fresh.fetch(descriptor, batchSize: 1)
    #expect(batches.map(\.value) == [7, 5])
    var sum = 0
    try fresh.enumerate(all, batchSize: 2) { sum += $0.value }
    #expect(sum == 25)
  }

  @Test("A rollback restores the saved values.", arguments: StoreKind.allCases)
  func rollback(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context()
    let trip = Trip(name: "A", destination: "x")
    let item = BucketListItem(title: "1", trip: trip)
    context.insert(trip)
    context.insert(item)
    try context.save()
    trip.destination = "y"
    trip.bucketList = []
    context.insert(Trip(name: "B"))
    #expect(item.trip == nil)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(trip.destination == "x")
    #expect(item.trip === trip)
    #expect(trip.bucketList.map(\.title) == ["1"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    context.delete(trip)
    #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 1)
    #expect(item.trip === trip && !trip.isDeleted)
  }

  @Test(
    "A new object with an existing unique value updates the existing one.",
    arguments: StoreKind.allCases
  )
  func uniqueness(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context()
    let first = Trip(name: "Fjord", destination: "Bergen")
    context.insert(first)
    try context.save()
    let second = Trip(name: "Fjord", destination: "Oslo")
    context.insert(second)
    try context.save()
    #expect(first.destination == "Oslo" && second.destination == "Oslo")
    #expect(first == second && first.persistentModelID == second.persistentModelID)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    second.budget = 7
    #expect(first.budget == 7)
    try context.save()
    let third = Trip(name: "Fjord", destination: "Tromsø")
    let fresh = try place.context()
    fresh.insert(third)
    try fresh.save()
    #expect(third.persistentModelID == first.persistentModelID)
    let found = try place.context().fetch(FetchDescriptor<Trip>())
    #expect(found.map(\.destination) == ["Tromsø"])
  }

  @Test("Undo reverts changes, saved ones too.", arguments: StoreKind.allCases)
  func undo(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context()
    context.undoManager = UndoManager()
    let trip = Trip(name: "A", destination: "x")
    context.insert(trip)
    try context.save()
    trip.destination = "y"
    try context.save()
    context.undoManager?.undo()
    #expect(trip.destination == "x")
    try context.save()
    #expect(try place.context().fetch(FetchDescriptor<Trip>()).first?.destination == "x")
    context.delete(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    context.undoManager?.undo()
    try context.save()
    #expect(try place.context().fetch(FetchDescriptor<Trip>()).map(\.name) == ["A"])
  }

  @Test("Erasing a container removes everything.", arguments: StoreKind.allCases)
  func erasing(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let container = try place.open()
    let context = ModelContext(container)
    let trip = Trip(name: "A")
    trip.bucketList = [BucketListItem(title: "1")]
    context.insert(trip)
    try context.save()
    try container.erase()
    let fresh = try place.context()
    #expect(try fresh.fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(try fresh.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
  }
}
