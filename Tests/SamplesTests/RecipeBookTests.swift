import Observation
import SwiftData
import TestSupport
import Testing

@MainActor
@Suite("The data layer of a recipe app")
struct RecipeBookTests {
  @Test("Recipes are added, searched, marked and deleted.")
  func wholeBook() throws {
    let book = try RecipeBook(inMemory: true)
    try book.add(
      "Crème brûlée",
      ingredients: [("cream", 500, .millilitre), ("sugar", 80, .gram)],
      categories: ["Dessert", "French"]
    )
    let bread = try book.add("Bread", ingredients: [("flour", 500, .gram), ("sugar", 5, .gram)])
    try book.add("Baguette", ingredients: [("flour", 400, .gram)], categories: ["French"])
    #expect(book.recipes.map(\.title) == ["Baguette", "Bread", "Crème brûlée"])

    book.searchText = "creme"
    #expect(book.recipes.map(\.title) == ["Crème brûlée"])
    book.searchText = ""
    #expect(try book.recipes(using: "flour").map(\.title) == ["Baguette", "Bread"])
    #expect(try book.recipes(inCategory: "French").map(\.title) == ["Baguette", "Crème brûlée"])

    try book.toggleFavorite(bread)
    book.onlyFavorites = true
    #expect(book.recipes.map(\.title) == ["Bread"])
    #expect(try book.shoppingList() == ["flour": 500, "sugar": 5])
    book.onlyFavorites = false

    try book.delete(bread)
    #expect(book.recipes.count == 2)
    #expect(try book.recipes(using: "sugar").map(\.title) == ["Crème brûlée"])
  }

  @Test("A missing rating counts as none.")
  func ratings() throws {
    let book = try RecipeBook(inMemory: true)
    let soup = try book.add("Soup")
    try book.add("Bread")
    soup.rating = 4.5
    #expect(try book.wellRated(atLeast: 4).map(\.title) == ["Soup"])
    #expect(try book.wellRated(atLeast: 0).count == 2)
  }

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

  @Test("Views that observe the book or a recipe are notified of changes.")
  func observation() throws {
    let book = try RecipeBook(inMemory: true)
    let soup = try book.add("Soup")
    nonisolated(unsafe) var changes: [String] = []
    withObservationTracking {
      _ = book.recipes
    } onChange: {
      changes.append("book")
    }
    withObservationTracking {
      _ = soup.title
    } onChange: {
      changes.append("title")
    }
    soup.rating = 3
    #expect(changes.isEmpty)
    soup.title = "Leek soup"
    #expect(changes == ["title"])
    try book.add("Bread")
    #expect(changes == ["title", "book"])
  }
}
