import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Objects whose context was released")
struct ObjectTransferTests {
  private let container: ModelContainer

  init() throws {
    container = try tripContainer()
    let context = ModelContext(container)
    for name in ["A", "B"] {
      let trip = Trip(name: name)
      context.insert(trip)
      trip.bucketList = (1...3).map { BucketListItem(title: "\(name)\($0)") }
      trip.livingAccommodation = LivingAccommodation(placeName: "hut \(name)")
      trip.bucketList[0].tags = [Tag(label: name)]
    }
    try context.save()
  }

  /// Trips by their names, from a context that is released here; `read` runs before the release.
  private func trips(_ read: (ModelContext, [Trip]) throws -> Void = { _, _ in }) throws -> [Trip] {
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    try read(context, trips)
    return trips
  }

  private func saved() throws -> [Trip] {
    try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
  }

  private func titles(_ trip: Trip) -> [String] { trip.bucketList.map(\.title).sorted() }

  @Test("An object whose context was released has none, and its values stay readable.")
  func released() throws {
    let trip = try #require(try trips().first)
    #expect(trip.modelContext == nil)
    #expect(titles(trip) == ["A1", "A2", "A3"])
    trip.destination = "Oslo"
    #expect(trip.modelContext == nil && trip.hasChanges)
  }

