import SwiftData
import TestSupport
import Testing

@Suite("The history of a custom store")
struct JSONHistoryTests {
  private func configuration(_ folder: URL, _ name: String = "trips") -> JSONFileStoreConfiguration
  {
    JSONFileStoreConfiguration(
      name: name,
      models: [Trip.self, BucketListItem.self, LivingAccommodation.self],
      fileURL: folder.appending(path: "\(name).json")
    )
  }

  private func context(_ folder: URL, _ author: String? = nil) throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(for: Trip.self, configurations: configuration(folder))
    )
    context.author = author
    return context
  }

  private func trip(_ name: String) -> Trip {
    Trip(name: name, destination: "Oslo", startDate: day(1), endDate: day(2))
  }

  private func all(_ context: ModelContext) throws -> [JSONHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<JSONHistoryTransaction>())
  }

  @Test("An observer counts the saves to a custom store by models and authors, and resumes.")
  func observer() async throws {
    try await withTemporaryFolder { folder in
      let context = try context(folder, "app")
      let container = context.container
      context.insert(trip("Winter"))
      try context.save()
      let token = try #require(try all(context).last?.token)
      let now = try HistoryObserver(modelContainer: container)
      let lists = try HistoryObserver(
        observedModels: [BucketListItem.self],
        authors: ["app"],
        modelContainer: container
      )
      func wait(_ condition: () -> Bool) async throws {
        for _ in 0..<1000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
        #expect(condition())
      }
      context.insert(BucketListItem(title: "Skis"))
      try context.save()
      try await wait { (now.eventCounter, lists.eventCounter) == (1, 1) }
      context.insert(trip("Summer"))
      try context.save()
      try await wait { now.eventCounter == 2 }
      #expect(lists.eventCounter == 1)
      let later = try HistoryObserver(
        historyTokens: ["trips.json": token],
        modelContainer: container
      )
      try await wait { later.eventCounter == 1 }
      #expect([now, lists, later].allSatisfy { $0.lastError == nil })
    }
  }

  @Test("Saves are transactions with typed changes, and another container reads them.")
  func transactions() async throws {
    try withTemporaryFolder { folder in
      do {
        let context = try context(folder, "app")
        let winter = trip("Winter")
        context.insert(winter)
        try context.save()
        winter.destination = "Tromsø"
        try context.save()
        try context.save()
        context.delete(winter)
        try context.save()
      }
      let found = try all(context(folder))
      #expect(found.map(\.transactionIdentifier) == [1, 2, 3])
      #expect(found.map(\.author) == ["app", "app", "app"])
      #expect(found.map(\.storeIdentifier) == ["trips.json", "trips.json", "trips.json"])
      guard case .insert(let insert as JSONHistoryInsert<Trip>) = found[0].changes.first,
        case .update(let update as JSONHistoryUpdate<Trip>) = found[1].changes.first,
        case .delete(let delete as JSONHistoryDelete<Trip>) = found[2].changes.first
      else {
        Issue.record("\(found)")
        return
      }
      #expect(insert.valuesByName["name"] as? String == "Winter")
      #expect(insert.valuesByName["startDate"] as? Date == day(1))
      #expect(update.updatedAttributes == [\.destination])
      #expect(update.previousValuesByName["destination"] as? String == "Oslo")
      #expect(update.valuesByName["destination"] as? String == "Tromsø")
      #expect(delete.tombstone[\.name] as? String == "Winter")
      #expect(delete.tombstone[\.endDate] as? Date == day(2))
      #expect(found[2].changes.first?.previousValuesByName["name"] as? String == "Winter")
      #expect(insert.changedPersistentIdentifier == delete.changedPersistentIdentifier)
    }
  }

  @Test("Tokens of a custom store select later transactions, also after JSON.")
  func tokens() async throws {
    try withTemporaryFolder { folder in
      let context = try context(folder, "app")
      for name in ["a", "b", "c"] {
        context.insert(trip(name))
        try context.save()
      }
      let data = try JSONEncoder().encode(all(context)[0].token)
      let token = try JSONDecoder().decode(JSONHistoryToken.self, from: data)
      var descriptor = HistoryDescriptor<JSONHistoryTransaction>(
        predicate: #Predicate { $0.token > token },
        sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]
      )
      #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [3, 2])
      descriptor.fetchLimit = 1
      #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [3])
      try context.deleteHistory(
        HistoryDescriptor<JSONHistoryTransaction>(predicate: #Predicate { $0.token <= token })
      )
      #expect(try all(context).map(\.transactionIdentifier) == [2, 3])
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
      try context.deleteHistory(HistoryDescriptor<JSONHistoryTransaction>())
      context.insert(trip("d"))
      try context.save()
      #expect(try all(context).map(\.transactionIdentifier) == [4])
    }
  }

  @Test("An interrupted save is whole or absent.", arguments: [true, false])
  func interrupted(_ isDone: Bool) async throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "trips.json")
      let history = folder.appending(path: "trips.json.history")
      do {
        let context = try context(folder)
        context.insert(trip("a"))
        try context.save()
        let before = (try Data(contentsOf: file), try Data(contentsOf: history))
        context.insert(trip("b"))
        try context.save()
        // As after an interruption before the objects, or also the history, were written.
        try Data(contentsOf: file).write(to: folder.appending(path: "trips.json.2"))
        try before.0.write(to: file)
        if !isDone { try before.1.write(to: history) }
      }
      let context = try context(folder)
      #expect(try all(context).count == (isDone ? 2 : 1))
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == (isDone ? 2 : 1))
      #expect(!FileManager.default.fileExists(atPath: file.path(percentEncoded: false) + ".2"))
    }
  }

  @Test("A container with stores of several kinds gives each history by its type.")
  func kinds() async throws {
    try withTemporaryFolder { folder in
      let schema = Schema([Trip.self, BucketListItem.self, LivingAccommodation.self, Note.self])
      let container = try ModelContainer(
        for: schema,
        configurations: [
          configuration(folder),
          ModelConfiguration(
            schema: Schema([Note.self]),
            url: folder.appending(path: "notes.store")
          ),
        ] as [any DataStoreConfiguration]
      )
      let context = ModelContext(container)
      context.insert(trip("a"))
      try context.save()
      #expect(try all(context).count == 1)
      let own = HistoryDescriptor<DefaultHistoryTransaction>()
      #expect(try context.fetchHistory(own).isEmpty)
      let alone = try ModelContainer(for: Trip.self, configurations: configuration(folder))
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContext(alone).fetchHistory(own)
      }
      #expect(error == .invalidTransactionFetchRequest)
      #expect(error?.message.contains("JSONHistoryTransaction") == true)
    }
  }

  @Test("Two custom stores give one list of transactions, and one token covers both.")
  func several() async throws {
    try withTemporaryFolder { folder in
      let trips = JSONFileStoreConfiguration(
        name: "trips",
        models: [Trip.self, BucketListItem.self, LivingAccommodation.self],
        fileURL: folder.appending(path: "trips.json")
      )
      let notes = JSONFileStoreConfiguration(
        name: "notes",
        models: [Note.self],
        fileURL: folder.appending(path: "notes.json")
      )
      let schema = Schema([Trip.self, BucketListItem.self, LivingAccommodation.self, Note.self])
      let context = ModelContext(
        try ModelContainer(
          for: schema,
          configurations: [trips, notes] as [any DataStoreConfiguration]
        )
      )
      context.insert(trip("a"))
      try context.save()
      context.insert(Note(text: "Oslo"))
      try context.save()
      let found = try all(context)
      #expect(found.map(\.storeIdentifier) == ["trips.json", "notes.json"])
      let token = found.reduce(JSONHistoryToken()) { $0.covering($1.token) }
      let after = HistoryDescriptor<JSONHistoryTransaction>(
        predicate: #Predicate { $0.token > token }
      )
      #expect(try context.fetchHistory(after).isEmpty)
      context.insert(trip("b"))
      try context.save()
      #expect(try context.fetchHistory(after).map(\.transactionIdentifier) == [2])
    }
  }
}
