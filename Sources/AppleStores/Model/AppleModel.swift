import Format

/// The entities of a store that one of Apple's frameworks wrote.
package struct AppleModel: Sendable {
  /// The entities in the order of their numbers.
  package var entities: [AppleEntity]
  /// Why the model is a guess from tables and columns; nil if it is from the file's model cache.
  package var guess: String?
  /// What the model contradicts in itself, in sentences.
  package var findings: [String] = []

  package var isGuess: Bool { guess != nil }

  private let indexes: [String: Int]
  private let numbers: [Int64: Int]
  private let families: [[Int]]
  /// The index of each relationship in the entity that declares it.
  private let relationships: [AppleProperty: Int]

  init(_ entities: [AppleEntity], guess: String? = nil, findings: [String] = []) {
    self.entities = entities
    self.guess = guess
    self.findings = findings
    indexes = Dictionary(
      entities.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    numbers = Dictionary(
      entities.enumerated().map { ($1.number, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var families = entities.indices.map { [$0] }
    var relationships: [AppleProperty: Int] = [:]
    for (index, entity) in entities.enumerated() {
      var next = entity.parent
      while let parent = next {
        families[parent].append(index)
        next = entities[parent].parent
      }
      for (place, relationship) in entity.relationships.enumerated() {
        relationships[AppleProperty(index, relationship.name)] = place
      }
    }
    (self.families, self.relationships) = (families, relationships)
  }

  package func index(named name: String) -> Int? { indexes[name] }
  package func index(numbered number: Int64) -> Int? { numbers[number] }
  package subscript(name: String) -> AppleEntity? { indexes[name].map { entities[$0] } }

  /// An entity and its ancestors, the topmost first.
  package func lineage(of index: Int) -> [Int] {
    var result = [index]
    while let parent = entities[result[0]].parent { result.insert(parent, at: 0) }
    return result
  }

  /// The entity and all entities that inherit from it.
  package func family(of index: Int) -> [Int] { families[index] }

  package func isKind(_ index: Int, of ancestor: Int) -> Bool {
    var next: Int? = index
    while let current = next {
      if current == ancestor { return true }
      next = entities[current].parent
    }
    return false
  }

  /// A relationship that an entity has itself or inherits, with the entity that declares it.
  package func relationship(
    _ name: String,
    of index: Int
  ) -> (entity: Int, relationship: AppleRelationship)? {
    var next: Int? = index
    while let current = next {
      if let place = relationships[AppleProperty(current, name)] {
        return (current, entities[current].relationships[place])
      }
      next = entities[current].parent
    }
    return nil
  }

  /// The inverse of a relationship; nil if it has none in the model.
  package func inverse(
    of relationship: AppleRelationship
  ) -> (entity: Int, relationship: AppleRelationship)? {
    guard let name = relationship.inverse, let destination = indexes[relationship.destination]
    else { return nil }
    return self.relationship(name, of: destination)
  }
}

package struct AppleEntity: Sendable {
  package var name: String
  package var className: String?
  /// The number that rows and history have instead of the name.
  package var number: Int64 = 0
  /// The index of the parent in ``AppleModel/entities``.
  package var parent: Int?
  /// The index of the topmost ancestor, in whose table the rows are.
  package var root = 0
  package var isAbstract = false
  package var renamingIdentifier: String?
  /// The attributes that the entity does not inherit, byte-wise by name.
  package var attributes: [AppleAttribute] = []
  /// The relationships that the entity does not inherit, byte-wise by name.
  package var relationships: [AppleRelationship] = []
  /// Names of properties whose combined values are unique.
  package var uniques: [[String]] = []
  package var indexes: [[String]] = []
}

package struct AppleAttribute: Hashable, Sendable {
  /// The numbers of types in an archived model.
  package enum Kind: Int64, Hashable, Sendable {
    case undefined = 0
    case int16 = 100
    case int32 = 200
    case int64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case bool = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100
  }

  package var name: String
  package var kind: Kind
  package var isOptional = false
  package var isTransient = false
  /// Whether SQLite's triggers compute the value.
  package var isDerived = false
  /// Whether a tag precedes the bytes, which can be in a file of their own.
  package var isExternal = false
  /// Whether history keeps the value of a deleted object.
  package var preservesValueOnDeletion = false
  package var transformer: String?
  package var valueClass: String?
  package var renamingIdentifier: String?
  /// The leaves of a composite in their order.
  package var elements: [AppleAttribute] = []
  /// Whether a composite is an enumeration.
  package var isEnumeration = false

  package init(
    name: String,
    kind: Kind,
    isOptional: Bool = false,
    elements: [AppleAttribute] = []
  ) {
    (self.name, self.kind, self.isOptional, self.elements) = (name, kind, isOptional, elements)
  }

  /// The attributes with columns: the attribute itself, or the leaves of a composite.
  package var leaves: [AppleAttribute] {
    kind == .composite ? elements.flatMap(\.leaves) : [self]
  }

  /// Whether the attribute is an enumeration with raw values, whose only leaf has its name.
  package var isRawValue: Bool {
    isEnumeration && elements.count == 1 && elements[0].name == name
      && elements[0].kind != .composite
  }
}

package struct AppleRelationship: Hashable, Sendable {
  package var name: String
  package var destination: String
  package var inverse: String?
  package var isToMany = false
  package var isOrdered = false
  package var isOptional = false
  package var isTransient = false
  package var minimumCount = 0
  package var maximumCount = 0
  package var deleteRule = DeleteRule.nullify
  package var renamingIdentifier: String?
}

/// The order of names in Apple's frameworks: byte by byte.
func precedes(_ one: String, _ other: String) -> Bool {
  one.utf8.lexicographicallyPrecedes(other.utf8)
}
