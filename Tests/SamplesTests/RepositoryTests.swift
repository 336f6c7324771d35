import SwiftData
import Testing

@Suite("A repository for any model")
struct RepositoryTests {
  struct Refused: Error {}

  private func makeRepository() throws -> SwiftDataRepository<Recipe> {
    let container = try ModelContainer(
      for: Recipe.self,
      configurations: .init(isStoredInMemoryOnly: true)
    )
    return SwiftDataRepository(context: ModelContext(container))
  }

  @Test("A repository adds, finds, counts and removes objects.")
  func basics() throws {
    let repository = try makeRepository()
    for title in ["Soup", "Bread", "Apple pie"] { try repository.add(Recipe(title: title)) }
    #expect(try repository.count() == 3)
    #expect(
      try repository.all(sortedBy: [SortDescriptor(\.title)]).map(\.title) == [
        "Apple pie", "Bread", "Soup",
      ]
    )
    let soup = try #require(try repository.first(where: #Predicate { $0.title == "Soup" }))
    #expect(try repository.find(soup.persistentModelID) === soup)
    try repository.remove(soup)
    #expect(try repository.first(where: #Predicate { $0.title == "Soup" }) == nil)
    try repository.removeAll(where: #Predicate { $0.title == "Bread" })
    #expect(try repository.all().map(\.title) == ["Apple pie"])
    try repository.removeAll()
    #expect(try repository.count() == 0)
  }

  @Test("A generic predicate finds an object of another context by its identifier.")
  func genericPredicate() throws {
    let container = try ModelContainer(
      for: Recipe.self,
      configurations: .init(isStoredInMemoryOnly: true)
    )
    let recipe = Recipe(title: "Soup")
    try SwiftDataRepository(context: ModelContext(container)).add(recipe)
    let other = SwiftDataRepository<Recipe>(context: ModelContext(container))
    #expect(try other.find(recipe.persistentModelID)?.title == "Soup")
  }

  @Test("A transaction that throws changes nothing.")
  func transaction() throws {
    let repository = try makeRepository()
    #expect(throws: Refused.self) {
      try repository.transaction { context in
        context.insert(Recipe(title: "Soup"))
        throw Refused()
      }
    }
    #expect(try repository.count() == 0)
    try repository.transaction { $0.insert(Recipe(title: "Bread")) }
    #expect(try repository.count() == 1)
  }

  @Test("A protocol requirement is usable in a predicate.")
  func protocolRequirement() throws {
    let repository = try makeRepository()
    try repository.add(Recipe(title: "old", createdAt: day(1)))
    try repository.add(Recipe(title: "new", createdAt: day(3)))
    #expect(try repository.created(after: day(2)).map(\.title) == ["new"])
  }
}
