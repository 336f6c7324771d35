import Foundation
import ProcessTesting
import TestSupport
import Testing

@testable import SwiftData

@Suite("History as a sequence")
struct HistorySequenceTests {
  private func names(_ transaction: DefaultHistoryTransaction) -> String {
    transaction.changes.compactMap { $0.valuesByName["name"] as? String }.joined(separator: "+")
  }

  @Test("A sequence ends at the head, and each of its tokens leads to the rest.")
  func ends() async throws {
    let context = ModelContext(try tripContainer())
    for number in 0..<250 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let container = context.container
    var found: [String] = []
    var token: DefaultHistoryToken?
    for try await transaction in container.history() {
      found.append(names(transaction))
      if found.count == 120 { token = transaction.token }
    }
    #expect(found == (0..<250).map { "\($0)" })
    var rest: [String] = []
    for try await transaction in container.history(after: token) { rest.append(names(transaction)) }
    #expect(rest == (120..<250).map { "\($0)" })
    #expect(try allHistory(context).map(\.token)[119] == token)
  }

  @Test("A predicate skips transactions, and they are not read again.")
  func predicate() async throws {
    let context = ModelContext(try tripContainer())
    for number in 0..<30 {
      context.author = number % 10 == 9 ? "widget" : "app"
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    var found: [String] = []
    let widget = "widget"
    let sequence = context.container.history(where: #Predicate { $0.author == widget })
    for try await transaction in sequence { found.append(names(transaction)) }
    #expect(found == ["9", "19", "29"])
  }

  @Test("A following sequence returns what other contexts save.", arguments: [true, false])
  func follows(_ isInMemory: Bool) async throws {
    let folder = try TemporaryFolder()
    let container =
      isInMemory
      ? try tripContainer()
      : try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(url: folder.file("trips.store"))
      )
    let reader = Task {
      var found: [String] = []
      for try await transaction in container.history(
        following: true,
        interval: .milliseconds(5)
      ) {
        found.append(names(transaction))
        if found.count == 5 { break }
      }
      return found
    }
    for number in 0..<5 {
      let context = ModelContext(container)
      context.insert(Trip(name: "\(number)"))
      try context.save()
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try await reader.value == ["0", "1", "2", "3", "4"])
  }

  @Test("Cancelling ends a sequence, while it waits and before it starts.")
  func cancellation() async throws {
    let container = try tripContainer()
    let waiting = Task {
      var count = 0
      for try await _ in container.history(following: true, interval: .seconds(600)) { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(50))
    waiting.cancel()
    #expect(try await waiting.value == 0)
  }

  @Test("A sequence throws for an expired token, and if history is deleted before it is read.")
  func expiry() async throws {
    let world = try TimedStores()
    let container = try ModelContainer(
      for: Trip.self,
      configurations: world.configuration("trips")
    )
    let context = ModelContext(container)
    for number in 0..<300 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let token = try allHistory(context)[4].token
    let iterator = container.history().makeAsyncIterator()
    var walk = iterator
    #expect(try await walk.next()?.transactionIdentifier == 1)
    try deleteHistory(of: world.folder.file("trips.store"), through: 200)
    await #expect(throws: SwiftDataError.historyTokenExpired) {
      while try await walk.next() != nil {}
    }
    await #expect(throws: SwiftDataError.historyTokenExpired) {
      for try await _ in container.history(after: token) {}
    }
    var first: Int64?
    for try await transaction in container.history() {
      first = first ?? transaction.transactionIdentifier
    }
    #expect(first == 201)
  }

  @Test("Deleted transactions in the middle end a sequence only if it started at an earlier token.")
  func deletedBetween() async throws {
    let world = try TimedStores()
    let container = try ModelContainer(
      for: Trip.self,
      configurations: world.configuration("trips")
    )
    let context = ModelContext(container)
    for number in 0..<250 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let tokens = try allHistory(context).map(\.token)
    var whole = container.history().makeAsyncIterator()
    var walk = container.history(after: tokens[9]).makeAsyncIterator()
    #expect(try await whole.next()?.transactionIdentifier == 1)
    #expect(try await walk.next()?.transactionIdentifier == 11)
    let store = try #require(container.nativeHistories.first?.store)
    try store.deleteHistory([240...240])
    var count = 1
    while try await whole.next() != nil { count += 1 }
    #expect(count == 249)
    await #expect(throws: SwiftDataError.historyTokenExpired) {
      while try await walk.next() != nil {}
    }
    await #expect(throws: SwiftDataError.historyTokenExpired) {
      for try await _ in container.history(after: tokens[238]) {}
    }
    var last: [Int64] = []
    for try await transaction in container.history(after: tokens[239]) {
      last.append(transaction.transactionIdentifier)
    }
    #expect(last == Array(241...250))
  }

  @Test("A sequence returns the commits of other processes, each once.")
  func processes() async throws {
    let folder = try TemporaryFolder()
    let store = folder.file("entries.store")
    let writers = try (0..<2).map { try probe(["write", store.path, "writer \($0)", "60"]) }
    let follower = try probe(["follow", store.path, "-", "120"])
    for process in writers + [follower] {
      process.process.waitUntilExit()
      #expect(process.process.terminationStatus == 0)
    }
    let lines = follower.lines()
    #expect(lines.count == 120)
    let words: [[Substring]] = lines.map { $0.split(separator: " ") }
    let ids: [Int] = words.compactMap { Int($0[0]) }
    #expect(ids == Array(1...120))
    let entries: Set<[Substring]> = Set(words.map { Array($0.dropFirst()) })
    #expect(entries.count == 120)
  }

  @Test("A later process reads a token that another one wrote as JSON.")
  func laterProcess() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("entries.store")
    let token = folder.file("token.json")
    func run(_ arguments: [String]) throws -> [String] {
      let process = try probe(arguments)
      process.process.waitUntilExit()
      #expect(process.process.terminationStatus == 0)
      return process.lines()
    }
    _ = try run(["write", store.path, "app", "3"])
    #expect(try run(["new", store.path, "app", token.path]).count == 3)
    #expect(try run(["new", store.path, "app", token.path]).isEmpty)
    _ = try run(["write", store.path, "widget", "2"])
    _ = try run(["write", store.path, "app", "1"])
    #expect(try run(["new", store.path, "app", token.path]) == ["6 app 0"])
    #expect(try run(["new", store.path, "widget", token.path]).isEmpty)
  }
}
