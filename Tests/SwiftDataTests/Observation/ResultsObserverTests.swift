import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("Observing the results of a fetch")
struct ResultsObserverTests {
  let folder: TemporaryFolder
  let url: URL
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("trips.store")
    container = try Self.container(at: url)
    context = ModelContext(container)
  }

  private static func container(at url: URL) throws -> ModelContainer {
    try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
  }

  /// A flag that is set when the values that a closure reads change.
  private func change(of read: () -> Void) -> Mutex<Bool>.Box {
    let box = Mutex<Bool>.Box(false)
    withObservationTracking {
      read()
    } onChange: {
      box.mutex.withLock { $0 = true }
    }
    return box
  }

  // MARK: Results

  /// Makes a random change, and saves in about a third of the cases.
  private func step(
    _ contexts: [ModelContext],
    _ names: inout Int,
    _ random: inout SeededGenerator
  ) throws {
    let context = contexts[Int.random(in: 0..<contexts.count, using: &random)]
    let places = ["Oslo", "oslo", "Bergen", "bergen 10", "Bergen 9", ""]
    let all = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1:
      names += 1
      let place = places[Int.random(in: 0..<places.count, using: &random)]
      context.insert(Trip(name: "\(names)", destination: place))
    case 2:
      if let trip = all.randomElement(using: &random) { context.delete(trip) }
    case 3:
      let place = places[Int.random(in: 0..<places.count, using: &random)]
      all.randomElement(using: &random)?.destination = place
    default:
      all.randomElement(using: &random)?.budget = Double(names)
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: do { try context.save() } catch { context.rollback() }
    case 2: context.rollback()
    default: break
    }
  }

  @Test(
    "After any changes and saves, the results and sections are those of a new fetch.",
    arguments: 1...8
  )
  func law(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    // The second context is one of another container, as in another process.
    let others = ModelContext(try Self.container(at: url))
    let contexts = [context, ModelContext(container)]
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.budget < 20 },
      sortBy: [SortDescriptor(\.name)]
    )
    descriptor.fetchLimit = seed.isMultiple(of: 3) ? 4 : nil
    let observer = try ResultsObserver<Trip, String>(
      fetchDescriptor: descriptor,
      sectionBy: \.destination,
      modelContext: context
    )
    func expectSame(_ step: Int) throws {
      let fetched = try context.fetch(observer.fetchDescriptor)
      #expect(Array(observer.results) == fetched, "seed \(seed), step \(step)")
      let sections = try #require(observer.sections)
      #expect(sections.flatMap { Array($0) } == fetched, "seed \(seed), step \(step)")
      for section in sections {
        #expect(section.allSatisfy { $0.destination == section.title })
      }
      #expect(Set(sections.sectionTitles).count == sections.count)
    }
    var names = 0
    for number in 0..<30 {
      try step(contexts, &names, &random)
      try expectSame(number)
      guard number % 10 == 9 else { continue }
      names += 1
      others.insert(Trip(name: "\(names)", destination: "Elsewhere"))
      if let trip = try others.fetch(FetchDescriptor<Trip>()).first { others.delete(trip) }
      try others.save()
      try await eventually {
        try Array(observer.results) == context.fetch(observer.fetchDescriptor)
      }
      try expectSame(number)
    }
    #expect(observer.fetchError == nil)
  }

  @Test("An observer on the main actor is notified of matching changes, and of no others.")
  @MainActor func notifications() async throws {
    let context = container.mainContext
    context.autosaveEnabled = false
    let observer = try ResultsObserver<Trip, Never>(
      filterBy: #Predicate { $0.budget > 10 },
      sortBy: [SortDescriptor(\.name)],
      modelContext: context
    )
    let url = url
    func saveElsewhere(_ body: @escaping @Sendable (ModelContext) throws -> Void) async throws {
      let before = container.changes.generation
      try await Task.detached {
        let context = ModelContext(try Self.container(at: url))
        try body(context)
        try context.save()
      }.value
      try await eventually { container.changes.generation > before }
      try await Task.sleep(for: .milliseconds(150))
    }
    var changed = change { _ = observer.results }
    try await saveElsewhere { $0.insert(Trip(name: "cheap")) }
    try await saveElsewhere { $0.insert(Tag(label: "x")) }
    #expect(!changed.mutex.withLock { $0 })
    try await saveElsewhere {
      let trip = Trip(name: "B")
      trip.budget = 20
      $0.insert(trip)
    }
    try await eventually { changed.mutex.withLock { $0 } }
    #expect(observer.results.map(\.name) == ["B"])

    changed = change { _ = observer.results }
    let trip = Trip(name: "A")
    trip.budget = 11
    context.insert(trip)
    try await eventually { changed.mutex.withLock { $0 } }
    #expect(observer.results.map(\.name) == ["A", "B"])

    // An observer that has already read the new results does not suppress the notification.
    changed = change { _ = observer.results }
    context.delete(trip)
    _ = observer.results
    #expect(changed.mutex.withLock { $0 })
    #expect(observer.sections == nil)
  }

  @Test("Without an actor, a commit of another thread notifies, and reading fetches.")
  func noActor() throws {
    let observer = try ResultsObserver<Trip, Never>(modelContext: context, isolation: nil)
    let changed = change { _ = observer.results }
    let other = try Self.container(at: url)
    let thread = Thread {
      let context = ModelContext(other)
      context.insert(Trip(name: "A"))
      // The test fails if the save does.
      try? context.save()
    }
    thread.start()
    let limit = Date.now + 5
    while !changed.mutex.withLock({ $0 }), Date.now < limit { Thread.sleep(forTimeInterval: 0.005) }
    #expect(changed.mutex.withLock { $0 })
    #expect(observer.results.map(\.name) == ["A"])
  }

  @Test("A new filter or order takes effect at once.")
  func criteria() throws {
    for (name, budget) in [("A", 3.0), ("B", 2), ("C", 1)] {
      let trip = Trip(name: name)
      trip.budget = budget
      context.insert(trip)
    }
    let observer = try ResultsObserver<Trip, Never>(
      sortBy: [SortDescriptor(\.name)],
      modelContext: context
    )
    #expect(observer.results.map(\.name) == ["A", "B", "C"])
    observer.filterBy = #Predicate { $0.budget < 3 }
    #expect(observer.results.map(\.name) == ["B", "C"])
    observer.sortBy = [SortDescriptor(\.budget)]
    #expect(observer.results.map(\.name) == ["C", "B"])
    #expect(observer.filterBy != nil && observer.sortBy.count == 1)
    observer.filterBy = nil
    #expect(observer.results.count == 3)
    #expect(observer.debugDescription == "ResultsObserver<Trip, Never>: 3 results")
  }

  @Test("A deleted object is removed from the results.")
  func deleted() throws {
    let trips = ["A", "B"].map { Trip(name: $0) }
    for trip in trips { context.insert(trip) }
    try context.save()
    let observer = try ResultsObserver<Trip, Never>(modelContext: context)
    #expect(observer.results.count == 2)
    context.delete(trips[0])
    #expect(observer.results.map(\.name) == ["B"])
    context.rollback()
    #expect(observer.results.count == 2)
    context.delete(trips[0])
    try context.save()
    #expect(observer.results.map(\.name) == ["B"])
  }

  @Test("A fetch that fails is reported, and the results stay.")
  func failure() throws {
    context.insert(Trip(name: "A"))
    try context.save()
    let observer = try ResultsObserver<Trip, Never>(modelContext: context)
    #expect(observer.fetchError == nil)
    let number = 1
    observer.filterBy = #Predicate { 10 % ($0.bucketList.count - number + 1) == 0 }
    #expect(observer.fetchError != nil)
    #expect(observer.results.map(\.name) == ["A"])
    observer.filterBy = nil
    #expect(observer.fetchError == nil)
  }

  @Test("An error that is reported by the application's next fetch is left to it.")
  func deferredErrors() throws {
    let observer = try ResultsObserver<Trip, Never>(modelContext: context)
    context.insert(Vehicle(plate: "not in the schema"))
    #expect(observer.results.isEmpty)
    #expect(observer.fetchError == nil)
    #expect(throws: SwiftDataError.self) { try context.save() }
  }

  // MARK: Sections

  @Test("Sections are in the order of their titles, and their elements in the given order.")
  func sections() throws {
    for (name, place) in [("1", "b"), ("2", "a10"), ("3", "B"), ("4", "a9"), ("5", "b"), ("6", "")]
    {
      context.insert(Trip(name: name, destination: place))
    }
    try context.save()
    let observer = try ResultsObserver<Trip, String>(
      sortBy: [SortDescriptor(\.name, order: .reverse)],
      sectionBy: \.destination,
      modelContext: context
    )
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles.count == 5)
    #expect(sections.sectionTitles.prefix(3) == ["", "a9", "a10"])
    #expect(sections[sectionTitle: "b"]?.map(\.name) == ["5", "1"])
    #expect(sections.contains(sectionTitle: "B") && !sections.contains(sectionTitle: "c"))
    #expect(sections.index(ofSectionTitled: "a10") == 2)
    #expect(sections.index(ofSectionTitled: "c") == nil)
    #expect(sections.first?.id == "")
    #expect(observer.sectionBy == \Trip.destination)

    let path = IndexPath(indexes: [2, 0])
    let trip = try #require(observer.element(at: path))
    #expect(trip.name == "2")
    #expect(observer.indexPath(for: trip) == path)
    for wrong in [[5, 0], [0, 1], [-1, 0], [0], []] {
      #expect(observer.element(at: IndexPath(indexes: wrong)) == nil)
    }
    #expect(observer.indexPath(for: Trip(name: "not inserted")) == nil)

    observer.sortBy = [SortDescriptor(\.destination, order: .reverse), SortDescriptor(\.name)]
    #expect(observer.sections?.sectionTitles.suffix(3) == ["a10", "a9", ""])
    let order = observer.sortBy
    observer.sortBy = order
    #expect(observer.sortBy == order)
  }

  @Test("Models whose title is nil are in a section without a title.")
  func optionalTitles() throws {
    let container = try ModelContainer(
      for: Taxi.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    for (plate, license) in [("A", "x"), ("B", nil), ("C", "x")] {
      let taxi = Taxi(plate: plate, license: "")
      taxi.license = license
      context.insert(taxi)
    }
    let observer = try ResultsObserver<Taxi, String>(
      sectionBy: \.license,
      modelContext: context
    )
    #expect(observer.sections?.sectionTitles == ["", "x"])
    #expect(observer.sections?.last?.map(\.plate) == ["A", "C"])
  }

  @Test("Each kind of initializer creates an observer with the same results.")
  func initializers() throws {
    context.insert(Trip(name: "A", destination: "Oslo"))
    try context.save()
    let all = FetchDescriptor<Trip>()
    let unsectioned: [ResultsObserver<Trip, Never>] = [
      try ResultsObserver(modelContext: context),
      try ResultsObserver(modelContainer: container),
      try ResultsObserver(fetchDescriptor: all, modelContext: context),
      try ResultsObserver(fetchDescriptor: all, modelContainer: container),
      try ResultsObserver(filterBy: nil, modelContext: context),
      try ResultsObserver(sortBy: nil, modelContainer: container),
    ]
    #expect(unsectioned.allSatisfy { $0.results.map(\.name) == ["A"] && $0.sections == nil })
    let sectioned: [ResultsObserver<Trip, String>] = [
      try ResultsObserver(sectionBy: \.destination, modelContext: context),
      try ResultsObserver(sectionBy: \.destination, modelContainer: container),
      try ResultsObserver(filterBy: nil, sectionBy: \.destination, modelContainer: container),
      try ResultsObserver(fetchDescriptor: all, sectionBy: \.destination, modelContext: context),
    ]
    #expect(sectioned.allSatisfy { $0.sections?.sectionTitles == ["Oslo"] })
  }
}

extension Mutex where Value == Bool {
  /// A flag that closures can share.
  fileprivate final class Box: Sendable {
    let mutex: Mutex<Bool>
    init(_ value: Bool) { mutex = Mutex(value) }
  }
}
