import Foundation
import TestSupport
import Testing

@testable import SwiftData

private typealias Transaction = DefaultHistoryTransaction

@Suite("Predicates over transactions")
struct HistoryPredicateTests {
  let world: TimedStores
  let container: ModelContainer
  let context: ModelContext
  let all: [DefaultHistoryTransaction]
  let store: String

  init() throws {
    world = try TimedStores()
    container = try ModelContainer(
      for: Trip.self,
      configurations: world.configuration("trips", inMemory: true)
    )
    context = ModelContext(container)
    let authors = [nil, "app", "widget", "app", "sync é", nil, "", "widget"]
    for (index, author) in authors.enumerated() {
      context.author = author
      context.transactionContext.reason = index % 4 == 0 ? "ticket \(index)" : nil
      context.transactionContext.request = index == 3 ? "POST /é" : nil
      world.setTime(Double(index / 2) + 0.000001)
      world.clock.process = index % 3 == 0 ? "trips" : "widget"
      if index % 2 == 0 {
        context.insert(Trip(name: "trip \(index)"))
        context.insert(Tag(label: "tag \(index)"))
      } else {
        let trips = try context.fetch(FetchDescriptor<Trip>())
        trips.last?.destination = "\(index)"
        if index == 7, let first = trips.first { context.delete(first) }
      }
      try context.save()
    }
    all = try allHistory(context)
    store = try #require(all.first?.storeIdentifier)
  }

