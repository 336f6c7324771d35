import Foundation
import SwiftData
import Testing

@Suite("The context of transactions")
struct TransactionContextTests {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
  }

  private func save(_ name: String) throws {
    context.insert(Trip(name: name))
    try context.save()
  }

  @Test("Author, reason and request apply to each save until they are set again.")
  func saves() throws {
    context.transactionContext = TransactionContext(
      author: "billing",
      reason: "ticket 7",
      request: "POST /invoices/7"
    )
    try save("A")
    try save("B")
    context.transactionContext.reason = nil
    context.author = "sync"
    try save("C")
    context.transactionContext = TransactionContext()
    try save("D")
    let history = try allHistory(ModelContext(container))
    #expect(history.map(\.author) == ["billing", "billing", "sync", nil])
    #expect(history.map(\.reason) == ["ticket 7", "ticket 7", nil, nil])
    let request: String? = "POST /invoices/7"
    #expect(history.map(\.request) == [request, request, request, nil])
  }

  @Test("The author is the same in the context and in the context of its transactions.")
  func author() {
    context.author = "a"
    #expect(context.transactionContext == TransactionContext(author: "a"))
    context.transactionContext.author = "b"
    #expect(context.author == "b" && context.editingState.author == "b")
  }

  @Test("A reason does not pass to another context of the container.")
  func contexts() throws {
    context.transactionContext.reason = "ticket 7"
    let other = ModelContext(container)
    other.insert(Trip(name: "A"))
    try other.save()
    #expect(try allHistory(context).map(\.reason) == [nil])
  }

  @Test("Any reason and request are recorded unchanged, but an empty text is recorded as nil.")
  func texts() throws {
    let long = String(repeating: "x", count: 1 << 20)
    let texts = ["\n\t\u{0}", "\",\"digest\":\"", "e\u{301}", long]
    for (number, text) in (texts + [""]).enumerated() {
      context.transactionContext = TransactionContext(reason: text, request: text)
      try save("\(number)")
    }
    let expected: [String?] = texts + [nil]
    let history = try allHistory(context)
    #expect(history.map(\.reason) == expected)
    #expect(history.map(\.request) == expected)
    // The Unicode form of a character is kept, although a comparison of texts ignores the form.
    let lengths = history.map { $0.reason?.unicodeScalars.count ?? 0 }
    #expect(lengths.contains(2))
  }
}