  @Test("A context that gets such an object saves its changes from before and after.")
  func changed() throws {
    for isBefore in [true, false] {
      let trip = try #require(
        try trips { _, trips in if isBefore { trips[0].destination = "Oslo" } }.first
      )
      if !isBefore { trip.destination = "Bergen" }
      let context = ModelContext(container)
      context.insert(trip)
      #expect(trip.modelContext === context && context.changedModelsArray.count == 1)
      try context.save()
      #expect(try saved()[0].destination == (isBefore ? "Oslo" : "Bergen"))
      trip.budget = isBefore ? 1 : 2
      try context.save()
      #expect(try saved()[0].budget == (isBefore ? 1 : 2))
    }
  }

  @Test("An adopted object merges with the registered one, and its changes win.")
  func registered() throws {
    let context = ModelContext(container)
    let own = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    own[0].destination = "mine"
    own[0].budget = 7
    let others = try trips { _, trips in _ = trips.map(\.bucketList) }
    others[0].destination = "theirs"
    others[0].bucketList.removeAll { $0.title == "A3" }
    others[0].bucketList.append(BucketListItem(title: "new"))
    context.insert(others[0])
    #expect(own[0].destination == "theirs" && others[0].budget == 7)
    others[0].budget = 8
    #expect(own[0].budget == 8)
    try context.save()
    let found = try saved()
    #expect(found[0].destination == "theirs" && found[0].budget == 8)
    #expect(titles(found[0]) == ["A1", "A2", "new"])
    #expect(titles(own[0]) == ["A1", "A2", "new"])
  }

  @Test("An object that the released context had marked for deletion is not deleted.")
  func deleted() throws {
    let trip = try #require(
      try trips { context, trips in context.delete(trips[0]) }.first
    )
    #expect(trip.isDeleted)
    let context = ModelContext(container)
    context.insert(trip)
    #expect(!trip.isDeleted && trip.modelContext === context)
    trip.destination = "Oslo"
    try context.save()
    let found = try saved()
    #expect(found.map(\.name) == ["A", "B"] && found[0].destination == "Oslo")
    #expect(titles(found[0]) == ["A1", "A2", "A3"])
  }

  @Test(
    "Deleting an object of a released context deletes it, even if it is registered elsewhere.",
    arguments: [false, true]
  )
  func deletion(_ isRegistered: Bool) throws {
    for prepare: (ModelContext, Trip) -> Void in [
      { _, _ in }, { _, trip in trip.destination = "Oslo" }, { $0.delete($1) },
    ] {
      let context = ModelContext(container)
      let own = isRegistered ? try context.fetch(FetchDescriptor<Trip>()) : []
      let trip = try #require(try trips { prepare($0, $1[0]) }.first)
      context.delete(trip)
      #expect(trip.isDeleted && context.deletedModelsArray.contains { $0 is Trip })
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
      context.rollback()
      #expect(!trip.isDeleted && !context.hasChanges)
      context.delete(trip)
      try context.save()
      #expect(try saved().map(\.name) == ["B"])
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<BucketListItem>()) == 3)
      let next = Trip(name: "A")
      context.insert(next)
      next.bucketList = [BucketListItem(title: "A1")]
      try context.save()
      withExtendedLifetime(own) {}
    }
  }

  @Test("Deleting a new object that the released context never saved changes nothing.")
  func unsavedDeletion() throws {
    let trip = Trip(name: "C")
    do {
      let context = ModelContext(container)
      context.insert(trip)
    }
    let context = ModelContext(container)
    context.delete(trip)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try saved().map(\.name) == ["A", "B"])
  }

  @Test("Saving a relationship to an object of a released context adopts that object.")
  func reference() throws {
    let trips = try trips()
    trips[1].destination = "Oslo"
    let context = ModelContext(container)
    let item = BucketListItem(title: "new", trip: trips[0])
    context.insert(item)
    let other = BucketListItem(title: "other")
    context.insert(other)
    other.trip = trips[1]
    try context.save()
    #expect(trips.allSatisfy { $0.modelContext === context })
    let found = try saved()
    #expect(titles(found[0]).contains("new") && titles(found[1]).contains("other"))
    #expect(found[1].destination == "Oslo" && item.trip === trips[0])
    #expect(trips[0].bucketList.contains { $0 === item })
  }

  @Test("Rolling back restores an adopted object's values from the store.")
  func rollback() throws {
    let trip = try #require(try trips { _, trips in _ = trips[0].bucketList }.first)
    trip.destination = "Oslo"
    trip.bucketList.removeLast()
    let context = ModelContext(container)
    context.insert(trip)
    context.rollback()
    #expect(!context.hasChanges && trip.destination == "")
    #expect(titles(trip) == ["A1", "A2", "A3"])
  }

  @Test("Adopted objects are freed when they are released, although their context is retained.")
  func freed() throws {
    let context = ModelContext(container)
    weak var freed: Trip?
    for isRegistered in [true, false] {
      try {
        let own = isRegistered ? try context.fetch(FetchDescriptor<Trip>()) : []
        let trip = try #require(try trips { _, trips in _ = trips[0].bucketList }.first)
        trip.destination = "\(isRegistered)"
        context.insert(trip)
        try context.save()
        freed = trip
        withExtendedLifetime((own, trip)) {}
      }()
      // A failure would print the object, and with it references to released objects.
      let isFreed = freed == nil
      #expect(isFreed, "\(isRegistered)")
    }
  }

  @Test("Objects of other containers, and of contexts that exist, are refused with a sentence.")
  func refused() throws {
    let other = try tripContainer()
    let foreign = Trip(name: "F")
    do {
      let context = ModelContext(other)
      context.insert(foreign)
      try context.save()
    }
    let context = ModelContext(container)
    context.insert(foreign)
    #expect {
      try context.save()
    } throws: {
      SwiftDataError.modelValidationFailure ~= $0 && "\($0)".contains("another ModelContainer")
    }
    let living = ModelContext(container)
    let trip = try #require(try living.fetch(FetchDescriptor<Trip>()).first)
    for use in [context.insert, context.delete] as [(Trip) -> Void] {
      use(trip)
      #expect {
        try context.save()
      } throws: {
        SwiftDataError.modelValidationFailure ~= $0 && "\($0)".contains("another context")
      }
      #expect(trip.modelContext === living && !trip.isDeleted)
    }
  }

  @Test("Random graphs of released contexts are saved as they are in memory.", arguments: 0..<12)
  func random(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<6 {
      let context = ModelContext(container)
      let own = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
      if Bool.random(using: &random) { _ = own.map { titles($0) } }
      let held = Bool.random(using: &random) ? own : []
      let trips = try trips { _, trips in
        if Bool.random(using: &random) { _ = trips.map { titles($0) } }
      }
      for step in 0..<4 {
        let (from, to) = Bool.random(using: &random) ? (trips[0], trips[1]) : (trips[1], trips[0])
        switch Int.random(in: 0..<4, using: &random) {
        case 0: to.destination = "\(seed) \(step)"
        case 1:
          if let item = from.bucketList.randomElement(using: &random) { to.bucketList.append(item) }
        case 2: to.bucketList.append(BucketListItem(title: "\(seed) \(step)"))
        default:
          to.bucketList.randomElement(using: &random)?.title = "\(seed) \(step)"
        }
      }
      for trip in trips.shuffled(using: &random) { context.insert(trip) }
      let expected = trips.map { [$0.destination] + titles($0) }
      try context.save()
      #expect(trips.map { [$0.destination] + titles($0) } == expected, "seed \(seed)")
      #expect(try saved().map { [$0.destination] + titles($0) } == expected, "seed \(seed)")
      #expect(held.isEmpty || held.map { [$0.destination] + titles($0) } == expected)
    }
  }
}
