import Foundation
import Testing

import func Format.quoted

@testable import SwiftData

/// Values whose conditions SQL can't express.
@Model final class Oddity {
  struct Version: Codable, Comparable {
    var major: Int
    var minor: Int

    static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor) < (right.major, right.minor)
    }
  }

  var number: Int
  var version: Version
  var counts: [String: Int]
  var words: [String]
  var reals: [Double]
  var nested: [[Int]]

  init(number: Int) {
    self.number = number
    version = Version(major: number / 2, minor: 9 - number)
    counts = ["a": number]
    words = ["first", number > 2 ? "high" : "low"]
    reals = [Double(number), 1.5]
    nested = [[number, 7], []]
  }
}

@Suite("Conditions and orders that are evaluated in memory")
struct OddPredicateTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Oddity.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    context = ModelContext(container)
    for number in 0..<5 { context.insert(Oddity(number: number)) }
    try context.save()
  }

  private func expectInMemory(
    _ predicate: Predicate<Oddity>,
    _ reason: String,
    _ numbers: [Int],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let entity = try #require(container.map.entity(of: Oddity.self))
    let sources = SQLSources(
      table: quoted,
      storeIdentifier: container.storeIdentifier(of: entity)
    )
    let error = #expect(throws: NotTranslatable.self, sourceLocation: sourceLocation) {
      try PredicateTranslation.translate(
        predicate,
        entity: entity,
        map: self.container.map,
        sources: sources
      )
    }
    #expect(
      error?.description.contains(reason) == true,
      "\(String(describing: error))",
      sourceLocation: sourceLocation
    )
    let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number)
    #expect(found == numbers, sourceLocation: sourceLocation)
    let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
    #expect(count == numbers.count, sourceLocation: sourceLocation)
  }

  @Test("Subscripts of dictionaries are evaluated in memory.")
  func dictionaries() throws {
    try expectInMemory(#Predicate { $0.counts["a"] == 3 }, "DictionaryKeySubscript", [3])
    try expectInMemory(
      #Predicate { $0.counts["b", default: 4] == 4 },
      "DictionaryKeyDefaultValueSubscript",
      [0, 1, 2, 3, 4]
    )
  }

  @Test("The minimum and maximum of numbers that may be NaN are evaluated in memory.")
  func extremes() throws {
    try expectInMemory(#Predicate { $0.reals.max() == 1.5 }, "NaN", [0, 1])
    try expectInMemory(#Predicate { $0.reals.min() == 1.5 }, "NaN", [2, 3, 4])
  }

  @Test("Comparisons of a custom Comparable type are evaluated in memory.")
  func ownOrder() throws {
    let limit = Oddity.Version(major: 1, minor: 7)
    try expectInMemory(#Predicate { $0.version < limit }, "Comparison", [0, 1, 3])
    try expectInMemory(#Predicate { $0.version >= limit }, "Comparison", [2, 4])
  }

  /// Generic, because the compiler evaluates the cast to a concrete type.
  private func isKind<T: Sendable>(of type: T.Type) -> Predicate<Oddity> {
    #Predicate<Oddity> { $0.number is T }
  }

  @Test("Casts of values that are not models are evaluated in memory.")
  func casts() throws {
    try expectInMemory(isKind(of: Int.self), "TypeCheck", [0, 1, 2, 3, 4])
    try expectInMemory(isKind(of: String.self), "TypeCheck", [])
  }

  @Test("The last element and nested arrays are evaluated by functions in SQL.")
  func answered() throws {
    func numbers(_ predicate: Predicate<Oddity>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number)
    }
    let wanted = [2, 7]
    #expect(try numbers(#Predicate { $0.words.last == "high" }) == [3, 4])
    #expect(try numbers(#Predicate { $0.nested.contains(wanted) }) == [2])
    #expect(try numbers(#Predicate { $0.nested.contains { $0.contains(3) } }) == [3])
  }

  @Test("Orders by paths into Codable values work with limits.")
  func orders() throws {
    var descriptor = FetchDescriptor<Oddity>(
      sortBy: [SortDescriptor(\.version.major, order: .reverse), SortDescriptor(\.version.minor)]
    )
    #expect(try context.fetch(descriptor).map(\.number) == [4, 3, 2, 1, 0])
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 2
    #expect(try context.fetch(descriptor).map(\.number) == [3, 2])
    #expect(try context.fetchIdentifiers(descriptor).count == 2)
  }
}
