import Foundation
import SwiftData
import Testing

@Suite("Relationships in every kind of store")
struct ConformanceRelationshipTests {
  /// Saves a trip with two items, an accommodation and a tag.
  private func fill(_ place: StorePlace) throws {
    let context = try place.context()
    let trip = Trip(name: "A")
    let items = [BucketListItem(title: "1"), BucketListItem(title: "2")]
    trip.bucketList = items
    trip.livingAccommodation = LivingAccommodation(placeName: "Hut")
    let tag = Tag(label: "t")
    items[0].tags = [tag]
    items[1].tags = [tag, Tag(label: "u")]
    context.insert(trip)
    try context.save()
  }

  private func first<T: PersistentModel>(_: T.Type, _ context: ModelContext) throws -> T {
    try #require(try context.fetch(FetchDescriptor<T>()).first)
  }

  @Test(
    "After reopening, both sides of a relationship lead to each other.",
    arguments: StoreKind.allCases
  )
  func bothSides(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let context = try place.context()
    let trip = try first(Trip.self, context)
    #expect(trip.bucketList.map(\.title).sorted() == ["1", "2"])
    #expect(trip.livingAccommodation?.placeName == "Hut")
    #expect(trip.livingAccommodation?.trip === trip)
    #expect(trip.bucketList.allSatisfy { $0.trip === trip })
    #expect(!context.hasChanges)
    let other = try place.context()
    let items = try other.fetch(
      FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)])
    )
    #expect(items.count == 2 && items[0].trip === items[1].trip)
    #expect(items[0].trip?.name == "A")
    #expect(items[1].tags.map(\.label).sorted() == ["t", "u"])
    let tag = try #require(items[0].tags.first)
    #expect(Set(tag.items.map(\.title)) == ["1", "2"])
    #expect(tag.items.contains { $0 === items[0] })
    #expect(!other.hasChanges)
  }

  @Test(
    "A moved object leaves its old owner, in memory or not.",
    arguments: StoreKind.allCases
  )
  func moving(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let context = try place.context()
    let item = try #require(
      try context.fetch(FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == "1" }))
        .first
    )
    let target = Trip(name: "B")
    context.insert(target)
    item.trip = target
    #expect(target.bucketList.map(\.title) == ["1"])
    try context.save()
    let fresh = try place.context()
    let trips = try fresh.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map { $0.bucketList.map(\.title) } == [["2"], ["1"]])
    trips[0].bucketList += trips[1].bucketList
    #expect(trips[1].bucketList.isEmpty)
    try fresh.save()
    let last = try place.context()
    let found = try last.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.bucketList.map(\.title).sorted() } == [["1", "2"], []])
  }

  @Test("A removed member has no owner.", arguments: StoreKind.allCases)
  func removing(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let context = try place.context()
    let trip = try first(Trip.self, context)
    trip.bucketList.removeAll { $0.title == "1" }
    trip.livingAccommodation = nil
    try context.save()
    let fresh = try place.context()
    #expect(try first(Trip.self, fresh).bucketList.map(\.title) == ["2"])
    #expect(try first(LivingAccommodation.self, fresh).trip == nil)
    let free = FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.trip == nil })
    #expect(try fresh.fetch(free).map(\.title) == ["1"])
  }

  @Test("Many-to-many links are added and removed on both sides.", arguments: StoreKind.allCases)
  func manyToMany(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let context = try place.context()
    let tags = try context.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.label)]))
    tags[0].items.removeAll { $0.title == "2" }
    let item = try #require(tags[0].items.first)
    item.tags.append(tags[1])
    try context.save()
    let fresh = try place.context()
    let items = try fresh.fetch(
      FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)])
    )
    #expect(items.map { $0.tags.map(\.label).sorted() } == [["t", "u"], ["u"]])
  }

  @Test("A cascade deletes objects that were never read.", arguments: StoreKind.allCases)
  func cascading(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let context = try place.context()
    let tag = try #require(
      try context.fetch(FetchDescriptor<Tag>(predicate: #Predicate { $0.label == "t" })).first
    )
    context.delete(try first(Trip.self, context))
    try context.save()
    #expect(tag.items.isEmpty)
    let fresh = try place.context()
    #expect(try fresh.fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(try fresh.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    #expect(try fresh.fetchCount(FetchDescriptor<LivingAccommodation>()) == 0)
    #expect(try fresh.fetch(FetchDescriptor<Tag>()).allSatisfy { $0.items.isEmpty })
  }

  @Test(
    "A deleted object is removed from the relationships that led to it.",
    arguments: StoreKind.allCases
  )
  func nullifying(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let context = try place.context()
    let item = try #require(
      try context.fetch(FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == "1" }))
        .first
    )
    context.delete(item)
    try context.save()
    #expect(item.modelContext == nil)
    let fresh = try place.context()
    #expect(try first(Trip.self, fresh).bucketList.map(\.title) == ["2"])
    let tags = try fresh.fetch(FetchDescriptor<Tag>(sortBy: [SortDescriptor(\.label)]))
    #expect(tags.map { $0.items.map(\.title) } == [["2"], ["2"]])
  }

  @Test("A denied deletion throws and changes nothing.", arguments: StoreKind.allCases)
  func denying(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context(Hotel.self)
    let hotel = Hotel(name: "Bryggen")
    let guest = Reservation(guest: "Ada")
    guest.hotel = hotel
    context.insert(hotel)
    try context.save()
    context.delete(hotel)
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.rollback()
    #expect(try place.context(Hotel.self).fetchCount(FetchDescriptor<Hotel>()) == 1)
    #expect(guest.hotel === hotel && hotel.reservations.count == 1)
    guest.hotel = nil
    try context.save()
    context.delete(hotel)
    try context.save()
    #expect(try place.context(Hotel.self).fetchCount(FetchDescriptor<Hotel>()) == 0)
    #expect(try place.context(Hotel.self).fetchCount(FetchDescriptor<Reservation>()) == 1)
  }

  @Test("Relationships can be read together with a fetch.", arguments: StoreKind.allCases)
  func prefetching(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let context = try place.context()
    var trips = FetchDescriptor<Trip>()
    trips.relationshipKeyPathsForPrefetching = [\.bucketList, \.livingAccommodation]
    let trip = try #require(try context.fetch(trips).first)
    let fetches = place.shelf.fetches
    #expect(trip.bucketList.count == 2 && trip.livingAccommodation?.placeName == "Hut")
    #expect(place.shelf.fetches == fetches)
    var items = FetchDescriptor<BucketListItem>()
    items.relationshipKeyPathsForPrefetching = [\.trip, \.tags]
    #expect(try context.fetch(items).allSatisfy { $0.trip === trip && !$0.tags.isEmpty })
  }

  @Test("Relationships without inverses are saved and read.", arguments: StoreKind.allCases)
  func withoutInverse(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context(Album.self)
    let album = Album(title: "A")
    album.pictures = ["1", "2", "3"].map(Picture.init(name:))
    album.cover = album.pictures[1]
    context.insert(album)
    try context.save()
    let fresh = try place.context(Album.self)
    let found = try #require(try fresh.fetch(FetchDescriptor<Album>()).first)
    #expect(found.pictures.map(\.name).sorted() == ["1", "2", "3"] && found.cover?.name == "2")
    let cover = try #require(found.cover)
    #expect(found.pictures.contains { $0 === cover })
    fresh.delete(cover)
    try fresh.save()
    let last = try #require(try place.context(Album.self).fetch(FetchDescriptor<Album>()).first)
    #expect(last.pictures.map(\.name).sorted() == ["1", "3"] && last.cover == nil)
  }

  @Test(
    "A relationship of a class to itself keeps its two ends separate.",
    arguments: StoreKind.allCases
  )
  func reflexive(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let context = try place.context(Member.self)
    let members = ["a", "b", "c"].map(Member.init(name:))
    members.forEach { context.insert($0) }
    members[0].following = [members[1], members[2]]
    members[1].boss = members[0]
    try context.save()
    let fresh = try place.context(Member.self)
    let found = try fresh.fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name)]))
    #expect(found[0].following.map(\.name).sorted() == ["b", "c"])
    #expect(found[2].followers.map(\.name) == ["a"] && found[0].followers.isEmpty)
    #expect(found[0].reports.map(\.name) == ["b"] && found[1].boss === found[0])
    fresh.delete(found[0])
    try fresh.save()
    #expect(found[1].boss == nil && found[2].followers.isEmpty)
  }

  @Test(
    "Objects that outlive their context still lead to their related objects.",
    arguments: StoreKind.allCases
  )
  func outliving(_ kind: StoreKind) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let trip = try first(Trip.self, try place.context())
    #expect(trip.bucketList.map(\.title).sorted() == ["1", "2"])
    #expect(trip.livingAccommodation?.trip === trip)
  }

  @Test(
    "An object whose context was released is saved by another context.",
    arguments: StoreKind.allCases,
    [true, false]
  )
  func adopting(_ kind: StoreKind, _ isRegistered: Bool) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    try fill(place)
    let container = try place.open()
    let other = ModelContext(container)
    // In custom stores, objects that the new context reads first have other rows in it.
    _ = try other.fetch(FetchDescriptor<Tag>())
    let own = isRegistered ? try other.fetch(FetchDescriptor<BucketListItem>()) : []
    let trip = try first(Trip.self, ModelContext(container))
    trip.destination = "Oslo"
    let item = try #require(trip.bucketList.first { $0.title == "1" })
    item.title = "one"
    trip.bucketList.append(BucketListItem(title: "3"))
    trip.bucketList.removeAll { $0.title == "2" }
    trip.livingAccommodation = nil
    other.insert(trip)
    #expect(trip.modelContext === other)
    try other.save()
    #expect(own.isEmpty || Set(own.map(\.title)) == ["one", "2"])
    let found = try first(Trip.self, try place.context())
    #expect(found.destination == "Oslo" && found.livingAccommodation == nil)
    #expect(Set(found.bucketList.map(\.title)) == ["one", "3"])
    #expect(found.bucketList.flatMap(\.tags).map(\.label) == ["t"])
    #expect(trip.bucketList.first { $0.title == "one" }?.tags.map(\.label) == ["t"])
  }

  @Test("Random changes give the same result in every store.", arguments: StoreKind.allCases, 0..<6)
  func randomChanges(_ kind: StoreKind, _ seed: Int) throws {
    let place = try StorePlace(kind)
    defer { withExtendedLifetime(place) {} }
    var random = LinearGenerator(seed: UInt64(seed))
    var expected: [String: Set<String>] = [:]
    var context = try place.context()
    for step in 0..<60 {
      let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
      let items = try context.fetch(
        FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)])
      )
      switch random.next(8) {
      case 0, 1:
        context.insert(Trip(name: "trip\(step)"))
        expected["trip\(step)"] = []
      case 2, 3:
        let trip = trips.randomElement(using: &random)
        let item = BucketListItem(title: "item\(step)")
        item.trip = trip
        context.insert(item)
        expected[trip?.name ?? "", default: []].insert(item.title)
      case 4:
        guard let item = items.randomElement(using: &random) else { continue }
        expected[item.trip?.name ?? "", default: []].remove(item.title)
        let trip = trips.randomElement(using: &random)
        if let trip { trip.bucketList.append(item) } else { item.trip = nil }
        expected[trip?.name ?? "", default: []].insert(item.title)
      case 5:
        guard let item = items.randomElement(using: &random) else { continue }
        expected[item.trip?.name ?? "", default: []].remove(item.title)
        context.delete(item)
      case 6:
        guard random.next(3) == 0, let trip = trips.randomElement(using: &random) else { continue }
        expected[trip.name] = nil
        context.delete(trip)
      default:
        try context.save()
        if random.next(2) == 0 { context = try place.context() }
      }
      try check(context, expected, "step \(step) of \(seed)")
    }
    try context.save()
    try check(try place.context(), expected, "the end of \(seed)")
  }

  private func check(
    _ context: ModelContext,
    _ expected: [String: Set<String>],
    _ moment: String
  ) throws {
    let trips = try context.fetch(FetchDescriptor<Trip>())
    let items = try context.fetch(FetchDescriptor<BucketListItem>())
    #expect(Set(trips.map(\.name)) == Set(expected.keys).subtracting([""]), "\(moment)")
    for trip in trips {
      #expect(Set(trip.bucketList.map(\.title)) == expected[trip.name], "\(moment)")
    }
    let loose = Set(items.filter { $0.trip == nil }.map(\.title))
    #expect(loose == expected[""] ?? [], "\(moment)")
    #expect(items.count == expected.values.reduce(0) { $0 + $1.count }, "\(moment)")
  }
}

/// A generator with the same numbers for the same seed.
struct LinearGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 31)
  }

  mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
