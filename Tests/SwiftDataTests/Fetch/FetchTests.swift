import Foundation
import SwiftData
import Testing

@Suite("Fetching")
struct FetchTests {
  /// A context with trips named 00, 01, …, each with one item.
  private func context(_ count: Int) throws -> ModelContext {
    let context = ModelContext(try tripContainer())
    for number in 0..<count {
      let trip = Trip(name: number < 10 ? "0\(number)" : "\(number)", destination: "d\(number % 3)")
      trip.budget = Double(number)
      trip.bucketList = [BucketListItem(title: "item \(number)")]
      context.insert(trip)
    }
    try context.save()
    return ModelContext(context.container)
  }

  @Test(
    "Limits and offsets apply to the sorted result.",
    arguments: [0, 1, 5, 20, 25],
    [nil, 1, 7, 30]
  )
  func limits(_ offset: Int, _ limit: Int?) throws {
    let context = try context(20)
    context.insert(Trip(name: "05b"))
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    let all = try context.fetch(descriptor).map(\.name)
    #expect(all.count == 21 && all[6] == "05b")
    descriptor.fetchOffset = offset
    descriptor.fetchLimit = limit
    let expected = Array(all.dropFirst(offset).prefix(limit ?? 100))
    #expect(try context.fetch(descriptor).map(\.name) == expected)
    #expect(try context.fetchCount(descriptor) == expected.count)
    let identifiers = try context.fetchIdentifiers(descriptor)
    #expect(identifiers.compactMap { (context.model(for: $0) as? Trip)?.name } == expected)
  }

  @Test("Properties that were not fetched are read when they are accessed.")
  func propertiesToFetch() throws {
    let context = try context(3)
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    descriptor.propertiesToFetch = [\.name]
    let trips = try context.fetch(descriptor)
    #expect(trips.map(\.name) == ["00", "01", "02"])
    #expect(trips.map(\.budget) == [0, 1, 2])
    #expect(trips[1].bucketList.map(\.title) == ["item 1"])
  }

  @Test("Prefetched relationships are in memory.")
  func prefetching() throws {
    let context = try context(30)
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    descriptor.relationshipKeyPathsForPrefetching = [\.bucketList]
    let trips = try context.fetch(descriptor)
    #expect(trips.allSatisfy { $0.bucketList.count == 1 && $0.bucketList[0].trip === $0 })
    var items = FetchDescriptor<BucketListItem>()
    items.relationshipKeyPathsForPrefetching = [\.trip]
    let other = ModelContext(context.container)
    let found = try other.fetch(items)
    #expect(found.count == 30 && found.allSatisfy { $0.trip != nil })
    for item in found {
      let identifier = try #require(item.trip?.persistentModelID)
      let registered: Trip? = other.registeredModel(for: identifier)
      #expect(registered != nil)
    }
  }

  @Test("Enumeration visits every object, batch by batch.", arguments: [1, 7, 100, 5000])
  func enumerate(_ batchSize: Int) throws {
    let context = try context(100)
    var names: [String] = []
    try context.enumerate(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]),
      batchSize: batchSize
    ) { names.append($0.name) }
    #expect(names.count == 100 && names == names.sorted())
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.destination == "d1" },
      sortBy: [SortDescriptor(\.name)]
    )
    descriptor.fetchLimit = 10
    descriptor.fetchOffset = 2
    names = []
    try context.enumerate(descriptor, batchSize: batchSize) { names.append($0.name) }
    #expect(names == (2..<12).map { $0 * 3 + 1 }.map { $0 < 10 ? "0\($0)" : "\($0)" })
  }

  @Test("Enumeration releases the objects of earlier batches.")
  func enumerationMemory() throws {
    let context = try context(200)
    var most = 0
    var alive: [() -> Bool] = []
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 10) { trip in
      alive.append { [weak trip] in trip != nil }
      if alive.count % 50 == 0 { most = max(most, alive.filter { $0() }.count) }
    }
    #expect(alive.count == 200)
    #expect(most <= 20)
  }

  @Test("Enumeration throws if the context is changed meanwhile, unless that is allowed.")
  func mutationGuard() throws {
    let context = try context(20)
    var visited = 0
    #expect(throws: SwiftDataError.contextIsDirty) {
      try context.enumerate(FetchDescriptor<Trip>(), batchSize: 5) { trip in
        visited += 1
        if visited == 7 { trip.destination = "changed" }
      }
    }
    #expect(visited == 7)
    context.rollback()
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 5, allowEscapingMutations: true) {
      $0.destination = "changed"
    }
    try context.save()
    let changed = FetchDescriptor<Trip>(predicate: #Predicate { $0.destination == "changed" })
    #expect(try context.fetchCount(changed) == 20)
  }

  @Test("Enumeration sees unsaved changes.")
  func enumeratePending() throws {
    let context = try context(5)
    context.insert(Trip(name: "99"))
    let first = try #require(
      try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).first
    )
    context.delete(first)
    var names: [String] = []
    try context.enumerate(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]), batchSize: 2) {
      names.append($0.name)
    }
    #expect(names == ["01", "02", "03", "04", "99"])
  }

  @Test("Results in batches are an ordinary collection.")
  func batches() throws {
    let context = try context(25)
    let results = try context.fetch(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]),
      batchSize: 4
    )
    #expect(results.count == 25)
    #expect(results[24].name == "24" && results[0].name == "00")
    #expect(results.map(\.name) == results.map(\.name).sorted())
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Trip>(), batchSize: 4)
    #expect(Set(identifiers).count == 25)
  }

  @Test("Batch deletion deletes what its predicate selects, at the next save.")
  func batchDelete() throws {
    let context = try context(30)
    let held = try #require(
      try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).last
    )
    try context.delete(model: Trip.self, where: #Predicate { $0.budget >= 10 })
    #expect(held.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 10)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Trip>()) == 30)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 30)
    try context.delete(model: Trip.self, where: #Predicate { $0.budget >= 10 })
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 10)
    #expect(try other.fetchCount(FetchDescriptor<BucketListItem>()) == 10)
    try context.delete(model: Trip.self)
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
  }

  @Test("A fetch refreshes unchanged objects, and no changed ones.")
  func refreshing() throws {
    let context = try context(1)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    same.destination = "elsewhere"
    same.budget = 99
    try other.save()
    #expect(trip.destination == "d0")
    trip.budget = 5
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.destination == "elsewhere")
    #expect(trip.budget == 5)
    try context.save()
    let third = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Trip>()).first
    )
    #expect(third.destination == "elsewhere" && third.budget == 5)
  }
}
