import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Model final class Traveller {
  var name: String
  init(name: String) { self.name = name }
}

@Suite("The history of several stores")
struct HistoryStoresTests {
  let world: TimedStores
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    world = try TimedStores()
    container = try Self.container(world)
    context = ModelContext(container)
  }

  private static func container(_ world: TimedStores) throws -> ModelContainer {
    let trips = Schema([Trip.self, BucketListItem.self, LivingAccommodation.self, Tag.self])
    return try ModelContainer(
      for: Schema([
        Trip.self, BucketListItem.self, LivingAccommodation.self, Tag.self, Traveller.self,
      ]),
      configurations: [
        world.configuration("trips", trips),
        world.configuration("people", Schema([Traveller.self])),
      ]
    )
  }

  /// Saves a trip or a person at a given time.
  private func save(_ kind: String, _ name: String, at seconds: Double) throws {
    world.setTime(seconds)
    if kind == "trip" {
      context.insert(Trip(name: name))
    } else {
      context.insert(Traveller(name: name))
    }
    context.author = kind
    try context.save()
  }

  private func names(_ transactions: [DefaultHistoryTransaction]) -> String {
    transactions.flatMap(\.changes)
      .compactMap { $0.valuesByName["name"] as? String }.joined(separator: " ")
  }

  private func after(
    _ token: DefaultHistoryToken?,
    _ author: String? = nil
  ) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token, let author {
      descriptor.predicate = #Predicate { $0.token > token && $0.author == author }
    } else if let token {
      descriptor.predicate = #Predicate { $0.token > token }
    }
    return try context.fetchHistory(descriptor)
  }

  @Test("Transactions are in the order of time, and each names its store.")
  func order() throws {
    for (index, kind) in ["trip", "person", "person", "trip", "person", "trip"].enumerated() {
      try save(kind, "\(index)", at: Double(index))
    }
    let all = try after(nil)
    #expect(names(all) == "0 1 2 3 4 5")
    #expect(all.map(\.transactionIdentifier) == [1, 1, 2, 2, 3, 3])
    let stores = all.map(\.storeIdentifier)
    #expect(Set(stores).count == 2 && stores[0] == stores[3] && stores[1] == stores[4])
    #expect(all.map(\.token).sorted() == all.map(\.token))
    let people = stores[1]
    let some = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.storeIdentifier == people }
      )
    )
    #expect(names(some) == "1 2 4")
  }

  @Test("One save to two stores is a transaction in each.")
  func both() throws {
    context.insert(Trip(name: "t"))
    context.insert(Traveller(name: "p"))
    try context.save()
    let all = try after(nil)
    #expect(all.count == 2 && Set(all.map(\.storeIdentifier)).count == 2)
  }

  @Test("Each token leads to the rest of the list, whatever the clocks show.", arguments: 0..<12)
  func exactlyOnce(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    for index in 0..<14 {
      let kind = Bool.random(using: &generator) ? "trip" : "person"
      // Some have the same time, and sometimes the clock is set back.
      let time = Double(index / 3) + Double(Int.random(in: -2...1, using: &generator)) * 1.5
      try save(kind, "\(index)", at: max(0, time))
    }
    let all = try after(nil)
    #expect(all.count == 14)
    for kind in ["trip", "person"] {
      let ids = all.filter { $0.author == kind }.map(\.transactionIdentifier)
      #expect(ids == ids.sorted(), "seed \(seed)")
    }
    for (index, transaction) in all.enumerated() {
      let rest = try after(transaction.token)
      #expect(names(rest) == names(Array(all[(index + 1)...])), "seed \(seed), \(index)")
      // Reading in small steps gives the same transactions.
      var token = transaction.token
      var read: [DefaultHistoryTransaction] = []
      while let next = try after(token).first {
        read.append(next)
        token = next.token
      }
      #expect(names(read) == names(rest), "seed \(seed), \(index)")
    }
    let trips = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "trip" })
    )
    for (index, transaction) in trips.enumerated() {
      let rest = try after(transaction.token, "trip")
      #expect(names(rest) == names(Array(trips[(index + 1)...])), "seed \(seed), \(index)")
    }
  }

  @Test("A token covers the other stores as far as they were, also in reverse with a limit.")
  func newest() throws {
    for index in 0..<6 { try save(index < 3 ? "person" : "trip", "\(index)", at: Double(index)) }
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.token, order: .reverse)]
    )
    descriptor.fetchLimit = 1
    let newest = try context.fetchHistory(descriptor)
    #expect(names(newest) == "5")
    #expect(try newest.first?.token == container.currentHistoryToken())
    #expect(newest.first?.token.tokenValue?.values.sorted() == [3, 3])
    #expect(try after(newest.first?.token).isEmpty)
    try save("person", "late", at: 2)
    #expect(try names(after(newest.first?.token)) == "late")
  }

  @Test("A store that a token does not know is read from its beginning.")
  func addedStore() throws {
    let folder = world.folder
    let alone = try ModelContainer(for: Trip.self, configurations: world.configuration("alone"))
    let first = ModelContext(alone)
    first.insert(Trip(name: "a"))
    try first.save()
    let token = try #require(try allHistory(first).first?.token)
    let both = try ModelContainer(
      for: Schema([
        Trip.self, BucketListItem.self, LivingAccommodation.self, Tag.self, Traveller.self,
      ]),
      configurations: [
        ModelConfiguration(
          schema: Schema([Trip.self, BucketListItem.self, LivingAccommodation.self, Tag.self]),
          url: folder.file("alone.store")
        ), world.configuration("people", Schema([Traveller.self])),
      ]
    )
    try save("person", "p", at: 0)
    let found = try ModelContext(both).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    )
    #expect(names(found) == "p")
  }

  @Test("Deleting history of one store expires its tokens and no others.")
  func expiry() throws {
    for index in 0..<6 {
      try save(index % 2 == 0 ? "person" : "trip", "\(index)", at: Double(index))
    }
    let all = try after(nil)
    try deleteHistory(of: world.folder.file("people.store"), through: 3)
    // All tokens of trips except the last cover only deleted transactions of people.
    #expect(throws: SwiftDataError.historyTokenExpired) { try after(all[0].token) }
    #expect(throws: SwiftDataError.historyTokenExpired) { try after(all[1].token) }
    #expect(try after(all[5].token).isEmpty)
    let kept = try after(nil)
    #expect(names(kept) == "1 3 5")
    #expect(try names(after(kept.first?.token)) == "3 5")
    try save("person", "new", at: 9)
    #expect(try names(after(kept.last?.token)) == "new")
  }
}
