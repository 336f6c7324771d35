import Foundation
import Testing

@testable import SwiftData

@Suite("Deleting history through a context")
struct DeleteHistoryTests {
  let world: TimedStores
  let context: ModelContext

  init() throws {
    world = try TimedStores()
    context = ModelContext(
      try ModelContainer(for: Trip.self, configurations: world.configuration("trips"))
    )
    for number in 1...6 {
      world.setTime(Double(number))
      context.author = number % 2 == 0 ? "widget" : "app"
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
  }

  private func delete(_ predicate: Predicate<DefaultHistoryTransaction>? = nil) throws {
    try context.deleteHistory(HistoryDescriptor(predicate: predicate))
  }

  private func kept() throws -> [Int64] { try allHistory(context).map(\.id) }

  private func after(_ token: DefaultHistoryToken) throws -> [Int64] {
    try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    ).map(\.id)
  }

  @Test("Transactions before a token are deleted, and the token stays valid.")
  func byToken() throws {
    let tokens = try allHistory(context).map(\.token)
    let token = tokens[2]
    try delete(#Predicate { $0.token < token })
    #expect(try kept() == [3, 4, 5, 6])
    #expect(try after(token) == [4, 5, 6])
    #expect(try after(tokens[1]) == [3, 4, 5, 6])
    #expect(throws: SwiftDataError.historyTokenExpired) { try after(tokens[0]) }
    try delete(#Predicate { $0.token < token })
    try delete(#Predicate { $0.token <= token })
    #expect(try after(token) == [4, 5, 6])
    // Again, with a token whose transaction is deleted.
    try delete(#Predicate { $0.token <= token })
    #expect(try kept() == [4, 5, 6])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 6)
  }

  @Test("Transactions before a time are deleted.")
  func byTime() throws {
    let time = TimedStores.date(4)
    try delete(#Predicate { $0.timestamp < time })
    #expect(try kept() == [4, 5, 6])
  }

  @Test("Deleting transactions in the middle keeps the others, and expires earlier tokens.")
  func byAuthor() throws {
    let tokens = try allHistory(context).map(\.token)
    let author = "widget"
    try delete(#Predicate { $0.author == author })
    #expect(try kept() == [1, 3, 5])
    for token in tokens.dropLast() {
      #expect(throws: SwiftDataError.historyTokenExpired) { try after(token) }
    }
    #expect(try after(tokens[5]).isEmpty)
    var count = 0
    #expect(try allHistory(context).map(\.token) == [tokens[0], tokens[2], tokens[4]])
    for transaction in try allHistory(context) { count += transaction.changes.count }
    #expect(count == 3)
    world.setTime(9)
    context.insert(Trip(name: "new"))
    try context.save()
    #expect(try kept() == [1, 3, 5, 7])
    #expect(try after(tokens[5]) == [7])
  }

  @Test("After all history is deleted, objects stay and the next transaction has the next number.")
  func all() throws {
    let last = try #require(try allHistory(context).last?.token)
    try delete()
    #expect(try kept().isEmpty)
    #expect(try context.container.currentHistoryToken() == nil)
    #expect(try after(last).isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 6)
    context.insert(Trip(name: "new"))
    try context.save()
    #expect(try kept() == [7])
    #expect(try after(last) == [7])
    let other = ModelContext(
      try ModelContainer(for: Trip.self, configurations: world.configuration("trips"))
    )
    #expect(try allHistory(other).map(\.id) == [7])
  }

  @Test("A limit deletes the first transactions in the given order.")
  func limit() throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.fetchLimit = 2
    try context.deleteHistory(descriptor)
    #expect(try kept() == [3, 4, 5, 6])
    descriptor.sortBy = [SortDescriptor(\.id, order: .reverse)]
    descriptor.fetchLimit = 1
    try context.deleteHistory(descriptor)
    #expect(try kept() == [3, 4, 5])
  }

  @Test("A predicate that is evaluated in memory deletes what it selects.")
  func inMemory() throws {
    let seconds = TimedStores.date(3).timeIntervalSinceReferenceDate
    try delete(#Predicate { $0.timestamp.timeIntervalSinceReferenceDate <= seconds })
    #expect(try kept() == [4, 5, 6])
  }

  @Test("All changes of a model can be deleted.")
  func byEntity() throws {
    context.insert(Tag(label: "a"))
    try context.save()
    let name = "Tag"
    try delete(
      #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == name } }
    )
    #expect(try kept() == [1, 2, 3, 4, 5, 6])
  }

  @Test("A read-only store keeps its history.")
  func readOnly() throws {
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(url: world.folder.file("trips.store"), allowsSave: false)
    )
    #expect(throws: SwiftDataError.readOnly) {
      try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect(try kept().count == 6)
  }
}
