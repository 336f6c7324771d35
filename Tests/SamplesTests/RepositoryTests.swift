import SwiftData
import Testing

@Suite("A repository for any model")
struct RepositoryTests {
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

  @Test("A protocol requirement is usable in a predicate.")
  func protocolRequirement() throws {
    let container = try ModelContainer(
      for: Recipe.self,
      configurations: .init(isStoredInMemoryOnly: true)
    )
    let repository = SwiftDataRepository<Recipe>(context: ModelContext(container))
    try repository.add(Recipe(title: "old", createdAt: day(1)))
    try repository.add(Recipe(title: "new", createdAt: day(3)))
    #expect(try repository.created(after: day(2)).map(\.title) == ["new"])
  }
}
