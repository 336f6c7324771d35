import Synchronization

/// An object that maps model classes to data in the model store, and helps with the migration of
/// that data between releases.
///
/// ```swift
/// let schema = Schema([Trip.self, Person.self], version: Schema.Version(1, 0, 0))
/// ```
/// The models that relationships lead to, and superclasses, are added by themselves. Two classes
/// of the same simple name can't be in one schema: making a ``ModelContainer`` of it throws.
public final class Schema: Sendable {
  /// The version of the schema.
  public let version: Version
  /// The version of the way in which schemas are encoded.
  public let encodingVersion: Version
  /// The model classes, with those that were inferred.
  let models: [any PersistentModel.Type]
  /// All entities, sorted by name.
  public let entities: [Entity]

  /// The entities by their names.
  public var entitiesByName: [String: Entity] {
    entities.keyed(by: \.name)
  }

  /// Makes a schema of model classes.
  public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    self.version = version
    encodingVersion = Version(1, 0, 0)
    models = Self.closure(of: types)
    entities = Entity.make(of: models).sorted { $0.name < $1.name }
  }

  /// Makes a schema of model classes.
  public convenience init(
    _ types: any PersistentModel.Type...,
    version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Makes a schema of the models of a version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  init(entities: [Entity], version: Version, encodingVersion: Version) {
    self.entities = entities
    self.version = version
    self.encodingVersion = encodingVersion
    models = []
  }

  /// The entity of a model class.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    entitiesByName[Self.entityName(for: type)]
  }

  /// The name of the entity of a model class: the simple name of the class.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String {
    _ModelDescription.of(type).name
  }

  /// The classes given, their superclasses, and all that relationships lead to from there.
  private static func closure(
    of types: [any PersistentModel.Type]
  ) -> [any PersistentModel.Type] {
    var found: [any PersistentModel.Type] = []
    var seen: Set<ObjectIdentifier> = []
    var open = Array(types.reversed())
    while let type = open.popLast() {
      guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
      let description = _ModelDescription.of(type)
      found.append(type)
      if let parent = description.parent { open.append(parent.type) }
      open.append(contentsOf: description.properties.compactMap(\.destination).reversed())
    }
    return found
  }
}

extension Schema: Hashable {
  /// Schemas are equal when their versions and entities are.
  public static func == (left: Schema, right: Schema) -> Bool {
    left.version == right.version && left.entities == right.entities
  }

  /// Hashes the version and the names of the entities.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    for entity in entities { hasher.combine(entity.name) }
  }
}

extension Schema: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, encodingVersion, entities
  }

  /// Reads a schema that was written by ``save(to:)``; it has no model classes.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      entities: try container.decode([Entity].self, forKey: .entities),
      version: try container.decode(Version.self, forKey: .version),
      encodingVersion: try container.decode(Version.self, forKey: .encodingVersion)
    )
  }

  /// Writes the schema.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(encodingVersion, forKey: .encodingVersion)
    try container.encode(entities, forKey: .entities)
  }

  /// Writes the schema to a file as JSON.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// Reads a schema from a file that ``save(to:)`` wrote.
  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
  }
}

extension Schema: CustomDebugStringConvertible {
  /// The version and the names of the entities.
  public var debugDescription: String {
    "Schema \(version): " + entities.map(\.name).joined(separator: ", ")
  }
}
