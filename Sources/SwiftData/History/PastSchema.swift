import Changes
import Store

/// The schemas that one store of a container had, as transactions name them.
final class PastSchemas: Sendable {
  private let map: EntityMap
  private let storeIndex: Int
  private let store: Store
  private let loaded = Guarded(Loaded())

  private struct Loaded {
    var byDigest: [String: PastSchema] = [:]
    /// The id of the last schema.
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
    throw HistoryFailure.damaged(.missingSchema(digest)).at(store.location.path)
  }

  /// The entities that were renamed, with the schemas in which they had their old names.
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
      // The schemas that lie between, in the order in which the store got them.
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

/// The name that an entity had while a schema was in use.
struct PastName: Sendable {
  var schema: Int64
  var old: String
  var new: String
}

/// A schema that a store had, and what has become of its parts.
final class PastSchema: Sendable {
  let id: Int64
  let store: Store
  /// The entities by the names that they had.
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

  /// An entity by the name that it had.
  func entity(_ name: String) -> PastEntity { entities[name] ?? PastEntity(named: name) }

  /// The identity of an object, by the name that its entity had.
  func identifier(_ entity: String, row: Int64) -> PersistentIdentifier {
    PersistentIdentifier(
      storeIdentifier: store.identifier,
      entityName: entities[entity]?.name ?? entity,
      key: .number(row)
    )
  }
}

/// An entity that a store had.
final class PastEntity: Sendable {
  /// The name that it has now, or had when it went.
  let name: String
  /// The class of its objects.
  let model: any PersistentModel.Type
  /// The properties by the names that history has for them.
  let properties: [String: PastProperty]
  /// The names that history has for the properties, by those that they have now, or had when they
  /// went.
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
      // Where one that is there now has the name of one that went, it is that one's.
      uniquingKeysWith: { properties[$0]?.property == nil ? $1 : $0 }
    )
  }

  /// An entity of which no more than the name is known.
  init(named name: String) {
    self.name = name
    model = UnknownModel.self
    properties = [:]
    pastNames = [:]
  }

  /// The name that history has for a property, by the one that it has now, or had when it went; nil
  /// where there was no such property.
  func pastName(of name: String) -> String? { pastNames[name] }
}

/// A property that an entity had.
struct PastProperty: Sendable {
  /// The name that it has now, or had when it went.
  var name: String
  /// The type of an attribute; nil for a relationship.
  var type: ValueType?
  /// The property of the class; nil for one that is gone.
  var property: PropertyDescription?
}

/// The class of objects whose own class the container does not have any more.
///
/// History tells of them all the same: their changes have the name of the entity in
/// ``HistoryChange/changedPersistentIdentifier``, and values by name. There are no instances of it
/// in a store.
public final class UnknownModel: PersistentModel {
  /// None.
  public static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  /// The state that all models have.
  public var _$state: _ModelState

  /// Makes an instance, which nothing can be done with.
  public init(backingData: any BackingData<UnknownModel>) {
    _$state = ._of(backingData, _ModelDescription.of(UnknownModel.self))
  }
}

@available(*, unavailable, message: "Models are not Sendable.")
extension UnknownModel: Sendable {}
