// Random models, and programs over them.

private let entityNames = [
  "Album", "ComputeSync", "ComputedAsset", "Item", "NWThing", "NetworkThing", "Person", "Tag",
  "note", "zebra",
]
// Siblings, leaves and the two forms of a name compete for the same columns.
private let attributeNames = [
  "name", "Name", "id", "rating", "size", "value", "isOpen", "entity", "note", "created",
]

extension FileModel {
  package static func random(using generator: inout some RandomNumberGenerator) -> FileModel {
    var model = FileModel(entities: [])
    model.leavesHaveBits = Bool.random(using: &generator)
    for name in entityNames.shuffled(using: &generator).prefix(
      Int.random(in: 2...6, using: &generator)
    ) {
      model.addEntity(name, using: &generator)
    }
    for number in 0..<Int.random(in: 0...6, using: &generator) {
      model.addRelationship(number, using: &generator)
    }
    for index in model.entities.indices where model.family(of: model.entities[index].name).count > 1
    {
      model.entities[index].isAbstract = Bool.random(using: &generator)
    }
    return model
  }

  private mutating func addEntity(
    _ name: String,
    using generator: inout some RandomNumberGenerator
  ) {
    var entity = Entity(name: name)
    if Int.random(in: 0..<5, using: &generator) < 2 {
      entity.parent = entities.randomElement(using: &generator)?.name
    } else if Bool.random(using: &generator) {
      entity.attributes.append(Attribute(name: "serial", type: 300))
      entity.uniques = [["serial"]]
    }
    let inherited = entity.parent.map { attributes(of: $0).map(\.name) } ?? []
    let names = attributeNames.filter { !inherited.contains($0) }.shuffled(using: &generator)
    for name in names.prefix(Int.random(in: 0...4, using: &generator)) {
      entity.attributes.append(.random(name, using: &generator))
    }
    entities.append(entity)
  }

  private mutating func addRelationship(
    _ number: Int,
    using generator: inout some RandomNumberGenerator
  ) {
    let one = Int.random(in: entities.indices, using: &generator)
    let other = Int.random(in: entities.indices, using: &generator)
    let kind = Int.random(in: 0..<6, using: &generator)
    let isOrdered = Bool.random(using: &generator)
    let name = ["owner", "Owner", "x"].randomElement(using: &generator) ?? ""
    var first = Relationship(name: "\(name)\(number)", destination: entities[other].name)
    var second = Relationship(name: "back\(number)", destination: entities[one].name)
    switch kind {
    case 0: break
    case 1: (first.maximum, first.isOrdered) = (0, isOrdered)
    case 2: (first.maximum, first.isOrdered, first.inverse) = (0, isOrdered, second.name)
    case 3: first.inverse = second.name
    default:
      (first.maximum, first.isOrdered, first.inverse) = (0, isOrdered, second.name)
      (second.maximum, second.isOrdered) = (0, Bool.random(using: &generator))
      if kind == 5, one == other {
        first.inverse = first.name
        first.isOrdered = false
      }
    }
    entities[one].relationships.append(first)
    guard first.inverse == second.name else { return }
    second.inverse = first.name
    entities[other].relationships.append(second)
  }

