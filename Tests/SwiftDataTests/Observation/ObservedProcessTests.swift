import Foundation
import Observation
import SwiftData
import TestSupport
import Testing

/// The models of the program that writes beside the tests.
enum Probed {
  @Model final class Entry {
    var author: String
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \EntryPart.entry) var parts: [EntryPart] = []

    init(author: String, number: Int) {
      self.author = author
      self.number = number
    }
  }

  @Model final class EntryPart {
    var text: String
    var entry: Entry?
    init(text: String) { self.text = text }
  }
}

@Suite("Observing the commits of other processes", .timeLimit(.minutes(1)))
struct ObservedProcessTests {
  let folder: TemporaryFolder
  let url: URL
  let container: ModelContainer

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("entries.store")
    container = try ModelContainer(
      for: Probed.Entry.self,
      configurations: ModelConfiguration(url: url)
    )
  }

  /// Reads the history at each event, as an application does.
  private static func read(
    _ observer: HistoryObserver,
    until count: Int
  ) async throws -> [String] {
    let context = ModelContext(observer.modelContainer)
    var found: [String] = []
    var token: DefaultHistoryToken?
    for await _ in Observations({ observer.eventCounter }) {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
      if let token { descriptor.predicate = #Predicate { $0.token > token } }
      for transaction in try context.fetchHistory(descriptor) {
        found.append("\(transaction.transactionIdentifier) \(transaction.author ?? "-")")
        token = transaction.token
      }
      if found.count >= count { break }
    }
    return found
  }

  @Test("An application that reads at each event gets each transaction of many writers once.")
  func manyWriters() async throws {
    let observer = try HistoryObserver(modelContainer: container)
    let reader = Task { try await Self.read(observer, until: 110) }
    let writers = try (0..<3).map { try probe(["write", url.path, "writer \($0)", "30"]) }
    let context = ModelContext(container)
    context.author = "test"
    for number in 0..<20 {
      context.insert(Probed.Entry(author: "test", number: number))
      try context.save()
      try await Task.sleep(for: .milliseconds(10))
    }
    for writer in writers {
      writer.process.waitUntilExit()
      #expect(writer.process.terminationStatus == 0)
    }
    let found = try await reader.value
    #expect(found.compactMap { Int($0.prefix { $0 != " " }) } == Array(1...110))
    let authors = Dictionary(grouping: found) { $0.drop { $0 != " " } }.mapValues(\.count)
    #expect(authors == [" test": 20, " writer 0": 30, " writer 1": 30, " writer 2": 30])
    #expect(observer.lastError == nil)
  }

  @Test("A commit of another process is counted within a second, by its models and its author.")
  func soon() async throws {
    let app = try HistoryObserver(
      observedModels: [Probed.EntryPart.self],
      authors: ["app"],
      modelContainer: container
    )
    let widget = try HistoryObserver(authors: ["widget"], modelContainer: container)
    let results = try ResultsObserver<Probed.Entry, String>(
      sortBy: [SortDescriptor(\.number)],
      sectionBy: \.author,
      modelContainer: container
    )
    // Other tests may keep the machine busy for a while.
    var delays: [TimeInterval] = []
    for number in 1...20 where delays.min() ?? 1 >= 1 {
      let process = try probe(["write", url.path, "app", "1"])
      try await eventually { app.eventCounter == number }
      let last = try #require(try allHistory(ModelContext(container)).last)
      delays.append(Date.now.timeIntervalSince(last.timestamp))
      process.process.waitUntilExit()
    }
    #expect(delays.min() ?? 1 < 1, "\(delays)")
    #expect(widget.eventCounter == 0)
    try await eventually { results.results.count == delays.count }
    #expect(results.sections?.sectionTitles == ["app"])
  }
}
