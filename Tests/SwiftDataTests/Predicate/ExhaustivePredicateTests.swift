import Foundation
import TestSupport
import Testing

import func Format.quoted

@testable import SwiftData

private typealias Test = any StandardPredicateExpression<Bool>
private typealias Nodes = PredicateExpressions
private typealias Item = PredicateExpressions.Variable<PItem>

/// Random predicates over every combination of nil and values in three columns, made of every node
/// that handles nil.
@Suite("Predicates over all combinations of nil")
struct ExhaustivePredicateTests {
  let store: PredicateStore

  init() throws {
    store = try PredicateStore()
    var number = 0
    for count in [nil, 0, 1] as [Int?] {
      for ratio in [nil, 0, .nan] as [Double?] {
        for maybe in [nil, true, false] as [Bool?] {
          for owner in [nil, "a"] as [String?] {
            let item = PItem(number: number)
            number += 1
            item.maybeCount = count
            item.ratio = ratio
            item.maybe = maybe
            item.count = number % 2
            store.context.insert(item)
            if let owner {
              let person = PPerson(name: owner, age: count)
              store.context.insert(person)
              item.owner = person
              if number % 3 == 0 {
                person.boss = PPerson(name: "a", age: number % 2 == 0 ? 1 : nil, isActive: true)
              }
            }
          }
        }
      }
    }
    try store.context.save()
  }