  /// The model after some changes: new, renamed and removed entities and properties.
  package func changed(using generator: inout some RandomNumberGenerator) -> FileModel {
    var model = self
    for index in model.entities.indices {
      model.entities[index].renaming = nil
      for place in model.entities[index].attributes.indices {
        model.entities[index].attributes[place].renaming = nil
      }
    }
    let unused = entityNames.filter { self[$0] == nil }
    if let name = unused.randomElement(using: &generator) {
      model.entities.append(Entity(name: name, attributes: [Attribute(name: "title", type: 700)]))
      model.addRelationship(Int.random(in: 100...999_999, using: &generator), using: &generator)
    }
    // Old names are not used again, so that a renamed entity can be told from a new one.
    if Bool.random(using: &generator),
      let index = model.entities.indices.randomElement(using: &generator)
    {
      model.rename(index, to: "R\(Int.random(in: 0...999_999, using: &generator))")
    }
    let removable = model.entities.filter { entity in
      model.family(of: entity.name).count == 1 && entity.renaming == nil
        && entity.relationships.isEmpty
        && !model.entities.contains { $0.relationships.contains { $0.destination == entity.name } }
    }
    if model.entities.count > 2, let name = removable.randomElement(using: &generator)?.name {
      model.entities.removeAll { $0.name == name }
    }
    for index in model.entities.indices {
      let entity = model.entities[index]
      if Bool.random(using: &generator), let place = entity.attributes.indices.last,
        entity.attributes[place].flags & 16 == 0, entity.attributes[place].name != "serial"
      {
        if Bool.random(using: &generator) {
          model.entities[index].attributes.remove(at: place)
        } else {
          let old = entity.attributes[place].name
          model.entities[index].attributes[place].renaming = old
          model.entities[index].attributes[place].name = old + "New"
          // The leaf of an enumeration with raw values has the name of the property.
          if entity.attributes[place].elements.map(\.name) == [old] {
            model.entities[index].attributes[place].elements[0].name = old + "New"
          }
        }
      }
      // No older model has the name.
      let name = "added\(Int.random(in: 0...999_999, using: &generator))"
      guard Bool.random(using: &generator) else { continue }
      model.entities[index].attributes.append(
        Attribute(name: name, type: 300, isOptional: false, initial: .integer(7))
      )
    }
    return model
  }

  private mutating func rename(_ index: Int, to name: String) {
    let old = entities[index].name
    entities[index].renaming = old
    entities[index].name = name
    for other in entities.indices {
      if entities[other].parent == old { entities[other].parent = name }
      for place in entities[other].relationships.indices
      where entities[other].relationships[place].destination == old {
        entities[other].relationships[place].destination = name
      }
    }
  }
}

extension FileModel.Attribute {
  fileprivate static func random(
    _ name: String,
    using generator: inout some RandomNumberGenerator
  ) -> FileModel.Attribute {
    let types: [Int64] = [
      100, 200, 300, 400, 500, 600, 700, 700, 800, 900, 1000, 1100, 1200, 1800, 2100, 2100, 2100,
    ]
    var result = FileModel.Attribute(
      name: name,
      type: types.randomElement(using: &generator) ?? 700,
      isOptional: Bool.random(using: &generator)
    )
    switch result.type {
    case 1000: result.flags = Bool.random(using: &generator) ? 4 : 0
    case 1800: result.transformer = "OwnTransformer"
    case 2100:
      let kind = Int.random(in: 0..<3, using: &generator)
      result.isEnumeration = kind > 0
      result.isOptional = result.isOptional || kind > 0
      switch kind {
      case 0:
        let types: [(String, Int64)] = [
          ("name", 700), ("size", 300), ("part", 500), ("value", 1000), ("isOpen", 800),
          ("id", 1100),
        ]
        result.elements = types.shuffled(using: &generator)
          .prefix(Int.random(in: 1...4, using: &generator))
          .map { FileModel.Attribute(name: $0.0, type: $0.1) }
      case 1:
        let type: Int64 = Bool.random(using: &generator) ? 700 : 300
        result.elements = [FileModel.Attribute(name: name, type: type)]
      default:
        result.elements = ["near", "far", "name"]
          .map { FileModel.Attribute(name: $0, type: 700) }
      }
    default:
      if Int.random(in: 0..<3, using: &generator) == 0 { result.flags = 16 }
    }
    return result
  }
}

