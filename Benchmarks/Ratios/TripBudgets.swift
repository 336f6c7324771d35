import CBenchmarkPeer
import SwiftData

/// The budgets of models.
struct TripBudgets {
  let folder: URL
  let count: Int
  private let trips: UnsafeMutablePointer<peer_trip>
  private let values: [TripValues]

  init(count: Int, folder: URL) throws {
    guard let trips = peer_make_trips(Int64(count)) else {
      throw WrongResult(description: "There is no memory for \(count) trips; measure fewer.")
    }
    self.count = count
    self.folder = folder
    self.trips = trips
    values = UnsafeBufferPointer(start: trips, count: count).map(TripValues.init)
  }

  var budgets: [Budget] {
    get throws {
      let full = folder.appending(path: "full.store")
      let container = try container(at: full)
      return [
        Budget(
          name: "insert \(count) models and save, history on",
          limit: 4,
          peer: { try insertByPeer(withHistory: false) },
          ours: { try inFreshStore { _, container in try insert(into: container) } }
        ),
        Budget(
          name: "insert and save, the peer has history too",
          limit: 2,
          peer: { try insertByPeer(withHistory: true) },
          ours: { try inFreshStore { _, container in try insert(into: container) } }
        ),
        // History can't be switched off, so only the peer shows the cost of its rows.
        Budget(
          name: "the rows of history, by the peer with and without",
          limit: 2.5,
          peer: { try insertByPeer(withHistory: false) },
          ours: { try insertByPeer(withHistory: true) }
        ),
        Budget(
          name: "fetch \(count) models, every attribute touched",
          limit: 4,
          prepare: { try insert(into: container) },
          peer: { try seconds { try check(peer_fetch(full.path) == sum) } },
          ours: { try seconds { try check(fetch(from: container) == sum) } }
        ),
      ]
    }
  }

  private var sum: Int {
    values.reduce(0) { $0 + Trip($1).sum }
  }

  private func container(at url: URL) throws -> ModelContainer {
    try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
  }

  private func insert(into container: ModelContainer) throws {
    let context = ModelContext(container)
    for values in values { context.insert(Trip(values)) }
    try context.save()
  }

  private func insertByPeer(withHistory: Bool) throws -> Double {
    try inFreshStore { url, _ in
      try check(peer_insert(url.path, trips, Int64(count), withHistory ? 1 : 0) == 0)
    }
  }

  private func fetch(from container: ModelContainer) throws -> Int {
    try ModelContext(container).fetch(FetchDescriptor<Trip>()).reduce(0) { $0 + $1.sum }
  }

  /// Times work on a new store, and removes the store.
  private func inFreshStore(_ work: (URL, ModelContainer) throws -> Void) throws -> Double {
    let place = folder.appending(path: UUID().uuidString, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer {
      // Remaining files are removed with the folder of all measurements.
      try? FileManager.default.removeItem(at: place)
    }
    let url = place.appending(path: "fresh.store")
    let container = try container(at: url)
    return try seconds { try work(url, container) }
  }
}
