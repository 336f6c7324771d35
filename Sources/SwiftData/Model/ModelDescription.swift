import Store

/// Describes the properties of a model class and their kinds, without a store or a schema.
///
/// Applications do not use this class: generated code stores the description of each model class.
public final class _ModelDescription: @unchecked Sendable {
  // Key paths of models are constants, but the compiler can't see this from their type.
  let type: any PersistentModel.Type
  /// The simple name of the class, which is also its entity's name.
  let name: String
  let parent: _ModelDescription?
  /// The number of inherited properties, which is also the index of the first declared property.
  let offset: Int
  /// The inherited properties, followed by the declared properties in the order of their
  /// declaration.
  let properties: [PropertyDescription]
  /// The properties that refer to other objects; many operations need only these.
  let relationships: [PropertyDescription]
  /// The indexes of properties whose values are only in memory.
  let ephemerals: PropertySet
  /// The collections with a minimum or maximum number of members.
  let counted: [PropertyDescription]
  /// Sets of properties whose values together are unique; inherited sets are included.
  let uniqueSets: [[String]]
  /// Sets of properties with an index; inherited sets are included.
  let indexSets: [[String]]
  private let byKeyPath: [AnyKeyPath: Int]
  private let byName: [String: Int]
  private let inverses = Guarded<[Int: PropertyReference?]>([:])

  private static let known = Guarded<[ObjectIdentifier: _ModelDescription]>([:])

  /// The description of a class; each class has only one description, created at the first call.
  public static func of(_ type: any PersistentModel.Type) -> _ModelDescription {
    let identity = ObjectIdentifier(type)
    if let found = known.withLock({ $0[identity] }) { return found }
    // The description is created outside of the lock, because a default value may be a model, which
    // needs a description too.
    let made = _ModelDescription(type)
    return known.withLock { known in
      if let found = known[identity] { return found }
      known[identity] = made
      return made
    }
  }

  private init(_ type: any PersistentModel.Type) {
    self.type = type
    name = String(describing: type)
    parent = (_getSuperclass(type) as? any PersistentModel.Type).map(_ModelDescription.of)
    // Without the macro `@Model`, a subclass inherits `schemaMetadata` from its superclass. These
    // properties must not be added twice.
    let metadata = type.schemaMetadata.filter { !($0.metadata is any SchemaConstraint) }
    let isRepeated = parent.map { $0.ownKeyPaths == metadata.map(\.keypath) } ?? false
    offset = parent?.properties.count ?? 0
    var properties = parent?.properties ?? []
    for entry in isRepeated ? [] : metadata {
      properties.append(PropertyDescription(entry, index: properties.count, owner: name))
    }
    self.properties = properties
    relationships = properties.filter { $0.destination != nil }
    var ephemerals = PropertySet()
    for property in properties where property.isEphemeral { ephemerals.insert(property.index) }
    self.ephemerals = ephemerals
    counted = relationships.filter { property in
      guard property.isToMany, let relationship = property.relationship else { return false }
      return (relationship.minimumModelCount ?? 0) > 0 || (relationship.maximumModelCount ?? 0) > 0
    }
    let constraints = type.schemaMetadata.compactMap { $0.metadata as? any SchemaConstraint }
    func names(_ keyPaths: [AnyKeyPath]) -> [String] {
      keyPaths.compactMap { keyPath in
        let steps = keyPath.components
        return properties.first {
          $0.keyPath == keyPath || (steps != nil && $0.keyPath.components == steps)
        }?.name
      }
    }
    let single = properties[offset...].filter {
      $0.attribute?.isUnique ?? $0.relationship?.isUnique ?? false
    }
    uniqueSets =
      (parent?.uniqueSets ?? []) + single.map { [$0.name] }
      + constraints.flatMap(\.uniqueSets).map(names)
    indexSets = (parent?.indexSets ?? []) + constraints.flatMap(\.indexSets).map(names)
    byKeyPath = Dictionary(
      properties.map { ($0.keyPath, $0.index) },
      uniquingKeysWith: { first, _ in first }
    )
    byName = Dictionary(
      properties.map { ($0.name, $0.index) },
      uniquingKeysWith: { _, last in last }
    )
  }

  private var ownKeyPaths: [AnyKeyPath] { properties[offset...].map(\.keyPath) }

  /// The declared or inherited property of a key path; nil if the key path is not that of a stored
  /// property.
  func property(for keyPath: AnyKeyPath) -> PropertyDescription? {
    if let index = byKeyPath[keyPath] { return properties[index] }
    // A key path through a subclass (`\Business.name`) differs from the superclass's key path
    // (`\Trip.name`), but both have the same getter. So the components of the key paths are
    // compared.
    guard offset > 0 || parent != nil else { return nil }
    guard let steps = keyPath.components else { return nil }
    return properties.first { $0.keyPath.components == steps }
  }

  func property(named name: String) -> PropertyDescription? { byName[name].map { properties[$0] } }

  func isKind(of other: _ModelDescription) -> Bool {
    self === other || (parent?.isKind(of: other) ?? false)
  }

  func inverse(of index: Int) -> PropertyReference? {
    if let known = inverses.withLock({ $0[index] }) { return known }
    let found = findInverse(of: properties[index])
    inverses.withLock { $0[index] = .some(found) }
    return found
  }
}

struct PropertyReference: Sendable {
  var owner: _ModelDescription
  var property: PropertyDescription
}
