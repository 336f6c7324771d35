import Foundation
import Observation
import SwiftData
import os

/// The data layer of an app for recipes, which the views of the app call.
@MainActor
@Observable
final class RecipeBook {
  private(set) var recipes: [Recipe] = []
  var searchText = "" {
    didSet { reload() }
  }
  var onlyFavorites = false {
    didSet { reload() }
  }

  @ObservationIgnored private let container: ModelContainer
  @ObservationIgnored private let logger = Logger(
    subsystem: "com.example.recipes",
    category: "data"
  )

  private var context: ModelContext { container.mainContext }

  init(inMemory: Bool = false, url: URL? = nil) throws {
    let schema = Schema([Recipe.self, Ingredient.self, Category.self])
    let configuration =
      if let url {
        ModelConfiguration(schema: schema, url: url)
      } else {
        ModelConfiguration(schema: schema, isStoredInMemoryOnly: inMemory)
      }
    container = try ModelContainer(for: schema, configurations: [configuration])
    context.autosaveEnabled = false
    reload()
  }

  @discardableResult
  func add(
    _ title: String,
    ingredients: [(String, Decimal, Ingredient.Unit)] = [],
    categories names: [String] = []
  ) throws -> Recipe {
    let recipe = Recipe(title: title)
    context.insert(recipe)
    recipe.ingredients = ingredients.enumerated().map { index, item in
      Ingredient(name: item.0, quantity: item.1, unit: item.2, position: index)
    }
    recipe.categories = try names.map(category)
    try save()
    return recipe
  }

  func delete(_ recipe: Recipe) throws {
    context.delete(recipe)
    try save()
  }

  func toggleFavorite(_ recipe: Recipe) throws {
    recipe.isFavorite.toggle()
    try save()
  }

  func recipes(using ingredient: String) throws -> [Recipe] {
    try context.fetch(
      FetchDescriptor<Recipe>(
        predicate: #Predicate { recipe in
          recipe.ingredients.contains { $0.name == ingredient }
        },
        sortBy: [SortDescriptor(\.title)]
      )
    )
  }

  func recipes(inCategory name: String) throws -> [Recipe] {
    let predicate = #Predicate<Recipe> { recipe in
      recipe.categories.contains { $0.name == name }
    }
    return try context.fetch(
      FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])
    )
  }

  func wellRated(atLeast rating: Double) throws -> [Recipe] {
    try context.fetch(
      FetchDescriptor<Recipe>(predicate: #Predicate { ($0.rating ?? 0) >= rating })
    )
  }

  func shoppingList() throws -> [String: Decimal] {
    var descriptor = FetchDescriptor<Recipe>(predicate: #Predicate { $0.isFavorite })
    descriptor.relationshipKeyPathsForPrefetching = [\.ingredients]
    var list: [String: Decimal] = [:]
    for recipe in try context.fetch(descriptor) {
      for ingredient in recipe.ingredients {
        list[ingredient.name, default: 0] += ingredient.quantity
      }
    }
    return list
  }

  private func category(named name: String) throws -> Category {
    let descriptor = FetchDescriptor<Category>(predicate: #Predicate { $0.name == name })
    if let known = try context.fetch(descriptor).first { return known }
    let category = Category(name: name)
    context.insert(category)
    return category
  }

  private func save() throws {
    if context.hasChanges { try context.save() }
    reload()
  }

  private func reload() {
    let text = searchText
    let onlyFavorites = onlyFavorites
    let predicate = #Predicate<Recipe> { recipe in
      (text.isEmpty || recipe.title.localizedStandardContains(text))
        && (!onlyFavorites || recipe.isFavorite)
    }
    do {
      recipes = try context.fetch(
        FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])
      )
    } catch {
      logger.error("recipes can't be read: \(error, privacy: .public)")
    }
  }
}
