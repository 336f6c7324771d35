import Foundation
import SwiftData

@Model
final class Recipe {
  @Attribute(.unique) var id = UUID()
  var title: String
  var instructions: String = ""
  var servings = 4
  var isFavorite: Bool = false
  var createdAt: Date
  var rating: Double?
  @Relationship(deleteRule: .cascade, inverse: \Ingredient.recipe)
  var ingredients: [Ingredient] = []
  @Relationship(inverse: \Category.recipes)
  var categories: [Category] = []

  init(title: String, createdAt: Date = .now) {
    self.title = title
    self.createdAt = createdAt
  }
}

extension Recipe: Timestamped {}

@Model
final class Ingredient {
  enum Unit: String, Codable, CaseIterable {
    case gram, millilitre, piece
  }

  var name: String
  var quantity: Decimal
  var unit: Unit
  private(set) var position: Int
  var recipe: Recipe?

  init(name: String, quantity: Decimal, unit: Unit = .gram, position: Int = 0) {
    self.name = name
    self.quantity = quantity
    self.unit = unit
    self.position = position
  }
}

@Model
final class Category {
  @Attribute(.unique) var name: String
  var recipes: [Recipe] = []

  init(name: String) {
    self.name = name
  }
}
