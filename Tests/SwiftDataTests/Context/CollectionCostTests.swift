import Foundation
import SQLite
import TestSupport
import Testing

@testable import Format
@testable import Store
@testable import SwiftData

@Model final class Crate {
  var name = ""
  @Relationship(deleteRule: .cascade, inverse: \Apple.crate) var apples: [Apple] = []
  init() {}
}

@Model final class Apple {
  var number: Int
  var crate: Crate?
  init(_ number: Int) { self.number = number }
}

@Suite("The cost of changes to large collections")
struct CollectionCostTests {
  /// The work of SQLite for a task.
  struct Cost: Equatable {
    var statements: Int
    var steps: Int
  }

  @Test("Appending to a collection of thousands with a save each does not copy it each time.")
  func appendingCopiesNothing() throws {
    let container = try ModelContainer(
      for: Crate.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let crate = Crate()
    crate.apples = (0..<2_000).map { Apple($0) }
    context.insert(crate)
    try context.save()
    var copies = 0
    var place = crate.apples.withUnsafeBytes(\.baseAddress)
    for number in 0..<200 {
      crate.apples.append(Apple(2_000 + number))
      try context.save()
      let now = crate.apples.withUnsafeBytes(\.baseAddress)
      if now != place { copies += 1 }
      place = now
    }
    #expect(crate.apples.map(\.number) == Array(0..<2_200))
    // One copy for the first change, and one or two for growth.
    #expect(copies <= 3)
  }

  /// The cost of a task and of the save after it, on a crate with `count` apples.
  private func cost(
    _ count: Int,
    _ task: (ModelContext, Crate, [Apple]) throws -> Void
  ) throws -> Cost {
    let container = try ModelContainer(
      for: Crate.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let maker = ModelContext(container)
    let crate = Crate()
    crate.apples = (0..<count).map { Apple($0) }
    maker.insert(crate)
    maker.insert(Crate())
    try maker.save()
    // The next save computes the digest of a transaction, so its cost includes all insertions.
    crate.name = "full"
    try maker.save()
    let context = ModelContext(container)
    let found = try #require(
      try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.persistentModelID)])).first
    )
    let apples = try context.fetch(FetchDescriptor<Apple>(sortBy: [SortDescriptor(\.number)]))
    let before = try total(container)
    try task(context, found, apples)
    try context.save()
    let after = try total(container)
    return Cost(
      statements: after.statements - before.statements,
      steps: after.steps - before.steps
    )
  }

  private func total(_ container: ModelContainer) throws -> Cost {
    let store = try #require(container.stores.first as? NativeStore).store
    // In memory all connections are the same one.
    return try store.read {
      Cost(statements: $0.connection.statementsRun, steps: $0.connection.steps)
    }
  }

  @Test(
    "Deleting, moving and cascading twice as many objects takes twice as many steps.",
    arguments: ["delete", "move", "cascade"]
  )
  func growth(_ task: String) throws {
    func cost(_ count: Int) throws -> Cost {
      try self.cost(count) { context, crate, apples in
        switch task {
        case "delete": for apple in crate.apples { context.delete(apple) }
        case "move":
          let other = Crate()
          context.insert(other)
          for apple in apples { apple.crate = other }
          #expect(other.apples.count == count && crate.apples.isEmpty)
        default: context.delete(crate)
        }
      }
    }
    let (one, two) = (try cost(500), try cost(1_000))
    #expect(one.statements >= 500)
    #expect(Double(two.statements) <= 2.1 * Double(one.statements), "\(one), \(two)")
    #expect(Double(two.steps) <= 2.2 * Double(one.steps), "\(one), \(two)")
  }

  @Test(
    "Appending an object costs the same for any size of a collection that was not read.",
    arguments: [false, true]
  )
  func append(isRead: Bool) throws {
    func cost(_ count: Int) throws -> Cost {
      try self.cost(count) { context, crate, _ in
        let before = isRead ? crate.apples.count : 0
        let apple = Apple(-1)
        context.insert(apple)
        apple.crate = crate
        if isRead { #expect(crate.apples.count == before + 1) }
      }
    }
    func reading(_ count: Int) throws -> Cost {
      try self.cost(count) { _, crate, _ in _ = isRead ? crate.apples.count : 0 }
    }
    // The first reading also has the cost of opening a reader.
    func own(_ count: Int) throws -> Cost {
      let (all, read) = (try cost(count), try reading(count))
      return Cost(statements: all.statements - read.statements, steps: all.steps - read.steps)
    }
    let (small, large) = (try own(100), try own(2_000))
    #expect(small.statements == large.statements)
    #expect(large.steps - small.steps < 50, "\(small), \(large)")
    #expect(large.steps < 1_000)
  }

  @Test("Any change of a large list of models costs in proportion to the change.")
  func lists() {
    let apples = (0..<100_000).map { Apple($0) }
    var list = ModelList<any PersistentModel>()
    for apple in apples { list.append(apple) }
    // Searching the list for each apple would take hours.
    for apple in apples.dropLast(2) {
      guard list.contains(apple), list.remove(apple) else { break }
      list.append(apple)
      list.remove(apple)
    }
    #expect(list.count == 2)
    #expect(
      list.elements.map { $0.persistentModelID } == apples.suffix(2).map { $0.persistentModelID }
    )
    let (isThere, wasThere) = (list.contains(apples[0]), list.remove(apples[0]))
    #expect(!isThere && !wasThere)
    list.append(apples[0])
    #expect(list.elements.last === apples[0])
  }

  @Test("A list of models behaves like an array.")
  func model() {
    var random = SeededGenerator(seed: 7)
    let apples = (0..<120).map { Apple($0) }
    var list = ModelList<any PersistentModel>()
    var array: [any PersistentModel] = []
    for _ in 0..<20_000 {
      let apple = apples[Int(random.next() % 120)]
      let index = array.firstIndex { $0 === apple }
      switch random.next() % 8 {
      case 0..<4:
        guard index == nil else { continue }
        list.append(apple)
        array.append(apple)
      case 4..<7:
        let wasThere = list.remove(apple)
        #expect(wasThere == (index != nil))
        if let index { array.remove(at: index) }
      default: list.compact()
      }
      #expect(list.count == array.count && list.isEmpty == array.isEmpty)
      let isThere = list.contains(apple)
      #expect(isThere == array.contains { $0 === apple })
    }
    #expect(list.elements.map { $0.persistentModelID } == array.map { $0.persistentModelID })
  }
}
