import SwiftData
import Testing

@Suite("Predicates that can fail")
struct FailingPredicateTests {
  let store: PredicateStore

  init() throws {
    store = try PredicateStore()
    for index in 0..<6 {
      let item = PItem(number: index)
      item.maybeCount = index % 2 == 0 ? nil : index
      item.small = Int8(index * 25)
      item.count = index % 3 == 0 ? 0 : Int.max - index
      store.context.insert(item)
    }
    try store.context.save()
  }

  private func expectFailure(
    _ predicate: Predicate<PItem>,
    _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    _ = try store.translation(predicate)
    do {
      let found = try store.context.fetch(FetchDescriptor(predicate: predicate))
      Issue.record("\(found.map(\.number))", sourceLocation: sourceLocation)
    } catch {
      let isExpected = SwiftDataError.unsupportedPredicate ~= error && "\(error)".contains(reason)
      #expect(isExpected, "\(error)", sourceLocation: sourceLocation)
    }
  }

  @Test("Forcing nil fails, unless an earlier condition excludes the row.")
  func forcing() throws {
    try expectFailure(#Predicate { $0.maybeCount! > 1 }, "is nil in a row")
    try expectFailure(#Predicate { $0.number > 1 && $0.maybeCount! > 1 }, "is nil in a row")
    try store.expectSame(#Predicate<PItem> { $0.maybeCount != nil && $0.maybeCount! > 1 })
    try store.expectSame(#Predicate<PItem> { $0.maybeCount == nil || $0.maybeCount! > 1 })
    try store.expectSame(#Predicate<PItem> { $0.maybeCount == nil ? true : $0.maybeCount! > 1 })
    try store.expectSame(#Predicate<PItem> { $0.number < 0 && $0.maybeCount! > 1 })
  }

  @Test("Arithmetic that overflows or divides by zero fails, by the width of the type.")
  func arithmetic() throws {
    try expectFailure(#Predicate { $0.small + 10 > 0 }, "overflows")
    try expectFailure(#Predicate { $0.count * 2 > 0 }, "overflows")
    try expectFailure(#Predicate { 10 / $0.count == 0 }, "divides by zero")
    try expectFailure(#Predicate { 10 % $0.count == 0 }, "divides by zero")
    try store.expectSame(#Predicate<PItem> { $0.small < 100 && $0.small + 10 > 60 })
    try store.expectSame(#Predicate<PItem> { $0.count != 0 && 10 / $0.count == 0 })
    try store.expectSame(#Predicate<PItem> { $0.count / 3 > 5 })
    try store.expectSame(#Predicate<PItem> { $0.number - 3 < 0 })
    try store.expectSame(#Predicate<PItem> { $0.number * $0.number == 9 })
  }
}
