import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("Observing history")
struct HistoryObserverTests {
  let folder: TemporaryFolder
  let url: URL
  let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("trips.store")
    container = try Self.container(at: url)
  }

  private static func container(at url: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration("trips", url: url)
    )
  }

  /// Saves in a separate context.
  private func save(
    _ author: String? = nil,
    in container: ModelContainer? = nil,
    _ body: (ModelContext) throws -> Void
  ) throws {
    let context = ModelContext(container ?? self.container)
    context.author = author
    try body(context)
    try context.save()
  }

  /// Waits until everything that was committed before has been read.
  private func settle() async throws {
    for _ in 0..<2 {
      let isDone = Mutex(false)
      container.changes.async { isDone.withLock { $0 = true } }
      try await eventually { isDone.withLock { $0 } }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test("An observer counts the transactions of its models and authors, and no others.")
  func selection() async throws {
    let all = try HistoryObserver(modelContainer: container)
    let tags = try HistoryObserver(observedModels: [Tag.self], modelContainer: container)
    let app = try HistoryObserver(authors: ["app", "widget"], modelContainer: container)
    let both = try HistoryObserver(
      observedModels: [Tag.self, Trip.self],
      authors: ["app"],
      modelContainer: container
    )
    func counts() -> [Int] { [all, tags, app, both].map(\.eventCounter) }
    try await settle()
    #expect(counts() == [0, 0, 0, 0])
    try save("app") { $0.insert(Trip(name: "A")) }
    try await eventually { counts() == [1, 0, 1, 1] }
    try save { $0.insert(Tag(label: "x")) }
    try await eventually { counts() == [2, 1, 1, 1] }
    try save("widget") { $0.insert(Tag(label: "y")) }
    try await eventually { counts() == [3, 2, 2, 1] }
    try save("app") { $0.insert(LivingAccommodation(placeName: "Inn")) }
    try await eventually { counts() == [4, 2, 3, 1] }
    try await settle()
    #expect(counts() == [4, 2, 3, 1])
    #expect([all, tags, app, both].allSatisfy { $0.lastError == nil })
  }

  @Test("A filter by models and authors runs as SQL.")
  func filterIsSQL() throws {
    let history = try #require(container.nativeHistories.first)
    for entities in [[], ["Trip"], ["Trip", "Tag"]] as [Set<String>] {
      for authors in [[], ["app"], ["app", "widget"]] as [Set<String>] {
        let filter = HistoryFilter(entities: entities, authors: authors)
        try history.store.read { reader in
          let query = try HistoryQuery(
            HistoryDescriptor(predicate: filter.predicate),
            sources: history.sources(reader)
          )
          #expect(!query.filtersInMemory, "\(entities) \(authors)")
        }
      }
    }
  }

  @Test("Subclasses of an observed model are observed.")
  func subclasses() async throws {
    let container = try ModelContainer(
      for: Vehicle.self,
      Taxi.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let vehicles = try HistoryObserver(observedModels: [Vehicle.self], modelContainer: container)
    let taxis = try HistoryObserver(observedModels: [Taxi.self], modelContainer: container)
    try save(in: container) { $0.insert(Taxi(plate: "T", license: "1")) }
    try await eventually { (vehicles.eventCounter, taxis.eventCounter) == (1, 1) }
    try save(in: container) { $0.insert(Vehicle(plate: "V")) }
    try await eventually { vehicles.eventCounter == 2 }
    #expect(taxis.eventCounter == 1)
  }

  @Test("Foreign changes are counted.")
  func foreignProgram() async throws {
    try save { $0.insert(Tag(label: "a")) }
    let observer = try HistoryObserver(observedModels: [Tag.self], modelContainer: container)
    let other = try Connection(path: url.path, mode: .readWrite)
    try other.execute("UPDATE Tag SET label = 'b'")
    try await eventually { observer.eventCounter > 0 }
    let last = try #require(try allHistory(ModelContext(container)).last)
    #expect(last.changes.first?.valuesByName["label"] as? String == "b")
  }

  @Test("An observer that starts after a token counts later commits.")
  func resumes() async throws {
    try save { $0.insert(Trip(name: "A")) }
    let token = try #require(try allHistory(ModelContext(container)).last?.token)
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "trips"))
    #expect(identifier == token.storeIdentifier)
    #expect(container.storeIdentifier(forConfigurationNamed: "others") == nil)
    let nothing = try HistoryObserver(
      historyTokens: [identifier: token],
      modelContainer: container
    )
    try await settle()
    #expect(nothing.eventCounter == 0)
    try save { $0.insert(Trip(name: "B")) }
    let later = try HistoryObserver(
      historyTokens: [identifier: token],
      modelContainer: container
    )
    try await eventually { later.eventCounter == 1 }
    let now = try HistoryObserver(modelContainer: container)
    try await settle()
    #expect(now.eventCounter == 0)
  }

  @Test("A token that expired, is of another store or of no store is refused.")
  func wrongTokens() throws {
    for name in ["A", "B", "C"] { try save { $0.insert(Trip(name: name)) } }
    let context = ModelContext(container)
    let first = try allHistory(context)[0].token
    let store = first.storeIdentifier
    let others = ModelContext(try tripContainer())
    others.insert(Trip(name: "A"))
    try others.save()
    let other = try #require(try allHistory(others).last?.token)
    for tokens in [[store: other], [other.storeIdentifier: other]] {
      #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
        try HistoryObserver(historyTokens: tokens, modelContainer: container)
      }
    }
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.transactionIdentifier <= 2 }
      )
    )
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try HistoryObserver(historyTokens: [store: first], modelContainer: container)
    }
    #expect {
      try HistoryObserver(observedModels: [Vehicle.self], modelContainer: container)
    } throws: { "\($0)".contains("Add Vehicle.self") }
    #expect(!container.changes.isPolling)
  }

  @Test("History that is deleted before it is read is reported, and the rest is read.")
  func deletedUnread() async throws {
    try save { $0.insert(Trip(name: "A")) }
    let observer = try HistoryObserver(modelContainer: container)
    try await settle()
    let isReleased = Mutex(false)
    container.changes.async {
      while !isReleased.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.005) }
    }
    for name in ["B", "C", "D"] { try save { $0.insert(Trip(name: name)) } }
    try deleteHistory(of: url, through: 3)
    isReleased.withLock { $0 = true }
    try await eventually { observer.eventCounter > 0 }
    let error = try #require(observer.lastError)
    #expect(SwiftDataError.historyTokenExpired ~= error)
    try await settle()
    let count = observer.eventCounter
    try save { $0.insert(Trip(name: "E")) }
    try await eventually { observer.eventCounter == count + 1 }
  }

  @Test("Nothing runs without observers, and all work stops when the last one is released.")
  func stops() async throws {
    func handles() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        let path = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/self/fd/\(name)"
        )
        return path?.hasPrefix(url.path) ?? false  // It may be closed meanwhile.
      }
    }
    let context = ModelContext(container)
    context.insert(Trip(name: "A"))
    try context.save()
    #expect(!container.changes.isPolling)
    #expect(container.changes.generation == 0)
    let before = try handles()
    var first: HistoryObserver? = try HistoryObserver(modelContainer: container)
    var second: ResultsObserver<Trip, Never>? = try ResultsObserver(modelContext: context)
    #expect(container.changes.isPolling)
    try await settle()
    let during = try handles()
    #expect(during > before)
    first = nil
    try await eventually { first == nil && container.changes.isPolling }
    second = nil
    try await eventually { second == nil && !container.changes.isPolling }
    // The connections of readers stay open for the next fetch.
    try await eventually { try handles() < during }
  }

  @Test("A container without files is never polled.")
  func memory() async throws {
    let container = try tripContainer()
    let observer = try HistoryObserver(modelContainer: container)
    #expect(!container.changes.isPolling)
    try save(in: container) { $0.insert(Trip(name: "A")) }
    try await eventually { observer.eventCounter == 1 }
  }

  @Test("remoteChange is posted for a commit of another container of the file.")
  func notification() async throws {
    let count = Mutex(0)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContainer.remoteChange,
      object: container,
      queue: nil
    ) { _ in
      count.withLock { $0 += 1 }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let observer = try HistoryObserver(modelContainer: container)
    try save(in: try Self.container(at: url)) { $0.insert(Trip(name: "A")) }
    try await eventually { count.withLock { $0 } > 0 && observer.eventCounter == 1 }
  }

  @Test("The counter changes on the actor that created the observer.")
  @MainActor func isolation() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    let isOnMain = Mutex<Bool?>(nil)
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      isOnMain.withLock { $0 = DispatchQueue.getSpecific(key: key) ?? false }
    }
    let url = url
    try await Task.detached {
      let context = ModelContext(try Self.container(at: url))
      context.insert(Trip(name: "A"))
      try context.save()
    }.value
    try await eventually { observer.eventCounter == 1 }
    #expect(isOnMain.withLock { $0 } == true)
  }

  private actor Owner {
    var observer: HistoryObserver?

    func start(_ container: ModelContainer) throws {
      observer = try HistoryObserver(modelContainer: container)
    }
  }

  @Test("An observer does not retain the actor that owns it.")
  func owner() async throws {
    var owner: Owner? = Owner()
    try await owner?.start(container)
    weak let released = owner
    #expect(container.changes.isPolling)
    owner = nil
    try await eventually { released == nil && !container.changes.isPolling }
  }
}
