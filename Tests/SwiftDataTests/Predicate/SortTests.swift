import Foundation
import Testing

@testable import SwiftData

@Suite("Sort descriptors as SQL")
struct SortTests {
  let store: PredicateStore
  let kept: [any PersistentModel]

  init() throws {
    store = try PredicateStore()
    let names = [
      "b", "A", "a10", "a9", "Z", "é", "e", "E", "É", "z", "item 2", "Item 10", "item 010", "",
      "東京", "제주", "\u{212a}", "K", "k", "cafe\u{301}", "café",
    ]
    let people = ["Zoë", "ada", "Ben"].map { PPerson(name: $0) }
    people[0].age = 3
    people[1].boss = people[2]
    for person in people { store.context.insert(person) }
    for (index, name) in names.enumerated() {
      let item = PItem(number: index)
      item.name = name
      item.note = index % 3 == 0 ? nil : name
      item.count = (index * 7) % 5
      item.maybeCount = index % 4 == 0 ? nil : index % 7
      item.price = [0, -1, .infinity, 2.5, -0.0][index % 5]
      item.due = index % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(index % 5))
      item.amount = Decimal(string: ["10", "9", "-1", "0.5"][index % 4]) ?? 0
      item.big = index % 3 == 0 ? UInt64.max - UInt64(index) : UInt64(index)
      item.level = PredicateModels.Level.allCases[index % 3]
      item.uid = UUID()
      store.context.insert(item)
      item.owner = index % 4 == 3 ? nil : people[index % 3]
    }
    try store.context.save()
    kept = people
  }

  /// Expects that SQL sorts as the descriptors do, with equal objects in the order of their rows.
  private func expectSame<T: PersistentModel>(
    _ sort: SortDescriptor<T>...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let entity = try #require(store.container.map.entity(of: T.self))
    _ = try SortTranslation.translate(
      sort,
      entity: entity,
      map: store.container.map,
      sources: store.sources(entity)
    )
    let all = try store.context.fetch(FetchDescriptor<T>())
    let wanted = all.sorted(using: sort).map(\.persistentModelID)
    let found = try store.context.fetch(FetchDescriptor<T>(sortBy: sort)).map(\.persistentModelID)
    #expect(wanted.map(\.row) == found.map(\.row), sourceLocation: sourceLocation)
  }

  @Test("Every kind of value is sorted, forward and in reverse, with nil first.")
  func values() throws {
    for order in [SortOrder.forward, .reverse] {
      try expectSame(SortDescriptor(\PItem.name, order: order))
      try expectSame(SortDescriptor(\PItem.note, order: order))
      try expectSame(SortDescriptor(\PItem.name, comparator: .lexical, order: order))
      try expectSame(SortDescriptor(\PItem.note, comparator: .lexical, order: order))
      try expectSame(SortDescriptor(\PItem.name, comparator: .localized, order: order))
      try expectSame(SortDescriptor(\PItem.note, comparator: .localizedStandard, order: order))
      try expectSame(SortDescriptor(\PItem.count, order: order), SortDescriptor(\PItem.name))
      try expectSame(SortDescriptor(\PItem.maybeCount, order: order))
      try expectSame(SortDescriptor(\PItem.price, order: order))
      try expectSame(SortDescriptor(\PItem.due, order: order))
      try expectSame(SortDescriptor(\PItem.amount, order: order))
      try expectSame(SortDescriptor(\PItem.big, order: order))
      try expectSame(SortDescriptor(\PItem.level, order: order))
      try expectSame(SortDescriptor(\PItem.uid, order: order))
      try expectSame(SortDescriptor(\PAuthor.name, order: order))
    }
  }

  @Test("Key paths of several steps are sorted.")
  func nested() throws {
    for order in [SortOrder.forward, .reverse] {
      try expectSame(SortDescriptor(\PItem.owner?.name, order: order))
      try expectSame(SortDescriptor(\PItem.owner?.age, order: order))
      try expectSame(SortDescriptor(\PItem.owner?.boss?.name, order: order))
      try expectSame(SortDescriptor(\PPerson.items.count, order: order))
      try expectSame(SortDescriptor(\PItem.owner?.name, comparator: .lexical, order: order))
    }
  }

  @Test("Strings are sorted as on Apple's systems, or lexically on request.")
  func strings() throws {
    let words = ["b", "A", "a10", "a9", "Z", "é", "e"]
    let items = words.map { word in
      let item = PItem(number: 0)
      item.name = word
      return item
    }
    #expect(
      items.sorted(using: SortDescriptor(\.name)).map(\.name)
        == ["A", "a9", "a10", "b", "e", "é", "Z"]
    )
    #expect(
      items.sorted(using: SortDescriptor(\.name, comparator: .lexical)).map(\.name)
        == ["A", "Z", "a10", "a9", "b", "e", "é"]
    )
    #expect(words.sorted(using: .localizedStandard) == ["A", "a9", "a10", "b", "e", "é", "Z"])
    #expect(
      items.sorted(
        using: SortDescriptor(\.name, comparator: String.StandardComparator.localizedStandard)
      ).map(\.name) == ["A", "a9", "a10", "b", "e", "é", "Z"]
    )
  }

  @Test("A comparator of Foundation's type sorts as on Apple's systems.")
  func standardComparators() throws {
    func order(
      _ comparator: String.StandardComparator = .localizedStandard
    ) -> SortDescriptor<PItem> {
      SortDescriptor(\.name, comparator: comparator)
    }
    func anyOrder<T>(_ path: any KeyPath<T, String> & Sendable) -> SortDescriptor<T> {
      SortDescriptor(path, comparator: String.StandardComparator.localizedStandard, order: .reverse)
    }
    for comparator in [String.StandardComparator.localizedStandard, .localized, .lexical] {
      for direction in [SortOrder.forward, .reverse] {
        let standard = String.StandardComparator(comparator, order: direction)
        #expect(standard.order == direction)
        try expectSame(order(standard))
        try expectSame(SortDescriptor(\PItem.note, comparator: standard))
        try expectSame(SortDescriptor(\PItem.note, comparator: comparator, order: direction))
      }
    }
    #expect(order() == SortDescriptor(\.name))
    #expect(order(.lexical) == SortDescriptor(\.name, comparator: .lexical))
    #expect(
      try store.context.fetch(FetchDescriptor(sortBy: [anyOrder(\PItem.name)])).map(\.name)
        == store.context.fetch(
          FetchDescriptor(sortBy: [SortDescriptor(\PItem.name, order: .reverse)])
        )
        .map(\.name)
    )
    let words = ["b", "A", "a10", "a9", "Z", "é", "e"]
    #expect(
      words.sorted(using: String.StandardComparator.localizedStandard)
        == ["A", "a9", "a10", "b", "e", "é", "Z"]
    )
    #expect(words.sorted(using: .lexical) == ["A", "Z", "a10", "a9", "b", "e", "é"])
  }

  @Test("A sort without SQL is refused.")
  func refused() throws {
    let entity = try #require(store.container.map.entity(of: PItem.self))
    func isRefused(_ sort: SortDescriptor<PItem>) -> Bool {
      do {
        _ = try SortTranslation.translate(
          [sort],
          entity: entity,
          map: store.container.map,
          sources: store.sources(entity)
        )
        return false
      } catch { return true }
    }
    #expect(isRefused(SortDescriptor(\PItem.address.city)))
    #expect(isRefused(SortDescriptor(\PItem.transient)))
    #expect(isRefused(SortDescriptor(\PItem.persistentModelID)))
    #expect(!isRefused(SortDescriptor(\PItem.number)))
  }
}
