import Format
import Store

/// The past schemas of one store of a container, by digest; a transaction contains the digest of
/// its schema.
final class PastSchemas: Sendable {
  private let map: EntityMap
  private let storeIndex: Int
  private let store: Store
  private let loaded = Guarded(Loaded())

  private struct Loaded {
    var byDigest: [String: PastSchema] = [:]
    var last: Int64 = 0
    var renames: [PastName] = []
  }

  init(_ map: EntityMap, storeIndex: Int, store: Store) {
    self.map = map
    self.storeIndex = storeIndex
    self.store = store
  }

  func schema(_ digest: String, with reader: Reader) throws -> PastSchema {
    if let found = loaded.withLock({ $0.byDigest[digest] }) { return found }
    try load(reader)
    if let found = loaded.withLock({ $0.byDigest[digest] }) { return found }
    throw missingSchema(digest, at: store.location.path)
  }

  /// The renamed entities, together with the schemas in which they had their old names.
  func renames(_ reader: Reader) throws -> [PastName] {
    let last = try reader.lastSchema()
    if loaded.withLock({ $0.last }) != last { try load(reader) }
    return loaded.withLock { $0.renames }
  }

  private func load(_ reader: Reader) throws {
    let schemas = try reader.schemas()
    let present = map.schemas[storeIndex]
    let presentID = schemas.first { $0.schema == present }?.id ?? .max
    var result = Loaded()
    for past in schemas {
      // The schemas between the past schema and the present one, in the order in which the store
      // received them.
      let path = schemas.filter { $0.id > past.id && $0.id < presentID }.map(\.schema)
      let succession = try SchemaSuccession(
        past.schema == present ? [present] : [past.schema] + path + [present]
      )
      let made = try PastSchema(
        past,
        succession: succession,
        map: map,
        storeIndex: storeIndex,
        store: store
      )
      result.byDigest[past.digest] = made
      result.last = past.id
      for (name, entity) in made.entities where name != entity.name {
        result.renames.append(PastName(schema: past.id, old: name, new: entity.name))
      }
    }
    loaded.withLock { $0 = result }
  }
}

struct PastName: Sendable {
  var schema: Int64
  var old: String
  var new: String
}

/// A past schema of a store, with the present names of its entities and properties.
final class PastSchema: Sendable {
  let id: Int64
  let store: Store
  let entities: [String: PastEntity]

  init(
    _ past: CatalogSchema,
    succession: SchemaSuccession,
    map: EntityMap,
    storeIndex: Int,
    store: Store
  ) throws {
    id = past.id
    self.store = store
    entities = Dictionary(
      try past.schema.layouts().map { layout in
        let present = succession.entity(layout.entity.name).flatMap { map[$0] }
        let known = present?.storeIndex == storeIndex ? present?.model : nil
        return (layout.entity.name, PastEntity(layout, model: known, succession: succession))
      },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func entity(_ name: String) -> PastEntity { entities[name] ?? PastEntity(named: name) }

  /// The identity of an object; `entity` is the name of its entity in the past schema.
  func identifier(_ entity: String, row: Int64) -> PersistentIdentifier {
    PersistentIdentifier(
      storeIdentifier: store.identifier,
      entityName: entities[entity]?.name ?? entity,
      key: .number(row)
    )
  }
}

final class PastEntity: Sendable {
  /// The present name of the entity, or the last name of a removed entity.
  let name: String
  let model: any PersistentModel.Type
  /// The properties of the entity, by their names in history.
  let properties: [String: PastProperty]
  /// The names in history, by the present names of properties.
  ///
  /// A removed property keeps its last name.
  private let pastNames: [String: String]

  init(_ layout: EntityLayout, model: _ModelDescription?, succession: SchemaSuccession) {
    let entity = layout.entity.name
    name = model?.name ?? entity
    self.model = model?.type ?? UnknownModel.self
    var properties: [String: PastProperty] = [:]
    func add(_ logName: String, old: String, type: ValueType?) {
      let present = succession.property(old, of: entity).flatMap { model?.property(named: $0) }
      properties[logName] = PastProperty(name: present?.name ?? old, type: type, property: present)
    }
    for column in layout.columns { add(column.logName, old: column.property, type: column.type) }
    for (relationship, logName) in layout.linkNames { add(logName, old: relationship, type: nil) }
    self.properties = properties
    pastNames = Dictionary(
      properties.map { ($0.value.name, $0.key) },
      // If a removed property has the name of a present property, the name means the present
      // property.
      uniquingKeysWith: { properties[$0]?.property == nil ? $1 : $0 }
    )
  }

  init(named name: String) {
    self.name = name
    model = UnknownModel.self
    properties = [:]
    pastNames = [:]
  }

  /// The name of a property in history, by its present or last name; nil if the schema did not have
  /// the property.
  func pastName(of name: String) -> String? { pastNames[name] }
}

struct PastProperty: Sendable {
  /// The present name of the property, or the last name of a removed property.
  var name: String
  /// The type of an attribute; nil for a relationship.
  var type: ValueType?
  /// The property of the class; nil for a removed property.
  var property: PropertyDescription?
}

/// The class of an object whose own class the container no longer has.
///
/// ``HistoryChange/changedPersistentIdentifier`` contains the name of the object's entity. The
/// values of the change are available by name. No store contains an instance of this class.
public final class UnknownModel: PersistentModel {
  /// The list of properties, always empty.
  public static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  /// The state of the instance, which is never used.
  public var _$state: _ModelState

  /// Creates an instance without properties; no context accepts it.
  public init(backingData: any BackingData<UnknownModel>) {
    _$state = ._of(backingData, description: _ModelDescription.of(UnknownModel.self))
  }
}

@available(*, unavailable, message: "Models are not Sendable.")
extension UnknownModel: Sendable {}
