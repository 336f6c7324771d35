import SwiftData
import TestSupport
import Testing

@MainActor
@Suite("The data layer of a recipe app")
struct RecipeBookTests {
  @Test("A recipe book keeps its recipes when it is opened again.")
  func reopening() async throws {
    try withTemporaryFolder { folder in
      let url = folder.appending(path: "recipes.store")
      try RecipeBook(url: url).add(
        "Soup",
        ingredients: [("leek", Decimal(string: "1.5") ?? 0, .piece)],
        categories: ["Dinner"]
      )
      let soup = try #require(try RecipeBook(url: url).recipes.first)
      #expect(soup.title == "Soup" && soup.servings == 4 && soup.rating == nil)
      #expect(soup.ingredients.first?.quantity == Decimal(string: "1.5"))
      #expect(soup.ingredients.first?.unit == .piece)
      #expect(soup.categories.map(\.name) == ["Dinner"])
    }
  }
}
