import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

@Suite("Tokens of history")
struct HistoryTokenTests {
  let world: TimedStores
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    world = try TimedStores()
    container = try ModelContainer(for: Trip.self, configurations: world.configuration("trips"))
    context = ModelContext(container)
    for name in ["a", "b", "c", "d"] {
      context.insert(Trip(name: name))
      try context.save()
    }
  }

  private func json(_ token: DefaultHistoryToken) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(token), as: UTF8.self)
  }

  private func after(_ token: DefaultHistoryToken, _ context: ModelContext) throws -> [Int64] {
    try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    ).map(\.id)
  }

  @Test("A token's JSON has its kind, and the last transaction of each store.")
  func encoding() throws {
    let transaction = try allHistory(context)[1]
    let store = transaction.storeIdentifier
    #expect(transaction.token.storeIdentifier == store)
    #expect(transaction.token.tokenValue == [store: 2])
    let digest = try #require(transaction.token.points[store]?.digest)
    #expect(
      try json(transaction.token)
        == #"{"kind":"travelog-token","store":"\#(store)","stores":{"\#(store)":{"#
        + #""digest":"\#(digest)","lineage":0,"transaction":2}},"version":1}"#
    )
    let plist = try PropertyListEncoder().encode(transaction.token)
    let again = try PropertyListDecoder().decode(DefaultHistoryToken.self, from: plist)
    #expect(again == transaction.token)
  }

  @Test("A text that is not a token is refused with a sentence.")
  func strictness() throws {
    let text = try json(allHistory(context)[1].token)
    let altered = text.replacingOccurrences(of: #""transaction":2"#, with: #""transaction":-2"#)
    #expect(altered != text)
    do {
      _ = try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(altered.utf8))
      Issue.record("\(altered) was read")
    } catch DecodingError.dataCorrupted(let context) {
      #expect(context.debugDescription.contains("impossible"), "\(context.debugDescription)")
    }
  }

  @Test("A token can be the property of a model.")
  func property() throws {
    let container = try ModelContainer(
      for: Bookmark.self,
      configurations: .init(isStoredInMemoryOnly: true)
    )
    let bookmarks = ModelContext(container)
    let token = try allHistory(context)[2].token
    bookmarks.insert(Bookmark(token: token))
    try bookmarks.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Bookmark>())
    #expect(found.map(\.token) == [token])
  }

  @Test(
    "A token expires only if a later transaction was deleted.",
    arguments: 0..<16
  )
  func deletedTransactions(_ set: Int) throws {
    let tokens = try allHistory(context).map(\.token)
    let deleted = (Int64(1)...4).filter { set & 1 << ($0 - 1) != 0 }
    let store = try #require(container.nativeHistories.first?.store)
    try store.deleteHistory(deleted.map { $0...$0 })
    for (id, token) in zip(Int64(1)..., tokens) {
      if deleted.contains(where: { $0 > id }) {
        let error = #expect(throws: SwiftDataError.self) { try after(token, context) }
        #expect(error == .historyTokenExpired, "token \(id), deleted \(deleted)")
      } else {
        #expect(try after(token, context) == Array((id + 1)..<5), "deleted \(deleted)")
      }
    }
  }

  @Test("The error of an expired token names the oldest transaction that is kept.")
  func expiry() throws {
    let tokens = try allHistory(context).map(\.token)
    try deleteHistory(of: world.folder.file("trips.store"), through: 2)
    #expect(try allHistory(context).map(\.id) == [3, 4])
    let error = #expect(throws: SwiftDataError.self) { try after(tokens[0], context) }
    #expect(error == .historyTokenExpired)
    #expect(error?.message.contains("the oldest kept transaction is 3") == true)
    #expect(try after(tokens[1], context) == [3, 4])
    let both = tokens[0]
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(
          predicate: #Predicate { $0.author == nil && !($0.token <= both) }
        )
      )
    }
  }

  @Test("A token is refused after the store was restored from an older copy.")
  func divergence() throws {
    let folder = world.folder
    let token = try allHistory(context)[3].token
    let earlier = try allHistory(context)[0].token
    do {
      // A copy of the first two transactions, which then gets other ones.
      let other = try ModelContainer(
        for: Trip.self,
        configurations: world.configuration("copy")
      )
      let copy = ModelContext(other)
      for name in ["a", "x", "y", "z", "later"] {
        copy.insert(Trip(name: name))
        try copy.save()
      }
    }
    try rename("copy", "trips", identifierOf: token.storeIdentifier, in: folder)
    let restored = ModelContext(
      try ModelContainer(for: Trip.self, configurations: world.configuration("trips"))
    )
    #expect(try allHistory(restored).count == 5)
    let error = #expect(throws: SwiftDataError.self) { try after(token, restored) }
    #expect(error == .historyDiverged)
    #expect(error?.message.contains("another digest") == true)
    #expect(throws: SwiftDataError.historyDiverged) { try after(earlier, restored) }
  }

  @Test("A token beyond the head is refused as one of another history.")
  func lowerHead() throws {
    let folder = world.folder
    let store = folder.file("trips.store")
    try Connection(path: store.path, mode: .readWrite)
      .execute("VACUUM INTO '\(folder.file("backup.store").path)'")
    context.insert(Trip(name: "e"))
    try context.save()
    let token = try #require(try allHistory(context).last?.token)
    let restored = ModelContext(
      try ModelContainer(for: Trip.self, configurations: world.configuration("backup"))
    )
    #expect(throws: SwiftDataError.historyDiverged) { try after(token, restored) }
    // Now both have that transaction, with different content.
    restored.insert(Trip(name: "f"))
    try restored.save()
    #expect(throws: SwiftDataError.historyDiverged) { try after(token, restored) }
  }

  @Test("A token of another store is refused by name.")
  func otherStore() throws {
    let other = ModelContext(try tripContainer())
    other.insert(Trip(name: "x"))
    try other.save()
    let token = try #require(try allHistory(other).first?.token)
    let error = #expect(throws: SwiftDataError.self) { try after(token, context) }
    #expect(error == .invalidTransactionFetchRequest)
    #expect(error?.message.contains(token.storeIdentifier) == true)
  }

  /// Replaces the file of one store by another's, with the other's identifier.
  private func rename(
    _ from: String,
    _ to: String,
    identifierOf identifier: String,
    in folder: TemporaryFolder
  ) throws {
    let source = folder.file("\(from).store")
    let target = folder.file("\(to)-restored.store")
    let connection = try Connection(path: source.path, mode: .readWrite)
    try connection.execute(
      "UPDATE store_catalog SET value = '\(identifier)' WHERE key = 'identifier'"
    )
    try connection.execute("VACUUM INTO '\(target.path)'")
    for suffix in ["", "-wal", "-shm"] {
      let file = folder.file("\(to).store\(suffix)")
      if FileManager.default.fileExists(atPath: file.path) {
        try FileManager.default.removeItem(at: file)
      }
    }
    try FileManager.default.moveItem(at: target, to: folder.file("\(to).store"))
  }
}

@Model final class Bookmark {
  var token: DefaultHistoryToken
  init(token: DefaultHistoryToken) { self.token = token }
}