  @Test("For all combinations of nil, SQL selects what evaluation selects.")
  func combinations() throws {
    var generator = SeededGenerator(seed: 7)
    let all = try store.context.fetch(FetchDescriptor<PItem>())
    let entity = try #require(store.container.map.entity(of: PItem.self))
    var cases = 0
    var differences: [String] = []
    for _ in 0..<600 {
      let predicate = Predicate<PItem> { tree(3, $0, &generator) }
      let wanted = Set(try all.filter(predicate.evaluate).map(\.number))
      let sql = try store.translation(predicate)
      let found = try store.withConnection(to: entity) { connection in
        let statement = try connection.prepare(
          "SELECT number FROM \(quoted(entity.table)) AS t0 WHERE \(sql.text)"
        )
        for (index, value) in sql.bindings.enumerated() {
          try statement.bind(Int32(index + 1), value)
        }
        var found: Set<Int> = []
        while try statement.step() { found.insert(Int(statement.int64(at: 0))) }
        return found
      }
      if wanted != found { differences.append("\(sql.text) \(sql.bindings)") }
      cases += all.count
    }
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(3))")
    print("\(cases) rows asked by 600 predicates, \(differences.count) differences")
    #expect(cases == 600 * 54)
  }

  private func tree(_ depth: Int, _ item: Item, _ generator: inout SeededGenerator) -> Test {
    let choice = Int.random(in: 0..<(depth == 0 ? 24 : 32), using: &generator)
    if choice < 24 { return leaf(choice, item) }
    let first = tree(depth - 1, item, &generator)
    let second = tree(depth - 1, item, &generator)
    let third = tree(depth - 1, item, &generator)
    return join(choice, item, first, second, third)
  }

  private func join(
    _ choice: Int,
    _ item: Item,
    _ first: some StandardPredicateExpression<Bool>,
    _ second: some StandardPredicateExpression<Bool>,
    _ third: some StandardPredicateExpression<Bool>
  ) -> Test {
    let maybe = Nodes.build_KeyPath(root: item, keyPath: \.maybe)
    let owner = Nodes.build_KeyPath(root: item, keyPath: \.owner)
    switch choice {
    case 24: return Nodes.build_Negation(first)
    case 25: return Nodes.build_Conjunction(lhs: first, rhs: second)
    case 26: return Nodes.build_Disjunction(lhs: first, rhs: second)
    case 27: return Nodes.build_Conditional(first, second, third)
    case 28: return Nodes.build_Equal(lhs: first, rhs: second)
    case 29: return Nodes.build_NotEqual(lhs: first, rhs: second)
    case 30:
      let mapped = mapped(maybe) { value in
        Nodes.build_Conjunction(lhs: value, rhs: first)
      }
      return Nodes.build_NilCoalesce(lhs: mapped, rhs: second)
    default:
      let mapped = mapped(owner) { person in
        Nodes.build_Disjunction(
          lhs: Nodes.build_Equal(
            lhs: Nodes.build_KeyPath(root: person, keyPath: \.age),
            rhs: Nodes.build_Arg(1)
          ),
          rhs: first
        )
      }
      return Nodes.build_Equal(lhs: mapped, rhs: maybe)
    }
  }

  private func mapped<Whole, Wrapped, Part>(
    _ whole: Whole,
    _ part: (Nodes.Variable<Wrapped>) -> Part
  ) -> Nodes.OptionalFlatMap<Whole, Wrapped, Part, Part.Output> {
    Nodes.OptionalFlatMap(whole, part)
  }

  private func flattened<Whole, Wrapped, Part, Result>(
    _ whole: Whole,
    _ part: (Nodes.Variable<Wrapped>) -> Part
  ) -> Nodes.OptionalFlatMap<Whole, Wrapped, Part, Result> where Part.Output == Result? {
    Nodes.OptionalFlatMap(whole, part)
  }

  /// Values of the owner, and of the owner's boss.
  private func relatedLeaf(_ choice: Int, _ item: Item) -> Test {
    let owner = Nodes.build_KeyPath(root: item, keyPath: \.owner)
    let name = mapped(owner) { Nodes.build_KeyPath(root: $0, keyPath: \.name) }
    let age = flattened(owner) { Nodes.build_KeyPath(root: $0, keyPath: \.age) }
    let boss = flattened(owner) { Nodes.build_KeyPath(root: $0, keyPath: \.boss) }
    let bossAge = flattened(boss) { Nodes.build_KeyPath(root: $0, keyPath: \.age) }
    switch choice {
    case 12: return Nodes.build_Equal(lhs: name, rhs: Nodes.build_Arg("a" as String?))
    case 13: return Nodes.build_NotEqual(lhs: name, rhs: Nodes.build_Arg("a" as String?))
    case 14: return Nodes.build_Equal(lhs: age, rhs: Nodes.build_NilLiteral())
    case 15: return Nodes.build_NotEqual(lhs: age, rhs: Nodes.build_Arg(0 as Int?))
    case 16: return Nodes.build_Equal(lhs: boss, rhs: Nodes.build_NilLiteral())
    case 17: return Nodes.build_Equal(lhs: bossAge, rhs: Nodes.build_Arg(1 as Int?))
    case 18: return Nodes.build_NotEqual(lhs: bossAge, rhs: Nodes.build_NilLiteral())
    case 19, 20:
      // The fallback meets one of the conditions and not the other.
      return Nodes.build_Comparison(
        lhs: Nodes.build_NilCoalesce(lhs: age, rhs: Nodes.build_Arg(choice == 19 ? 1 : 0)),
        rhs: Nodes.build_Arg(1),
        op: .greaterThanOrEqual
      )
    case 21:
      return Nodes.build_NotEqual(
        lhs: Nodes.build_NilCoalesce(lhs: bossAge, rhs: Nodes.build_Arg(7)),
        rhs: Nodes.build_Arg(1)
      )
    case 22:
      return Nodes.build_contains(
        Nodes.build_NilCoalesce(lhs: name, rhs: Nodes.build_Arg("")),
        Nodes.build_Arg("a")
      )
    default: return Nodes.build_contains(Nodes.build_Arg([1, nil] as [Int?]), bossAge)
    }
  }

  private func leaf(_ choice: Int, _ item: Item) -> Test {
    let count = Nodes.build_KeyPath(root: item, keyPath: \.maybeCount)
    let ratio = Nodes.build_KeyPath(root: item, keyPath: \.ratio)
    let maybe = Nodes.build_KeyPath(root: item, keyPath: \.maybe)
    let owner = Nodes.build_KeyPath(root: item, keyPath: \.owner)
    switch choice {
    case 0: return Nodes.build_Equal(lhs: count, rhs: Nodes.build_NilLiteral())
    case 1: return Nodes.build_Equal(lhs: count, rhs: Nodes.build_Arg(1 as Int?))
    case 2: return Nodes.build_NotEqual(lhs: ratio, rhs: Nodes.build_Arg(0 as Double?))
    case 3: return Nodes.build_Equal(lhs: ratio, rhs: ratio)
    case 4: return Nodes.build_Equal(lhs: maybe, rhs: Nodes.build_Arg(true as Bool?))
    case 5: return Nodes.build_NotEqual(lhs: maybe, rhs: Nodes.build_Arg(false as Bool?))
    case 6: return Nodes.build_NilCoalesce(lhs: maybe, rhs: Nodes.build_Arg(true))
    case 7:
      return Nodes.build_Comparison(
        lhs: Nodes.build_NilCoalesce(lhs: ratio, rhs: Nodes.build_Arg(-1.0)),
        rhs: Nodes.build_Arg(0.0),
        op: .greaterThanOrEqual
      )
    case 8: return Nodes.build_Equal(lhs: owner, rhs: Nodes.build_NilLiteral())
    case 9:
      let age = flattened(owner) {
        Nodes.build_KeyPath(root: $0, keyPath: \.age)
      }
      return Nodes.build_Equal(lhs: age, rhs: count)
    case 10:
      let isBig = mapped(count) {
        Nodes.build_Comparison(lhs: $0, rhs: Nodes.build_Arg(0), op: .greaterThan)
      }
      return Nodes.build_NotEqual(lhs: isBig, rhs: maybe)
    case 12...: return relatedLeaf(choice, item)
    default:
      return Nodes.build_contains(Nodes.build_Arg([1, nil] as [Int?]), count)
    }
  }
}
