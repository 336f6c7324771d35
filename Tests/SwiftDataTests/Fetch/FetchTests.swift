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
}
