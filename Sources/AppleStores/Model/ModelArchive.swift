import Format

/// What the archive of the model is, in messages.
let cachedModel = "The cached model"

extension AppleModel {
  /// Reads an archived model; the keys have the numbers that the file knows.
  package init(archive: [UInt8], keys: [PrimaryKey]) throws(StoreError) {
    var reader = ModelArchive(try KeyedArchive(archive, name: cachedModel))
    let descriptions = try reader.descriptions()
    try self.init(descriptions, keys: keys, findings: reader.findings)
  }
}

/// Reads the entities of an archived model.
struct ModelArchive {
  private static let mostEntities = 2000
  /// The deepest nesting of composites.
  static let deepest = 8

  /// What an entity's description contains, before parents and numbers are known.
  struct Description {
    var entity: AppleEntity
    var parent: String?
    /// All properties, also inherited ones.
    var names: Set<String>
  }

  /// How many attributes and relationships may still be read; the leaves of composites and the members
  /// of unique tuples and indexes are counted too.
  private var room = 20_000
  /// How many bytes of names may still be read; a schema in a log has at most 2 MiB too.
  private var nameRoom = 2 << 20
  private let archive: KeyedArchive
  private(set) var findings: [String] = []

  init(_ archive: KeyedArchive) { self.archive = archive }

  /// The descriptions of all entities.
  mutating func descriptions() throws(StoreError) -> [Description] {
    guard let model = archive.root.object,
      try archive.className(of: model) == "NSManagedObjectModel",
      let entities = try archive.value("NSEntities", of: model).object
    else { throw damaged(cachedModel, "it is an archive of something else") }
    var result: [Description] = []
    var names: Set<String> = []
    for member in try archive.members(of: entities) {
      guard let object = member.value.object else { continue }
      let description = try entity(object)
      guard names.insert(description.entity.name).inserted else {
        findings.append("The model has two entities named \(description.entity.name).")
        continue
      }
      result.append(description)
      guard result.count <= Self.mostEntities else { throw tooLarge(cachedModel) }
    }
    guard !result.isEmpty else { throw damaged(cachedModel, "it has no entities") }
    return result
  }

  private mutating func entity(_ object: KeyedArchive.Object) throws(StoreError) -> Description {
    guard let name = try archive.value("NSEntityName", of: object).text, !name.isEmpty else {
      throw damaged(cachedModel, "an entity has no name")
    }
    try count(name)
    var entity = AppleEntity(name: name)
    entity.className = try archive.value("NSClassNameForEntity", of: object).text
    entity.isAbstract = try archive.value("NSIsAbstract", of: object).isTrue
    entity.renamingIdentifier = try archive.value("NSRenamingIdentifier", of: object).text
    var names: Set<String> = []
    if let properties = try archive.value("NSProperties", of: object).object {
      for member in try archive.members(of: properties) {
        guard let key = member.key.text, let property = member.value.object,
          names.insert(key).inserted
        else { continue }
        try count(key)
        try add(property, named: key, to: &entity)
      }
    }
    entity.uniques = try lists(try archive.value("NSUniqueTuples", of: object))
    for index in try archive.elements(in: archive.value("NSFetchIndexDescriptions", of: object)) {
      guard let index = index.object else { continue }
      let names = try self.names(archive.value("NSIndexElements", of: index))
      if !names.isEmpty { entity.indexes.append(names) }
    }
    var parent: String?
    if let superentity = try archive.value("NSSuperentity", of: object).object {
      parent = try archive.value("NSEntityName", of: superentity).text
    }
    return Description(entity: entity, parent: parent, names: names)
  }

  private mutating func count(_ name: String) throws(StoreError) {
    nameRoom -= name.utf8.count
    guard nameRoom >= 0 else { throw tooLarge(cachedModel) }
  }

  /// Lists of names of properties, such as those that are unique together.
  private mutating func lists(_ content: KeyedArchive.Content) throws(StoreError) -> [[String]] {
    var result: [[String]] = []
    for list in try archive.elements(in: content) {
      let names = try names(list)
      if !names.isEmpty { result.append(names) }
    }
    return result
  }

  /// The names in a list of texts or of properties; empty if one has no name.
  private mutating func names(_ content: KeyedArchive.Content) throws(StoreError) -> [String] {
    var result: [String] = []
    for element in try archive.elements(in: content) {
      var name = element.text
      if let object = element.object { name = try archive.value("NSPropertyName", of: object).text }
      guard let name else { return [] }
      room -= 1
      guard room > 0 else { throw tooLarge(cachedModel) }
      try count(name)
      result.append(name)
    }
    return result
  }

