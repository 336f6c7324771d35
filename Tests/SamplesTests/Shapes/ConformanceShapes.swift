import SwiftData

// Classes that declare their own conformances, and families of classes.

@Model
final class ShapedCodable: Codable, Equatable, Hashable, Identifiable,
  CustomStringConvertible
{
  var id: UUID
  var name: String

  init(id: UUID, name: String) {
    self.id = id
    self.name = name
  }

  enum CodingKeys: CodingKey { case id, name }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UUID.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
  }

  var description: String { name }

  static func == (left: ShapedCodable, right: ShapedCodable) -> Bool { left.id == right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@Model final class ShapedIdentifiable: Identifiable {
  @Attribute(.unique) var id: String
  init(id: String) { self.id = id }
}

/// A protocol that only models can conform to.
protocol ShapedNamed: PersistentModel {
  var name: String { get set }
}

@Model final class ShapedNamedModel: ShapedNamed {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class ShapedExplicit: PersistentModel, Observable {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class ShapedUnchecked: @unchecked Sendable {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class ShapedSendable: Sendable {
  var name: String
  init(name: String) { self.name = name }
}

class ShapedPlainBase {
  var memory = 1
}

@Model final class ShapedOverPlainBase: ShapedPlainBase {
  var name: String
  init(name: String) { self.name = name }
}

@Model class ShapedAnimal {
  var name: String
  var legs = 4
  init(name: String) { self.name = name }
}

@Model class ShapedDog: ShapedAnimal {
  var breed: String
  @Relationship(inverse: \ShapedOwner.dogs) var owner: ShapedOwner?
  #Index<ShapedDog>([\.breed])

  init(name: String, breed: String) {
    self.breed = breed
    super.init(name: name)
  }
}

@Model final class ShapedPuppy: ShapedDog {
  var weeks: Int

  init(name: String, weeks: Int) {
    self.weeks = weeks
    super.init(name: name, breed: "mixed")
    legs = 3
  }
}

@Model final class ShapedOwner {
  var dogs: [ShapedDog] = []
  init() {}
}

/// A subclass that is not a model.
class ShapedPlainAnimal: ShapedAnimal {
  var extra = 1

  override init(name: String) { super.init(name: name) }

  required init(backingData: any SwiftData.BackingData<ShapedAnimal>) {
    super.init(backingData: backingData)
  }
}

/// A subclass that inherits every initializer.
final class ShapedSilentAnimal: ShapedAnimal {
  var extra = 1
}

/// A model whose superclass is not a model.
@Model final class ShapedModelOverPlain: ShapedPlainAnimal {
  var wings: Int
  init(wings: Int) {
    self.wings = wings
    super.init(name: "bird")
  }
}
