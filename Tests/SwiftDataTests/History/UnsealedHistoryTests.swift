import Foundation
import SQLite
import SwiftData
import TestSupport
import Testing

@Suite("Unsealed history")
struct UnsealedHistoryTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  let folder: TemporaryFolder
  let url: URL
  /// A program other than Travelog.
  let other: Connection

  /// Creates three transactions of a context, and three of another program.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("tags.store")
    do {
      let context = ModelContext(try Self.container(at: url))
      for author in ["app", "widget", nil] {
        context.author = author
        context.insert(Tag(label: "by \(author ?? "nobody")"))
        try context.save()
      }
    }
    other = try Connection(path: url.path, mode: .readWrite)
    try write("INSERT INTO Tag (label) VALUES ('b')")
    try write("UPDATE Tag SET label = 'c' WHERE id = 1; DELETE FROM Tag WHERE id = 2")
    try write("INSERT INTO Tag (label) VALUES ('a'), ('d')")
  }

  private static func container(at url: URL, allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(
      for: Tag.self,
      configurations: ModelConfiguration(url: url, allowsSave: allowsSave)
    )
  }

  /// Writes a foreign transaction.
  private func write(_ sql: String) throws {
    try other.execute("BEGIN; \(sql); COMMIT")
  }

  /// All properties of a transaction.
  private func text(_ transaction: DefaultHistoryTransaction) -> String {
    let changes = transaction.changes.map { change in
      "\(change.changedPersistentIdentifier.id) \(change.valuesByName["label"] ?? "gone")"
    }
    return "\(transaction.id) \(transaction.author ?? "-") \(transaction.timestamp)"
      + " \(transaction.token) \(changes)"
  }

  private static func descriptors(_ first: DefaultHistoryTransaction) -> [(String, Descriptor)] {
    func limited(
      _ limit: UInt64,
      _ sort: [SortDescriptor<DefaultHistoryTransaction>] = [],
      _ predicate: Predicate<DefaultHistoryTransaction>? = nil
    ) -> Descriptor {
      var descriptor = Descriptor(predicate: predicate, sortBy: sort)
      descriptor.fetchLimit = limit
      return descriptor
    }
    func matching(_ predicate: Predicate<DefaultHistoryTransaction>) -> Descriptor {
      Descriptor(predicate: predicate)
    }
    let token = first.token
    let time = first.timestamp
    let author: String? = "app"
    let entity = "Tag"
    let identifier = first.changes[0].changedPersistentIdentifier
    let newest = SortDescriptor(\DefaultHistoryTransaction.timestamp, order: .reverse)
    let byAuthor = SortDescriptor(\DefaultHistoryTransaction.author)
    return [
      ("all", Descriptor()),
      ("an author", matching(#Predicate { $0.author == author })),
      ("no author", matching(#Predicate { $0.author == nil })),
      ("after a token", matching(#Predicate { $0.token > token })),
      ("up to a token", matching(#Predicate { $0.token <= token })),
      ("token and author", matching(#Predicate { $0.token > token && $0.author == nil })),
      ("a time", matching(#Predicate { $0.timestamp > time })),
      ("an id", matching(#Predicate { $0.transactionIdentifier == 5 })),
      ("ids", matching(#Predicate { $0.id >= 3 && $0.id < 6 })),
      ("a program", matching(#Predicate { $0.processIdentifier.isEmpty })),
      // It needs a custom SQL function on each connection.
      ("a text", matching(#Predicate { $0.processIdentifier.localizedStandardContains("S") })),
      (
        "an object",
        matching(
          #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == identifier } }
        )
      ),
      (
        "an entity",
        matching(
          #Predicate {
            $0.changes.contains { $0.changedPersistentIdentifier.entityName == entity }
          }
        )
      ),
      ("several changes", matching(#Predicate { $0.changes.count > 1 })),
      ("the first ones", limited(4)),
      ("the newest", limited(2, [newest])),
      ("all, newest first", limited(0, [newest])),
      ("by author", limited(0, [byAuthor, newest])),
      ("some by author", limited(3, [byAuthor, newest])),
      ("the newest of nobody", limited(2, [newest], #Predicate { $0.author == nil })),
      (
        "the last ids first", limited(5, [SortDescriptor(\.transactionIdentifier, order: .reverse)])
      ),
    ]
  }

  @Test("A read-only container finds unsealed changes by every descriptor, as if they were sealed.")
  func selections() throws {
    let reading = ModelContext(try Self.container(at: url, allowsSave: false))
    let first = try #require(try allHistory(reading).first)
    let found = try Self.descriptors(first).map { name, descriptor in
      (name, try reading.fetchHistory(descriptor).map(text))
    }
    let writing = ModelContext(try Self.container(at: url))
    for ((name, before), (_, descriptor)) in zip(found, Self.descriptors(first)) {
      let sealed = try writing.fetchHistory(descriptor).map(text)
      #expect(before == sealed, "\(name)")
      #expect(!sealed.isEmpty || name == "a text", "\(name)")
    }
    #expect(found[0].1.count == 6)
  }

  @Test("Tokens of unsealed changes stay valid, and the head and the sequence include them.")
  func tokens() async throws {
    let reading = try Self.container(at: url, allowsSave: false)
    let before = try allHistory(ModelContext(reading))
    var walked: [DefaultHistoryTransaction] = []
    for try await transaction in reading.history() { walked.append(transaction) }
    #expect(walked == before)
    #expect(try reading.currentHistoryToken() == before.last?.token)
    let writing = ModelContext(try Self.container(at: url))
    for (index, token) in before.map(\.token).enumerated() {
      let later = Descriptor(predicate: #Predicate { $0.token > token })
      #expect(try ModelContext(reading).fetchHistory(later).count == 5 - index)
      #expect(try writing.fetchHistory(later).count == 5 - index)
    }
  }

  @Test("Unsealed changes are part of the merged history of several stores.")
  func merged() throws {
    let trips = folder.file("trips.store")
    func container(allowsSave: Bool) throws -> ModelContainer {
      try ModelContainer(
        for: Tag.self,
        Memo.self,
        configurations: ModelConfiguration(
          "tags",
          schema: Schema([Tag.self]),
          url: url,
          allowsSave: allowsSave
        ),
        ModelConfiguration(
          "memos",
          schema: Schema([Memo.self]),
          url: trips,
          allowsSave: allowsSave
        )
      )
    }
    do {
      let context = ModelContext(try container(allowsSave: true))
      context.insert(Memo(text: "of another store"))
      try context.save()
    }
    let memos = try Connection(path: trips.path, mode: .readWrite)
    try memos.execute("INSERT INTO Memo (text) VALUES ('theirs')")
    try write("INSERT INTO Tag (label) VALUES ('e')")
    let before = try allHistory(ModelContext(try container(allowsSave: false)))
    let sealed = try allHistory(ModelContext(try container(allowsSave: true)))
    #expect(before.count == 9)
    #expect(before.map(text) == sealed.map(text))
  }
}

@Model private final class Memo {
  var text: String

  init(text: String) { self.text = text }
}