extension FileValue {
  package static func random(
    _ attribute: FileModel.Attribute,
    using generator: inout some RandomNumberGenerator
  ) -> FileValue {
    if attribute.isOptional, Int.random(in: 0..<4, using: &generator) == 0, attribute.type != 2100 {
      return .null
    }
    func bytes(_ count: Int) -> [UInt8] {
      // The first byte is one with which no JSON begins.
      (0..<count).map { UInt8.random(in: ($0 == 0 ? 128 : 0)...255, using: &generator) }
    }
    switch attribute.type {
    case 100: return .integer(Int64(Int16.random(in: .min ... .max, using: &generator)))
    case 200: return .integer(Int64(Int32.random(in: .min ... .max, using: &generator)))
    case 300: return .integer(Int64.random(in: .min ... .max, using: &generator))
    case 800: return .integer(Int64.random(in: 0...1, using: &generator))
    case 400, 900:
      return .real(Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 8)
    case 500: return .real(Double.random(in: -1e9...1e9, using: &generator))
    case 600: return .real(Double(Float.random(in: -1e9...1e9, using: &generator)))
    case 1000 where attribute.flags & 4 != 0:
      return Bool.random(using: &generator) ? .inside(bytes(9)) : .outside(bytes(20))
    case 1000, 1800: return .blob(bytes(Int.random(in: 1...9, using: &generator)))
    case 1100: return .blob(bytes(16))
    case 1200: return .text("https://example.org/\(Int.random(in: 0...99, using: &generator))")
    case 2100:
      guard attribute.isEnumeration, attribute.elements.count > 1 else {
        return .leaves(attribute.elements.map { random($0, using: &generator) })
      }
      let active = Int.random(in: attribute.elements.indices, using: &generator)
      return .leaves(
        attribute.elements.enumerated().map { $0 == active ? .text($1.name) : .null }
      )
    default:
      let letters = ["a", "é", "😀", "'", "\"", "\\", "\u{0}", "\n", " "]
      let count = Int.random(in: 0...8, using: &generator)
      return .text((0..<count).map { _ in letters.randomElement(using: &generator) ?? "" }.joined())
    }
  }
}

extension AppleFile {
  /// Makes some random changes and saves them, sometimes without history unless `isRecorded` is true.
  package func runRandomly(
    changes count: Int,
    isRecorded: Bool = false,
    using generator: inout some RandomNumberGenerator
  ) throws {
    for _ in 0..<count { changeRandomly(using: &generator) }
    try save(
      author: ["sync", "editor", nil].randomElement(using: &generator) ?? nil,
      context: ["background", nil].randomElement(using: &generator) ?? nil,
      isRecorded: isRecorded || Int.random(in: 0..<10, using: &generator) > 0
    )
  }

  private func changeRandomly(using generator: inout some RandomNumberGenerator) {
    // The order of a dictionary is not the same in each run.
    let all = rows.keys.sorted { ($0.root, $0.id) < ($1.root, $1.id) }
    let choice = Int.random(in: 0..<20, using: &generator)
    guard let object = all.randomElement(using: &generator), let row = rows[object], choice > 5
    else {
      let entities = model.entities.filter { !$0.isAbstract }.map(\.name)
      guard let entity = entities.randomElement(using: &generator) else { return }
      var values: [String: FileValue] = [:]
      for attribute in model.attributes(of: entity) {
        values[attribute.name] =
          attribute.name == "serial"
          ? .integer(highest[model.root(of: entity), default: 0])
          : .random(attribute, using: &generator)
      }
      _ = insert(entity, values)
      return
    }
    let (_, relationship) =
      model.relationships(of: row.entity).randomElement(using: &generator) ?? ("", nil)
    switch choice {
    case 6...11:
      let attributes = model.attributes(of: row.entity).filter { $0.name != "serial" }
      guard let attribute = attributes.randomElement(using: &generator) else { return }
      set(object, attribute.name, .random(attribute, using: &generator))
    case 12...16:
      guard let relationship else { return }
      let family = model.family(of: relationship.destination)
      let others = all.filter { family.contains(rows[$0]?.entity ?? "") }
      guard let other = others.randomElement(using: &generator) else { return }
      let isSet = Int.random(in: 0..<4, using: &generator) > 0
      if relationship.isToMany {
        link(object, relationship.name, other, isMember: isSet)
      } else {
        set(object, relationship.name, isSet ? .integer(other.id) : .null)
      }
    case 17: if let relationship, !relationship.isToMany { moveToEnd(object, relationship.name) }
    case 18: touch(object)
    default: delete(object)
    }
  }
}
