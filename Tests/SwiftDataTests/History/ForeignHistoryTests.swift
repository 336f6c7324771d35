import Foundation
import SQLite
import SwiftData
import TestSupport
import Testing

@Suite("Foreign changes in history")
struct ForeignHistoryTests {
  let folder: TemporaryFolder
  let container: ModelContainer
  /// A program other than Travelog.
  let other: Connection

  init() throws {
    folder = try TemporaryFolder()
    let url = folder.file("tags.store")
    container = try ModelContainer(for: Tag.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    context.insert(Tag(label: "ours"))
    try context.save()
    other = try Connection(path: url.path, mode: .readWrite)
    other.setBusyTimeout(milliseconds: 5000)
  }

  private func labels(_ transaction: DefaultHistoryTransaction) -> [String] {
    transaction.changes.compactMap { $0.valuesByName["label"] as? String }
  }

  private func insert(_ label: String) throws {
    try other.execute("INSERT INTO Tag (label) VALUES ('\(label)')")
  }

  @Test("The sequence of history has foreign changes, and ends at the head.")
  func sequence() async throws {
    try insert("theirs")
    var found: [[String]] = []
    for try await transaction in container.history() { found.append(labels(transaction)) }
    #expect(found == [["ours"], ["theirs"]])
  }

  @Test("A sequence that follows history returns new foreign changes.")
  func following() async throws {
    let container = container
    let reader = Task {
      var found: [String] = []
      for try await transaction in container.history(
        following: true,
        interval: .milliseconds(5)
      ) {
        found += transaction.changes.compactMap { $0.valuesByName["label"] as? String }
        if found.count == 4 { break }
      }
      return found
    }
    for label in ["a", "b", "c"] {
      try insert(label)
      try await Task.sleep(for: .milliseconds(30))
    }
    #expect(try await reader.value == ["ours", "a", "b", "c"])
  }

  @Test("Foreign changes that could not be sealed during a write are returned after it.")
  func hindered() async throws {
    let container = container
    try insert("a")
    let third = try Connection(path: folder.file("tags.store").path, mode: .readWrite)
    try third.execute("BEGIN IMMEDIATE")
    var walk = container.history(following: true, interval: .milliseconds(5)).makeAsyncIterator()
    let start = ContinuousClock.now
    let first = try await walk.next()
    #expect(first.map(labels) == ["ours"])
    // Reading did not wait for the writing program.
    #expect(ContinuousClock.now - start < .seconds(5))
    let release = Task {
      try await Task.sleep(for: .milliseconds(50))
      try third.execute("ROLLBACK")
    }
    let second = try await walk.next()
    #expect(second.map(labels) == ["a"])
    try await release.value
  }

  @Test("A token at the head covers foreign changes.")
  func currentToken() throws {
    try insert("theirs")
    let token = try #require(try container.currentHistoryToken())
    let context = ModelContext(container)
    #expect(try allHistory(context).map(\.token).last == token)
    try insert("later")
    let found = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    )
    #expect(found.map(labels) == [["later"]])
  }

  @Test("Deleting history deletes foreign changes from it, and the objects stay.")
  func deletion() throws {
    try insert("theirs")
    let context = ModelContext(container)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try allHistory(context).isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 2)
    try insert("more")
    var limited = HistoryDescriptor<DefaultHistoryTransaction>()
    limited.fetchLimit = 1
    try context.deleteHistory(limited)
    #expect(try allHistory(context).isEmpty)
  }
}
