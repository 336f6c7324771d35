import Foundation
import SwiftData
import TestSupport
import Testing

@ModelActor actor Importer {
  func add(_ range: Range<Int>) throws {
    for number in range { modelContext.insert(Trip(name: "\(number)")) }
    try modelContext.save()
  }

  func rename(_ identifier: PersistentIdentifier, to name: String) throws {
    guard let trip = self[identifier, as: Trip.self] else { return }
    trip.name = name
    try modelContext.save()
  }

  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
}

@Suite("Concurrency")
struct ConcurrencyTests {
  @Test(
    "Many actors write to one container at once, on disk and in memory.",
    arguments: [false, true]
  )
  func actors(_ inMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let configuration =
      inMemory
      ? ModelConfiguration(isStoredInMemoryOnly: true)
      : ModelConfiguration(url: folder.file("trips.store"))
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let importer = Importer(modelContainer: container)
          for part in 0..<5 {
            let start = number * 1000 + part * 20
            try await importer.add(start..<start + 20)
            _ = try await importer.count()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 800)
  }

  @Test("An actor finds a model by the identifier from another context.")
  func identifiers() async throws {
    let container = try tripContainer()
    let context = ModelContext(container)
    let trip = Trip(name: "A")
    context.insert(trip)
    try context.save()
    try await Importer(modelContainer: container).rename(trip.persistentModelID, to: "B")
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(trip.name == "B")
  }

  @Test("Threads read while others write, and see only whole saves.")
  func readersAndWriters() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(url: folder.file("trips.store"))
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<30 {
          let context = ModelContext(container)
          for number in 0..<10 { context.insert(Trip(name: "\(round) \(number)")) }
          try context.save()
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<60 {
            let count = try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
            #expect(count % 10 == 0)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
