import Foundation
import SwiftData
import Testing

/// The uses of history in common sample code.
@Suite("Common uses of history")
struct HistoryIdiomTests {
  let container: ModelContainer
  let app: ModelContext
  let widget: ModelContext

  init() throws {
    container = try tripContainer()
    app = ModelContext(container)
    app.author = "app"
    widget = ModelContext(container)
    widget.author = "widget"
  }

  private func findTransactions(
    after token: DefaultHistoryToken?,
    author: String
  ) throws -> [DefaultHistoryTransaction] {
    var historyDescriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      historyDescriptor.predicate = #Predicate { transaction in
        (transaction.token > token) && (transaction.author == author)
      }
    }
    return try ModelContext(container).fetchHistory(historyDescriptor)
  }

  private func findTrips(
    in transactions: [DefaultHistoryTransaction],
    _ context: ModelContext
  ) throws -> (Set<Trip>, DefaultHistoryToken?) {
    var resultTrips: Set<Trip> = []
    for transaction in transactions {
      for change in transaction.changes {
        let modelID = change.changedPersistentIdentifier
        let fetchDescriptor = FetchDescriptor<Trip>(
          predicate: #Predicate { trip in
            trip.livingAccommodation?.persistentModelID == modelID
          }
        )
        guard let matchedTrip = try context.fetch(fetchDescriptor).first else { continue }
        switch change {
        case .insert(_ as DefaultHistoryInsert<LivingAccommodation>):
          resultTrips.insert(matchedTrip)
        case .update(_ as DefaultHistoryUpdate<LivingAccommodation>):
          resultTrips.update(with: matchedTrip)
        case .delete(_ as DefaultHistoryDelete<LivingAccommodation>):
          resultTrips.remove(matchedTrip)
        default: break
        }
      }
    }
    return (resultTrips, transactions.last?.token)
  }

  private func addTrip(_ name: String) throws -> Trip {
    let trip = Trip(name: name)
    trip.livingAccommodation = LivingAccommodation(placeName: "Hotel \(name)")
    app.insert(trip)
    try app.save()
    return trip
  }

  private func confirm(_ name: String) throws {
    let trips = try widget.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name }))
    trips.first?.livingAccommodation?.isConfirmed = true
    try widget.save()
  }

  @Test("History returns one author's transactions after a token, and the trips that they changed.")
  func unread() throws {
    _ = try addTrip("Oslo")
    _ = try addTrip("Bergen")
    let context = ModelContext(container)
    let (all, first) = try findTrips(in: findTransactions(after: nil, author: "widget"), context)
    #expect(all.map(\.name).sorted() == ["Bergen", "Oslo"])
    let token = try #require(first)
    try confirm("Oslo")
    _ = try addTrip("Narvik")
    let found = try findTransactions(after: token, author: "widget")
    #expect(found.map(\.author) == ["widget"])
    let (unread, last) = try findTrips(in: found, context)
    #expect(unread.map(\.name) == ["Oslo"])
    let next = try #require(last)
    #expect(try findTransactions(after: next, author: "widget").isEmpty)
    #expect(try findTransactions(after: next, author: "app").count == 1)
  }

  @Test("A token is saved as JSON and read again.")
  func settings() throws {
    _ = try addTrip("Oslo")
    let token = try #require(try findTransactions(after: nil, author: "").last?.token)
    let data = try JSONEncoder().encode(token)
    let again = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    #expect(again == token)
    #expect(again.id == token.id)
    #expect(again.hashValue == token.hashValue)
    try confirm("Oslo")
    #expect(try findTransactions(after: again, author: "widget").count == 1)
  }

  @Test("Each change has its object, by type and by the constrained protocols.")
  func kinds() throws {
    let trip = try addTrip("Oslo")
    let identifier = trip.persistentModelID
    trip.destination = "Norway"
    try app.save()
    app.delete(trip)
    try app.save()
    let transactions = try app.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    var seen: [String] = []
    for change in transactions.flatMap(\.changes) {
      switch change {
      case .insert(let insert):
        if insert is any HistoryInsert<Trip> { seen.append("insert") }
        #expect(!(insert is any HistoryInsert<Tag>))
      case .update(let update as DefaultHistoryUpdate<Trip>):
        #expect(update.updatedAttributes == [\.destination])
        #expect(update.updatedAttributes.contains(\.destination))
        seen.append("update")
      case .delete(let delete):
        guard let typed = delete as? any HistoryDelete<Trip> else { continue }
        #expect(typed.changedPersistentIdentifier == identifier)
        #expect(typed.tombstone[\.name] as? String == "Oslo")
        seen.append("delete")
      default: break
      }
    }
    #expect(seen == ["insert", "update", "delete"])
    #expect(transactions.map(\.transactionIdentifier) == [1, 2, 3])
    #expect(transactions.map(\.id) == [1, 2, 3])
  }

  @Test("The newest token is found with a reverse order and a limit of one.")
  func newest() throws {
    for name in ["a", "b", "c"] { _ = try addTrip(name) }
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]
    )
    descriptor.fetchLimit = 1
    let newest = try app.fetchHistory(descriptor)
    #expect(newest.map(\.transactionIdentifier) == [3])
    descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
    #expect(try app.fetchHistory(descriptor) == newest)
    let all = try app.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(all.map(\.token).max() == newest.first?.token)
    #expect(all.map(\.token).sorted() == all.map(\.token))
    #expect(try container.currentHistoryToken() == newest.first?.token)
  }
}
