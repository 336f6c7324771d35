import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Unsaved changes in fetches", .serialized)
struct PendingTests {
  private func container(_ folder: TemporaryFolder) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(url: folder.file("trips.store"))
    )
  }

  @Test("A context with unsaved changes sees what others save meanwhile.")
  func newestRows() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let context = ModelContext(container)
    context.insert(Trip(name: "mine"))
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    for round in 1...3 {
      let other = ModelContext(container)
      other.insert(Trip(name: "other \(round)"))
      try other.save()
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1 + round)
    }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 4)
  }

  @Test("Joins, orders, limits and counts see unsaved changes of all kinds.")
  func everywhere() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let context = ModelContext(container)
    let trips = (0..<6).map { Trip(name: "t\($0)", destination: "d") }
    for trip in trips {
      trip.bucketList = [BucketListItem(title: "a"), BucketListItem(title: "b")]
      context.insert(trip)
    }
    try context.save()
    trips[0].bucketList[0].hasReservation = true
    trips[1].bucketList.removeAll()
    context.delete(trips[2])
    trips[3].name = "a3"
    let late = BucketListItem(title: "late")
    late.trip = trips[4]
    late.hasReservation = true
    context.insert(Trip(name: "t9"))
    let reserved = #Predicate<Trip> { $0.bucketList.filter { $0.hasReservation }.count > 0 }
    let byName = [SortDescriptor(\Trip.name)]
    func names(_ descriptor: FetchDescriptor<Trip>) throws -> [String] {
      try context.fetch(descriptor).map(\.name)
    }
    #expect(try names(FetchDescriptor(predicate: reserved, sortBy: byName)) == ["t0", "t4"])
    let empty = #Predicate<Trip> { $0.bucketList.isEmpty }
    #expect(try names(FetchDescriptor(predicate: empty, sortBy: byName)) == ["t1", "t9"])
    var limited = FetchDescriptor<Trip>(sortBy: byName)
    limited.fetchLimit = 2
    #expect(try names(limited) == ["a3", "t0"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 6)
    let items = FetchDescriptor<BucketListItem>(
      predicate: #Predicate { $0.trip?.name == "t4" },
      sortBy: [SortDescriptor(\.title)]
    )
    #expect(try context.fetch(items).map(\.title) == ["a", "b", "late"])
    try context.save()
    let other = ModelContext(container)
    let saved = try other.fetch(FetchDescriptor(predicate: reserved, sortBy: byName))
    #expect(saved.map(\.name) == ["t0", "t4"])
  }

  @Test("Alternating insertions and fetches stay fast.")
  func alternating() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try container(folder))
    for number in 0..<500 {
      let name = "trip \(number % 250)"
      var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })
      descriptor.fetchLimit = 1
      if let found = try context.fetch(descriptor).first {
        found.budget += 1
      } else {
        context.insert(Trip(name: name))
      }
      if number % 100 == 99 { try context.save() }
    }
    try context.save()
    let trips = try ModelContext(context.container).fetch(FetchDescriptor<Trip>())
    #expect(trips.count == 250 && trips.allSatisfy { $0.budget == 1 })
  }
}