  /// Expects that a predicate is SQL, and that SQL selects what evaluating it selects.
  private func expectSame(
    _ predicate: Predicate<DefaultHistoryTransaction>,
    count: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let history = try #require(container.nativeHistories.first)
    let descriptor = HistoryDescriptor(predicate: predicate)
    let query = try history.store.read { reader in
      try HistoryQuery(descriptor, sources: history.sources(reader))
    }
    #expect(
      !query.filtersInMemory,
      "\(query.selection.condition ?? "")",
      sourceLocation: sourceLocation
    )
    let wanted = try all.filter(predicate.evaluate).map(\.id)
    let found = try context.fetchHistory(descriptor).map(\.id)
    #expect(
      found == wanted,
      "\(query.selection.condition ?? "") \(query.selection.bindings)",
      sourceLocation: sourceLocation
    )
    if let count { #expect(found.count == count, sourceLocation: sourceLocation) }
  }

  @Test("Predicates select transactions by reason and by request, even if these are nil.")
  func reasons() throws {
    let nothing: String? = nil
    try expectSame(#Predicate { $0.reason == "ticket 4" }, count: 1)
    try expectSame(#Predicate { $0.reason != nil }, count: 2)
    try expectSame(#Predicate { $0.reason == nothing && $0.author == "app" }, count: 2)
    try expectSame(#Predicate { $0.request == "POST /e\u{301}" }, count: 1)
    try expectSame(#Predicate { $0.request == nil || $0.reason == "ticket 0" }, count: 7)
  }

  @Test("Predicates select by author, nil included.")
  func authors() throws {
    let app = "app"
    let nobody: String? = nil
    let maybe: String? = "widget"
    try expectSame(#Predicate { $0.author == app }, count: 2)
    try expectSame(#Predicate { $0.author != app }, count: 6)
    try expectSame(#Predicate { $0.author == nil }, count: 3)
    try expectSame(#Predicate { $0.author != nil }, count: 5)
    try expectSame(#Predicate { $0.author == nobody }, count: 3)
    try expectSame(#Predicate { $0.author == maybe }, count: 2)
    try expectSame(#Predicate { $0.author == "sync e\u{301}" }, count: 1)
    try expectSame(#Predicate { ($0.author ?? "none") == "none" }, count: 3)
    try expectSame(#Predicate { $0.author?.isEmpty == true }, count: 0)
    try expectSame(#Predicate { $0.author?.starts(with: "sync") ?? false }, count: 1)
    let several = ["app", "widget"]
    try expectSame(#Predicate { several.contains($0.author ?? "") }, count: 4)
    try expectSame(#Predicate { !($0.author == app) && !($0.author == nil) }, count: 3)
    try expectSame(#Predicate { $0.author == app || $0.author == nil }, count: 5)
  }

  @Test("Predicates compare tokens on either side of each operator.")
  func tokens() throws {
    for token in all.map(\.token) {
      try expectSame(#Predicate { $0.token > token })
      try expectSame(#Predicate { $0.token >= token })
      try expectSame(#Predicate { $0.token < token })
      try expectSame(#Predicate { $0.token <= token })
      try expectSame(#Predicate { $0.token == token }, count: 1)
      try expectSame(#Predicate { $0.token != token }, count: 7)
      try expectSame(#Predicate { token < $0.token })
      try expectSame(#Predicate { token >= $0.token })
      try expectSame(#Predicate { !($0.token > token) || $0.author == nil })
    }
    let some = [all[1].token, all[5].token]
    try expectSame(#Predicate { some.contains($0.token) }, count: 2)
    let first = all[1].token
    let last = all[4].token
    try expectSame(#Predicate { $0.token > first && $0.token <= last }, count: 3)
    let range = first..<last
    try expectSame(#Predicate { range.contains($0.token) }, count: 3)
    let author = "widget"
    try expectSame(#Predicate { ($0.token > first) && ($0.author == author) }, count: 2)
  }

  @Test("Predicates select by identifier, program and store.")
  func identifiers() throws {
    try expectSame(#Predicate { $0.transactionIdentifier > 3 }, count: 5)
    try expectSame(#Predicate { $0.id == 3 }, count: 1)
    try expectSame(#Predicate { $0.transactionIdentifier % 2 == 0 }, count: 4)
    let some: Set<Int64> = [1, 7, 99]
    try expectSame(#Predicate { some.contains($0.transactionIdentifier) }, count: 2)
    try expectSame(#Predicate { $0.processIdentifier == "trips" }, count: 3)
    try expectSame(#Predicate { $0.bundleIdentifier == "" }, count: 8)
    let store = store
    try expectSame(#Predicate { $0.storeIdentifier == store }, count: 8)
    try expectSame(#Predicate { $0.storeIdentifier != store }, count: 0)
    try expectSame(#Predicate { $0.storeIdentifier == store && $0.id == 2 }, count: 1)
    try expectSame(#Predicate { _ in true }, count: 8)
    try expectSame(#Predicate { _ in false }, count: 0)
  }

  @Test("Predicates compare times to the microsecond.")
  func times() throws {
    for seconds in [-1, 0, 0.000001, 0.0000015, 1, 1.000001, 1.000002, 2.5, 3.000001, 100] {
      let date = TimedStores.date(seconds)
      try expectSame(#Predicate { $0.timestamp > date })
      try expectSame(#Predicate { $0.timestamp >= date })
      try expectSame(#Predicate { $0.timestamp < date })
      try expectSame(#Predicate { $0.timestamp <= date })
      try expectSame(#Predicate { $0.timestamp == date })
      try expectSame(#Predicate { $0.timestamp != date })
      try expectSame(#Predicate { date > $0.timestamp })
    }
    for transaction in all {
      let date = transaction.timestamp
      try expectSame(#Predicate { $0.timestamp == date }, count: 2)
      try expectSame(#Predicate { $0.timestamp > date })
    }
    for date in [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .nan)] {
      try expectSame(#Predicate { $0.timestamp > date })
      try expectSame(#Predicate { $0.timestamp <= date })
      try expectSame(#Predicate { $0.timestamp == date }, count: 0)
    }
    let range = TimedStores.date(1)...TimedStores.date(2.5)
    try expectSame(#Predicate { range.contains($0.timestamp) }, count: 4)
  }

  @Test("Predicates select by the number, entity and object of changes.")
  func changes() throws {
    try expectSame(#Predicate { $0.changes.isEmpty }, count: 0)
    try expectSame(#Predicate { !$0.changes.isEmpty }, count: 8)
    try expectSame(#Predicate { $0.changes.count == 2 })
    try expectSame(#Predicate { $0.changes.count > 1 })
    let name = "Tag"
    try expectSame(
      #Predicate {
        $0.changes.contains { $0.changedPersistentIdentifier.entityName == name }
      },
      count: 4
    )
    let trip = try #require(all[0].changes.first?.changedPersistentIdentifier)
    try expectSame(
      #Predicate { $0.changes.contains { $0.changedPersistentIdentifier == trip } },
      count: 3
    )
    let several = [trip, all[2].changes[0].changedPersistentIdentifier]
    try expectSame(
      #Predicate { $0.changes.contains { several.contains($0.changedPersistentIdentifier) } }
    )
    try expectSame(
      #Predicate {
        $0.changes.allSatisfy { $0.changedPersistentIdentifier.entityName == "Trip" }
      }
    )
    try expectSame(
      #Predicate {
        $0.changes.filter { $0.changedPersistentIdentifier.entityName == name }.count == 1
          && $0.author == nil
      }
    )
  }

  @Test("A condition without SQL is evaluated in memory, and the others are SQL.")
  func inMemory() throws {
    let token = all[2].token
    let seconds = TimedStores.date(2).timeIntervalSinceReferenceDate
    let predicate = #Predicate<DefaultHistoryTransaction> {
      $0.token > token && $0.timestamp.timeIntervalSinceReferenceDate > seconds
    }
    let history = try #require(container.nativeHistories.first)
    var descriptor = HistoryDescriptor(predicate: predicate)
    let query = try history.store.read { reader in
      try HistoryQuery(descriptor, sources: history.sources(reader))
    }
    #expect(query.filtersInMemory)
    #expect(query.selection.condition == "t.id > ?")
    #expect(query.selection.limit == nil)
    let wanted = try all.filter(predicate.evaluate).map(\.id)
    #expect(wanted == [5, 6, 7, 8])
    #expect(try context.fetchHistory(descriptor).map(\.id) == wanted)
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.id) == [5, 6])
    descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
    #expect(try context.fetchHistory(descriptor).map(\.id) == [8, 7])
  }

  @Test("Orders in SQL equal those of sorting in memory.")
  func orders() throws {
    let orders: [[SortDescriptor<DefaultHistoryTransaction>]] = [
      [], [SortDescriptor(\.token)], [SortDescriptor(\.token, order: .reverse)],
      [SortDescriptor(\.id, order: .reverse)], [SortDescriptor(\.timestamp)],
      [SortDescriptor(\.timestamp, order: .reverse)],
      [SortDescriptor(\.author), SortDescriptor(\.id, order: .reverse)],
      [SortDescriptor(\.processIdentifier), SortDescriptor(\.timestamp, order: .reverse)],
    ]
    for order in orders {
      var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: order)
      let wanted = all.sorted(using: order).map(\.id)
      #expect(try context.fetchHistory(descriptor).map(\.id) == wanted)
      descriptor.fetchLimit = 3
      #expect(try context.fetchHistory(descriptor).map(\.id) == Array(wanted.prefix(3)))
    }
  }

  @Test("Random predicates select what evaluating them selects.")
  func random() throws {
    let seed: UInt64 = 20_260_101
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let predicate = Predicate<DefaultHistoryTransaction> { tree(3, $0, &generator) }
      try expectSame(predicate)
    }
    print("300 predicates over history, seed \(seed)")
  }

  private func tree(
    _ depth: Int,
    _ transaction: PredicateExpressions.Variable<DefaultHistoryTransaction>,
    _ generator: inout SeededGenerator
  ) -> any StandardPredicateExpression<Bool> {
    typealias Nodes = PredicateExpressions
    let choice = Int.random(in: 0..<(depth == 0 ? 7 : 13), using: &generator)
    let one = all[Int.random(in: 0..<all.count, using: &generator)]
    let argument = Nodes.build_Arg(transaction)
    switch choice {
    case 0:
      return Nodes.build_Comparison(
        lhs: Nodes.build_KeyPath(root: argument, keyPath: \.token),
        rhs: Nodes.build_Arg(one.token),
        op: .greaterThan
      )
    case 1:
      return Nodes.build_Comparison(
        lhs: Nodes.build_Arg(one.token),
        rhs: Nodes.build_KeyPath(root: argument, keyPath: \.token),
        op: .greaterThanOrEqual
      )
    case 2:
      return Nodes.build_Equal(
        lhs: Nodes.build_KeyPath(root: argument, keyPath: \.author),
        rhs: Nodes.build_Arg(one.author)
      )
    case 3:
      return Nodes.build_Comparison(
        lhs: Nodes.build_KeyPath(root: argument, keyPath: \.timestamp),
        rhs: Nodes.build_Arg(one.timestamp),
        op: .lessThan
      )
    case 4:
      return Nodes.build_NotEqual(
        lhs: Nodes.build_KeyPath(root: argument, keyPath: \.id),
        rhs: Nodes.build_Arg(one.id)
      )
    case 5:
      return Nodes.build_Equal(
        lhs: Nodes.build_KeyPath(
          root: Nodes.build_KeyPath(root: argument, keyPath: \.changes),
          keyPath: \.count
        ),
        rhs: Nodes.build_Arg(1)
      )
    case 6:
      return Nodes.build_contains(Nodes.build_KeyPath(root: argument, keyPath: \.changes)) {
        Nodes.build_Equal(
          lhs: Nodes.build_KeyPath(
            root: Nodes.build_KeyPath(
              root: Nodes.build_Arg($0),
              keyPath: \.changedPersistentIdentifier
            ),
            keyPath: \.entityName
          ),
          rhs: Nodes.build_Arg("Tag")
        )
      }
    default:
      func join<L: StandardPredicateExpression<Bool>, R: StandardPredicateExpression<Bool>>(
        _ left: L,
        _ right: R
      ) -> any StandardPredicateExpression<Bool> {
        switch choice {
        case 7, 8: PredicateExpressions.build_Conjunction(lhs: left, rhs: right)
        case 9, 10: PredicateExpressions.build_Disjunction(lhs: left, rhs: right)
        default: PredicateExpressions.build_Negation(left)
        }
      }
      return join(
        tree(depth - 1, transaction, &generator),
        tree(depth - 1, transaction, &generator)
      )
    }
  }
}
