import Foundation
import Testing

@testable import SwiftData

@Suite("Predicates over captured values")
struct CapturedPredicateTests {
  let store: PredicateStore

  init() throws {
    store = try PredicateStore()
    for index in 0..<20 {
      let item = PItem(number: index)
      item.name = "item \(index)"
      item.note = index % 3 == 0 ? nil : "note \(index)"
      item.price = index == 7 ? .nan : Double(index) / 10
      item.maybeCount = index % 4 == 0 ? nil : index
      item.uid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(index)))
      item.level = PredicateModels.Level.allCases[index % 3]
      item.flag = index % 2 == 0
      store.context.insert(item)
    }
    try store.context.save()
  }

  @Test("A captured collection may have any size and contain nil.")
  func membership() throws {
    for size in [0, 1, 2, 8, 9, 20_000] {
      let numbers = Array(3..<(3 + size))
      let names = numbers.map { "item \($0)" } + ["item \u{e9}"]
      let prices = numbers.map { Double($0) / 10 } + [.nan]
      let maybe = numbers.map(Optional.some) + [nil]
      try store.expectSame(#Predicate<PItem> { numbers.contains($0.number) })
      try store.expectSame(#Predicate<PItem> { !numbers.contains($0.number) })
      try store.expectSame(#Predicate<PItem> { names.contains($0.name) })
      try store.expectSame(#Predicate<PItem> { prices.contains($0.price) })
      try store.expectSame(#Predicate<PItem> { maybe.contains($0.maybeCount) })
      try store.expectSame(#Predicate<PItem> { !maybe.contains($0.maybeCount) })
    }
    let ids = Set((0..<12).map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0)) })
    try store.expectSame(#Predicate<PItem> { ids.contains($0.uid) })
    let levels: Set<PredicateModels.Level> = [.low, .high]
    try store.expectSame(#Predicate<PItem> { levels.contains($0.level) })
    let odd = ["a\0b", "item 3", "item 4", "e", "f", "g", "h", "i", "j", "k"]
    try store.expectSame(#Predicate<PItem> { odd.contains($0.name) })
    let truths = [true]
    try store.expectSame(#Predicate<PItem> { truths.contains($0.flag) })
  }

  @Test("Captured collections may be asked about rows.")
  func closures() throws {
    let numbers = [1, 2, 30]
    try store.expectSame(
      #Predicate<PItem> { item in numbers.contains { $0 * 10 == item.number } }
    )
    try store.expectSame(
      #Predicate<PItem> { item in numbers.allSatisfy { $0 > item.number } }
    )
    try store.expectSame(
      #Predicate<PItem> { item in numbers.filter { $0 < item.number }.count == 2 }
    )
    try store.expectSame(
      #Predicate<PItem> { item in numbers.filter { $0 < item.number }.isEmpty }
    )
    try store.expectSame(
      #Predicate<PItem> { item in numbers.filter { $0 < item.number }.contains(item.number - 1) }
    )
    try store.expectSame(
      #Predicate<PItem> { item in numbers.filter { $0 > 1 }.count == item.number }
    )
  }

  @Test("An expression that depends on no row is evaluated once.")
  func folding() throws {
    let text: String? = nil
    let flag = true
    let number = 4
    try store.expectSQL(
      #Predicate<PItem> { text == nil || $0.name == text ?? "" },
      "1"
    )
    try store.expectSQL(#Predicate<PItem> { flag && $0.number > number + 1 }, "t0.\"number\" > ?")
    try store.expectSQL(#Predicate<PItem> { !flag && $0.number > number }, "0")
    try store.expectSQL(#Predicate<PItem> { $0.note == text }, "t0.\"note\" IS NULL")
    try store.expectSame(#Predicate<PItem> { flag ? $0.number > number : $0.flag })
  }

  @Test("A predicate may evaluate expressions.")
  func expressions() throws {
    let half = #Expression<Int, Int> { $0 / 2 }
    let double = #Expression<PItem, Int> { $0.number * 2 }
    let quadruple = #Expression<PItem, Int> { double.evaluate($0) * 2 }
    try store.expectSQL(
      #Predicate<PItem> { half.evaluate($0.number) == 4 },
      #"(t0."number" / ?) = ?"#
    )
    try store.expectSame(#Predicate<PItem> { half.evaluate(double.evaluate($0)) > 12 })
    try store.expectSame(#Predicate<PItem> { quadruple.evaluate($0) == 20 })
  }

  @Test("A predicate may evaluate an expression with several inputs.")
  func inputs() throws {
    let isNear = #Expression<Int, Int, Bool> { $0 == $1 || $0 == $1 + 1 }
    let item = PredicateExpressions.Variable<PItem>()
    let node = PredicateExpressions.build_evaluate(
      PredicateExpressions.Value(isNear),
      PredicateExpressions.KeyPath(root: item, keyPath: \.number),
      PredicateExpressions.Value(4)
    )
    let entity = try #require(store.container.map.entity(of: PItem.self))
    var translation = SQLTranslation(map: store.container.map, sources: store.sources(entity))
    translation.bind(
      item,
      to: .object(SQLObject(id: "t0.id", entity: entity, alias: "t0", isNullable: false))
    )
    let sql = try translation.condition(node).sql
    #expect(sql.text == #"(t0."number" = ? OR t0."number" = ?)"#)
  }

  @Test("A predicate may evaluate other predicates, nested and repeated.")
  func evaluated() throws {
    let large = #Predicate<PItem> { $0.number > 12 }
    let flagged = #Predicate<PItem> { $0.flag }
    let small = #Predicate<Int> { $0 < 5 }
    let both = #Predicate<PItem> { large.evaluate($0) && !flagged.evaluate($0) }
    #expect(try store.expectSame(both) > 0)
    let either = #Predicate<PItem> { both.evaluate($0) || !both.evaluate($0) }
    #expect(try store.expectSame(either) == 20)
    #expect(try store.expectSame(#Predicate<PItem> { small.evaluate($0.number) }) == 5)
    let withNote = #Predicate<PItem> { small.evaluate($0.number) && $0.note != nil }
    #expect(try store.expectSame(withNote) == 3)
    let none = [Predicate<PItem>]()
    let parts = [large, flagged, .true]
    func all(_ parts: [Predicate<PItem>]) -> Predicate<PItem> {
      parts.reduce(.true) { sum, part in #Predicate { sum.evaluate($0) && part.evaluate($0) } }
    }
    #expect(try store.expectSame(all(parts)) == 3)
    #expect(try store.expectSame(all(none)) == 20)
  }

  @Test("Evaluated predicates may use relationships, and be used on related objects.")
  func related() throws {
    let owner = PPerson(name: "Ada")
    store.context.insert(owner)
    for item in try store.context.fetch(FetchDescriptor<PItem>()) where item.flag {
      item.owner = owner
    }
    let flagged = #Predicate<PItem> { $0.flag }
    let isAda = #Predicate<PPerson> { $0.name == "Ada" }
    let count = #Expression<[PItem], Int> { $0.filter { flagged.evaluate($0) }.count }
    let owned = #Predicate<PItem> { item in
      if let owner = item.owner { isAda.evaluate(owner) } else { false }
    }
    #expect(try store.expectSame(owned) == 10)
    #expect(
      try store.expectSame(
        #Predicate<PPerson> { $0.items.contains { owned.evaluate($0) } }
      ) == 1
    )
    let ten = #Predicate<PPerson> { count.evaluate($0.items) == 10 }
    #expect(try store.context.fetch(FetchDescriptor(predicate: ten)) == [owner])
  }

  @Test("Encoding a predicate that evaluates another one throws.")
  func encoding() throws {
    let flagged = #Predicate<PItem> { $0.flag }
    let node = PredicateExpressions.build_subscript(
      PredicateExpressions.build_Arg(flagged),
      PredicateExpressions.Variable<PItem>(),
      default: PredicateExpressions.build_Arg("evaluate")
    )
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(node) }
  }

  @Test("Predicates may be composed without the macro.")
  func composition() throws {
    let first = #Predicate<PItem> { $0.number > 4 }
    let second = #Predicate<PItem> { $0.flag }
    let both = Predicate<PItem> { item in
      func join(
        _ left: some StandardPredicateExpression<Bool>,
        _ right: some StandardPredicateExpression<Bool>
      ) -> any StandardPredicateExpression<Bool> {
        PredicateExpressions.build_Conjunction(lhs: left, rhs: right)
      }
      return join(
        PredicateExpressions.build_Comparison(
          lhs: PredicateExpressions.build_KeyPath(root: item, keyPath: \.number),
          rhs: PredicateExpressions.build_Arg(4),
          op: .greaterThan
        ),
        PredicateExpressions.build_KeyPath(root: item, keyPath: \.flag)
      )
    }
    let count = try store.expectSame(both)
    let all = try store.context.fetch(FetchDescriptor<PItem>())
    #expect(try count == all.count { try first.evaluate($0) && second.evaluate($0) })
  }
}
