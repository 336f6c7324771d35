import Foundation
import Testing

@testable import SwiftData

/// A node of another library.
private struct Foreign: StandardPredicateExpression {
  var variable: PredicateExpressions.Variable<PItem>
  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try variable.evaluate(bindings).number == 2
  }
}

@Suite("Conditions without SQL")
struct RefusedPredicateTests {
  let store: PredicateStore

  init() throws {
    store = try PredicateStore()
    for index in 0..<5 {
      let item = PItem(number: index)
      item.tags = ["a", "b"]
      item.large = index == 2 ? Data([1]) : nil
      store.context.insert(item)
    }
    try store.context.save()
  }

  private func expectInMemory(
    _ predicate: Predicate<PItem>,
    _ reason: String,
    count: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try store.expectRefused(predicate, reason, sourceLocation: sourceLocation)
    let found = try store.context.fetchCount(FetchDescriptor(predicate: predicate))
    #expect(found == count, sourceLocation: sourceLocation)
  }

  @Test("Nodes and operands without a translation are evaluated in memory.")
  func refused() throws {
    let bytes = Data([1])
    try expectInMemory(
      Predicate { Foreign(variable: $0) },
      "Foreign has no translation",
      count: 1
    )
    try expectInMemory(#Predicate { $0.transient == 0 }, "transient", count: 5)
    try expectInMemory(#Predicate { $0.hasChanges }, "computed", count: 0)
    try expectInMemory(#Predicate { $0.tags[0] == "a" }, "CollectionIndexSubscript", count: 5)
    try expectInMemory(
      #Predicate { $0.tags[0..<1].count == 1 },
      "CollectionRangeSubscript",
      count: 5
    )
    try expectInMemory(#Predicate { $0.large == bytes }, "Equal", count: 1)
    try store.expectSame(#Predicate<PItem> { $0.large == nil })
    try store.expectRefused(#Predicate<PPerson> { $0.items.first == nil }, "KeyPath")
  }
}