  private mutating func add(
    _ object: KeyedArchive.Object,
    named name: String,
    to entity: inout AppleEntity
  ) throws(StoreError) {
    var object = object
    // An inherited property can be a proxy of the parent's property.
    var rest = 8
    while try archive.className(of: object) == "_NSPropertyDescriptionProxy", rest > 0 {
      guard let next = try archive.value("NSUnderlyingProperty", of: object).object else { return }
      object = next
      rest -= 1
    }
    switch try archive.className(of: object) {
    case "NSAttributeDescription", "NSDerivedAttributeDescription",
      "NSCompositeAttributeDescription":
      entity.attributes.append(try attribute(object, named: name, of: entity.name, depth: 0))
    case "NSRelationshipDescription":
      entity.relationships.append(try relationship(object, named: name))
    case "NSFetchedPropertyDescription", "NSExpressionDescription": break
    case let kind:
      findings.append("\(entity.name).\(name) is of the unknown class \(kind).")
    }
  }

  private mutating func attribute(
    _ object: KeyedArchive.Object,
    named name: String,
    of entity: String,
    depth: Int
  ) throws(StoreError) -> AppleAttribute {
    guard depth < Self.deepest else { throw damaged(cachedModel, "composites have a cycle") }
    room -= 1
    guard room > 0 else { throw tooLarge(cachedModel) }
    let number = try archive.value("NSAttributeType", of: object).integer ?? 0
    let kind = AppleAttribute.Kind(rawValue: number)
    if kind == nil { findings.append("\(entity).\(name) is of the unknown type \(number).") }
    var attribute = AppleAttribute(name: name, kind: kind ?? .undefined)
    attribute.isOptional = try archive.value("NSIsOptional", of: object).isTrue
    attribute.isTransient = try archive.value("NSIsTransient", of: object).isTrue
    attribute.isDerived = try archive.className(of: object) == "NSDerivedAttributeDescription"
    let flags = try archive.value("NSFlagsKey", of: object).integer ?? 0
    attribute.isExternal = flags & 4 != 0
    attribute.preservesValueOnDeletion = flags & 16 != 0
    attribute.transformer = try archive.value("NSValueTransformerName", of: object).text
    attribute.valueClass = try archive.value("NSAttributeValueClassName", of: object).text
    attribute.renamingIdentifier = try archive.value("NSRenamingIdentifier", of: object).text
    guard attribute.kind == .composite else { return attribute }
    for element in try archive.elements(in: archive.value("NSCompositeElements", of: object)) {
      guard let element = element.object,
        let leaf = try archive.value("NSPropertyName", of: element).text
      else { continue }
      try count(leaf)
      attribute.elements.append(
        try self.attribute(element, named: leaf, of: "\(entity).\(name)", depth: depth + 1)
      )
    }
    if let information = try archive.value("NSUserInfo", of: object).object {
      attribute.isEnumeration = try archive.members(of: information).contains {
        $0.key.text == "EnumType" && $0.value.isTrue
      }
    }
    return attribute
  }

  private mutating func relationship(
    _ object: KeyedArchive.Object,
    named name: String
  ) throws(StoreError) -> AppleRelationship {
    room -= 1
    guard room > 0 else { throw tooLarge(cachedModel) }
    var result = AppleRelationship(name: name, destination: "")
    result.destination = try archive.value("_NSDestinationEntityName", of: object).text ?? ""
    if result.destination.isEmpty,
      let entity = try archive.value("NSDestinationEntity", of: object).object
    {
      result.destination = try archive.value("NSEntityName", of: entity).text ?? ""
    }
    result.inverse = try archive.value("_NSInverseRelationshipName", of: object).text
    if result.inverse == nil,
      let inverse = try archive.value("NSInverseRelationship", of: object).object
    {
      result.inverse = try archive.value("NSPropertyName", of: inverse).text
    }
    try count(result.destination)
    try count(result.inverse ?? "")
    let maximum = try archive.value("NSMaxCount", of: object).integer ?? 0
    result.isToMany = maximum != 1
    // Both zero and a negative number mean that there is no limit.
    result.maximumCount = Int(clamping: max(0, maximum))
    result.minimumCount = Int(
      clamping: max(0, try archive.value("NSMinCount", of: object).integer ?? 0)
    )
    result.isOptional = try archive.value("NSIsOptional", of: object).isTrue
    result.isOrdered = try archive.value("NSIsOrdered", of: object).isTrue
    result.isTransient = try archive.value("NSIsTransient", of: object).isTrue
    result.renamingIdentifier = try archive.value("NSRenamingIdentifier", of: object).text
    result.deleteRule =
      switch try archive.value("NSDeleteRule", of: object).integer ?? 0 {
      case 1: .nullify
      case 2: .cascade
      case 3: .deny
      default: .noAction
      }
    return result
  }
}
