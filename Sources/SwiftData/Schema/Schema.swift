import Synchronization

/// An object that maps model classes to data in the model store, and helps with the migration of
/// that data between releases.
///
/// ```swift
/// let schema = Schema([Trip.self, Person.self], version: Schema.Version(1, 0, 0))
/// ```
///
/// The schema includes superclasses and destinations of relationships automatically. Two classes
/// with the same simple name can't be in one schema: creating a ``ModelContainer`` with such a
/// schema throws.
public final class Schema: Sendable {
  /// The version of the schema; 1.0.0 by default.
  public let version: Version
  /// The version of the schema's encoded form; 1.0.0, except in a schema that was decoded with
  /// another version.
  public let encodingVersion: Version
  /// The model classes; superclasses and destinations of relationships are included.
  let models: [any PersistentModel.Type]
  /// All entities, sorted by name; entities of superclasses and destinations are included.
  public let entities: [Entity]

  /// The entities by name; entities of superclasses and destinations are included.
  public var entitiesByName: [String: Entity] {
    entities.keyed(by: \.name)
  }

  /// Creates a schema of model classes; models to which they refer are included.
  public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    self.version = version
    encodingVersion = Version(1, 0, 0)
    models = Self.closure(of: types)
    entities = Entity.make(of: models).sorted { $0.name < $1.name }
  }

  /// Creates a schema of model classes; models to which they refer are included.
  public convenience init(
    _ types: any PersistentModel.Type...,
    version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Creates a schema with the models of a version and the same version number.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  init(entities: [Entity], version: Version, encodingVersion: Version) {
    self.entities = entities
    self.version = version
    self.encodingVersion = encodingVersion
    models = []
  }

  /// The entity of a model class; nil if the schema does not have it.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    entitiesByName[Self.entityName(for: type)]
  }

  /// The simple name of a model class, without the names of types around it.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String {
    _ModelDescription.of(type).name
  }

  /// The given classes, their superclasses, and all destinations of relationships.
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
  /// Whether versions and entities are equal; the order of the models does not matter.
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

  /// Decodes a schema.
  ///
  /// A decoded schema has no model classes, so it can't be used to open a container.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      entities: try container.decode([Entity].self, forKey: .entities),
      version: try container.decode(Version.self, forKey: .version),
      encodingVersion: try container.decode(Version.self, forKey: .encodingVersion)
    )
  }

  /// Encodes the schema; types are encoded as their names.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(encodingVersion, forKey: .encodingVersion)
    try container.encode(entities, forKey: .entities)
  }

  /// Writes the schema to a file as JSON; an existing file is replaced.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// Reads a schema from a file that ``save(to:)`` wrote; the schema has no model classes.
  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
  }
}

extension Schema: CustomDebugStringConvertible {
  /// The version and the names of the entities, in one line.
  public var debugDescription: String {
    "Schema \(version): " + entities.map(\.name).joined(separator: ", ")
  }
}
