import Foundation
import SwiftData
import Testing

@Model final class RBoard {
  var name: String
  @Relationship(deleteRule: .nullify, inverse: \RCard.board) var cards: [RCard] = []
  init(name: String) { self.name = name }
}

@Model final class RCard {
  var name: String
  var board: RBoard?
  // A relationship without an inverse.
  var origin: RCard?
  @Relationship(inverse: \RLabel.cards) var labels: [RLabel] = []
  @Relationship(deleteRule: .cascade, inverse: \RStep.card) var steps: [RStep] = []
  @Relationship(deleteRule: .cascade) var cover: RCover?
  init(name: String) { self.name = name }
}

@Model final class RStep {
  var name: String
  var card: RCard?
  @Relationship(deleteRule: .cascade, inverse: \RStep.parent) var parts: [RStep] = []
  var parent: RStep?
  init(name: String) { self.name = name }
}

@Model final class RCover {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class RLabel {
  var name: String
  var cards: [RCard] = []
  init(name: String) { self.name = name }
}

@Suite("Conditions on objects that a pending deletion affects")
struct PendingRuleTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: RBoard.self,
      RCover.self,
      RLabel.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = ModelContext(container)
    let labels = ["red", "blue"].map(RLabel.init)
    for label in labels { context.insert(label) }
    var last: RCard?
    for name in ["one", "two"] {
      let board = RBoard(name: name)
      context.insert(board)
      for number in 0..<2 {
        let card = RCard(name: "\(name) \(number)")
        context.insert(card)
        card.board = board
        card.origin = last
        card.labels = number == 0 ? labels : [labels[1]]
        card.cover = RCover(name: card.name)
        let step = RStep(name: card.name)
        card.steps = [step]
        step.parts = [RStep(name: card.name + " part")]
        step.parts[0].parts = [RStep(name: card.name + " part of it")]
        last = card
      }
    }
    try context.save()
  }

  private static let deletions: [@Sendable (ModelContext) throws -> Void] = [
    { context in
      for board in try context.fetch(FetchDescriptor<RBoard>()) where board.name == "one" {
        context.delete(board)
      }
    },
    { try $0.delete(model: RBoard.self, where: #Predicate { $0.name == "one" }) },
    { context in
      for card in try context.fetch(FetchDescriptor<RCard>()) where card.name == "one 1" {
        context.delete(card)
      }
    },
    { try $0.delete(model: RCard.self, where: #Predicate { $0.name == "one 1" }) },
    { try $0.delete(model: RCard.self, where: #Predicate { $0.board?.name == "one" }) },
    { try $0.delete(model: RLabel.self, where: #Predicate { $0.name == "red" }) },
    { try $0.delete(model: RCover.self) },
    { try $0.delete(model: RStep.self, where: #Predicate { $0.card != nil }) },
    { context in
      try context.delete(model: RCard.self, where: #Predicate { $0.name == "two 0" })
      let board = RBoard(name: "three")
      context.insert(board)
      try context.delete(model: RBoard.self, where: #Predicate { $0.name == "one" })
      let name = "two 1 part"
      for step in try context.fetch(
        FetchDescriptor<RStep>(predicate: #Predicate { $0.name == name })
      ) {
        step.name = "two 1 part!"
      }
    },
  ]

  /// The names of the objects that conditions of all kinds find.
  private func found(_ context: ModelContext) throws -> [[String]] {
    func names<T: PersistentModel>(
      _ path: KeyPath<T, String>,
      _ predicates: [Predicate<T>]
    ) throws -> [[String]] {
      try predicates.map {
        try context.fetch(FetchDescriptor(predicate: $0)).map { $0[keyPath: path] }.sorted()
      }
    }
    let cards: [Predicate<RCard>] = [
      #Predicate<RCard> { $0.board == nil },
      #Predicate<RCard> { $0.board != nil },
      #Predicate<RCard> { $0.board?.name != "one" },
      #Predicate<RCard> { $0.origin == nil },
      #Predicate<RCard> { $0.origin?.board?.name == nil },
      #Predicate<RCard> { $0.cover == nil },
      #Predicate<RCard> { $0.labels.count == 2 },
      #Predicate<RCard> { $0.labels.isEmpty },
      #Predicate<RCard> { $0.steps.isEmpty },
    ]
    let steps: [Predicate<RStep>] = [
      .true,
      #Predicate<RStep> { $0.card == nil },
      #Predicate<RStep> { $0.parent == nil },
      #Predicate<RStep> { $0.parent?.card?.board == nil },
    ]
    let labels: [Predicate<RLabel>] = [
      #Predicate<RLabel> { $0.cards.contains { $0.board == nil } },
      #Predicate<RLabel> { $0.cards.count == 3 },
    ]
    let boards: [Predicate<RBoard>] = [
      #Predicate<RBoard> { $0.cards.contains { $0.origin == nil } }
    ]
    var found = try names(\RCard.name, cards)
    found += try names(\RStep.name, steps)
    found += try names(\RCover.name, [.true])
    found += try names(\RLabel.name, labels)
    found += try names(\RBoard.name, boards)
    let order = [SortDescriptor(\RCard.board?.name), SortDescriptor(\RCard.name)]
    found.append(try context.fetch(FetchDescriptor<RCard>(sortBy: order)).map(\.name))
    return found
  }

  @Test("Conditions find the same objects before and after the save.", arguments: deletions.indices)
  func same(_ index: Int) throws {
    let before = try found(ModelContext(container))
    let context = ModelContext(container)
    try Self.deletions[index](context)
    let pending = try found(context)
    context.rollback()
    #expect(try found(context) == before)
    try Self.deletions[index](context)
    #expect(try found(context) == pending)
    try context.save()
    #expect(try found(ModelContext(container)) == pending)
    #expect(try found(context) == pending)
    #expect(pending != before)
  }

  @Test("Conditions find the objects for which they evaluate to true.")
  func evaluated() throws {
    let context = ModelContext(container)
    try Self.deletions[4](context)
    try Self.deletions[1](context)
    let predicates: [Predicate<RCard>] = [
      #Predicate<RCard> { $0.board == nil },
      #Predicate<RCard> { $0.origin == nil },
      #Predicate<RCard> { $0.origin?.name == "one 1" },
      #Predicate<RCard> { $0.labels.count == 2 },
    ]
    for predicate in predicates {
      let found = try context.fetch(FetchDescriptor(predicate: predicate))
      let all = try context.fetch(FetchDescriptor<RCard>())
      #expect(try Set(found) == Set(all.filter(predicate.evaluate)))
    }
  }
}
