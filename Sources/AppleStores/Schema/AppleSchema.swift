import Format
import SQLite

/// A store's model as our schema, and where each of its values is in the file.
package struct AppleSchema: Sendable {
  package let schema: StoreSchema
  /// The rules of the model that the schema does not have.
  package private(set) var loosened: [Loosened] = []
  /// The sources of an entity's columns, in the order of its layout, by the index in the model.
  let sources: [[ColumnSource<String>]]
  /// The properties of these columns.
  package let layoutNames: [[String]]
  /// The index in the schema of each entity of the model.
  package let indexes: [EntityIndex]

  package init(_ store: AppleStore) throws {
    var builder = try SchemaBuilder(store)
    let entities = try builder.entities()
    schema = StoreSchema(
      version: store.metadata.modelVersions.first ?? "1.0.0",
      entities: entities.map(\.entity)
    )
    loosened = builder.loosened
    let layouts = try schema.layouts()
    let places = Dictionary(
      layouts.map { ($0.entity.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    indexes = store.model.entities.map { places[$0.name]?.index ?? 0 }
    layoutNames = entities.map { entity, _ in
      (places[entity.name]?.columns ?? []).map(\.property)
    }
    sources = entities.map { entity, sources in
      (places[entity.name]?.columns ?? []).map { sources[$0.property] ?? .missing }
    }
  }
}

extension AppleSchema {
  /// A value that history kept of a deleted object, as our schema has it.
  package func value(_ kept: AppleChange.KeptValue, of entity: Int) -> StoredValue {
    guard let place = layoutNames[entity].firstIndex(of: kept.attribute),
      case .plain(_, let kind) = sources[entity][place]
    else { return .value(kept.value) }
    return kind.value(kept.value)
  }
}

/// Builds the entities of a schema.
struct SchemaBuilder {
  /// The properties that an entity declares, with their sources.
  struct Declared {
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    var sources: [String: ColumnSource<String>] = [:]
  }

  let store: AppleStore
  let facts: TableFacts
  var declared: [Declared]
  var loosened: [Loosened] = []
  /// The columns of properties in our tables.
  var columns: [AppleProperty: String] = [:]
  /// The names of hidden properties in use.
  var hiddenNames: Set<AppleProperty> = []
  /// The names of columns in use, by the index of the topmost entity, in lower case.
  var taken: [Int: Set<String>] = [:]

  var model: AppleModel { store.model }

  init(_ store: AppleStore) throws {
    self.store = store
    facts = try TableFacts(store)
    declared = store.model.entities.map { _ in Declared() }
  }

  mutating func entities() throws -> [(entity: Entity, sources: [String: ColumnSource<String>])] {
    for index in model.entities.indices { nameColumns(of: index) }
    for index in model.entities.indices { try addAttributes(of: index) }
    for index in model.entities.indices { addRelationships(of: index) }
    addHiddenRelationships()
    noteLostOrders()
    try noteMissingLinks()
    return model.entities.indices.map { index in
      let entity = model.entities[index]
      let lineage = model.lineage(of: index).map { declared[$0] }
      // Both are inherited.
      var (uniques, indexes): ([[String]], [[String]]) = ([], [])
      for place in model.lineage(of: index) {
        for unique in model.entities[place].uniques where !uniques.contains(unique) {
          if let count = facts.duplicates[place]?[unique] {
            let names = unique.joined(separator: ", ")
            if place == index { note(.duplicates, index, names, count: count) }
          } else if store.columns(of: unique, place) != nil {
            uniques.append(unique)
          }
        }
        for names in model.entities[place].indexes where !indexes.contains(names) {
          if store.columns(of: names, place) != nil { indexes.append(names) }
        }
      }
      let result = Entity(
        name: entity.name,
        parent: entity.parent.map { model.entities[$0].name },
        table: model.entities[entity.root].name,
        sharesTable: model.family(of: entity.root).count > 1,
        attributes: lineage.flatMap(\.attributes),
        relationships: lineage.flatMap(\.relationships),
        uniques: uniques,
        indexes: indexes,
        originalName: originalName(entity.renamingIdentifier, entity.name)
      )
      let sources = lineage.map(\.sources).reduce(into: [:]) {
        $0.merge($1, uniquingKeysWith: { first, _ in first })
      }
      return (result, sources)
    }
  }

  mutating func note(
    _ reason: Loosened.Reason,
    _ entity: Int,
    _ property: String,
    count: Int64 = 0
  ) {
    loosened.append(
      Loosened(
        entity: model.entities[entity].name,
        property: property,
        reason: reason,
        count: count
      )
    )
  }

  func originalName(_ identifier: String?, _ name: String) -> String? {
    guard let identifier, !identifier.isEmpty, identifier != name else { return nil }
    return identifier
  }

  // MARK: Attributes

  /// Assigns columns as our schema does: a name that the table needs for itself, or that differs from
  /// another only in case, gets underscores.
  private mutating func nameColumns(of index: Int) {
    let entity = model.entities[index]
    let names =
      entity.attributes.filter { !$0.isTransient }.map(\.name)
      + entity.relationships.filter { !$0.isTransient }.map(\.name)
    for name in names { columns[AppleProperty(index, name)] = take(name, entity.root) }
  }

  mutating func take(_ name: String, _ root: Int) -> String {
    var name = name
    while !taken[root, default: ["id", "_entity"]].insert(name.lowercased()).inserted {
      name += "_"
    }
    return name
  }

  private mutating func addAttributes(of index: Int) throws {
    for attribute in model.entities[index].attributes where !attribute.isTransient {
      let place = AppleProperty(index, attribute.name)
      let leaves = store.layout.attributes[place] ?? []
      let (type, source) = try form(of: attribute, columns: leaves, at: place)
      var isOptional = attribute.isOptional
      let nulls = facts.count(.missingValue, place)
      if nulls > 0 { note(.missingValue, index, attribute.name, count: nulls) }
      if leaves.contains(nil) || leaves.isEmpty { note(.missingColumn, index, attribute.name) }
      if nulls > 0 || source == .missing { isOptional = true }
      declared[index].sources[attribute.name] = source
      declared[index].attributes.append(
        Attribute(
          name: attribute.name,
          column: columns[place],
          type: type,
          isOptional: isOptional,
          originalName: originalName(attribute.renamingIdentifier, attribute.name),
          preservesValueOnDeletion: attribute.preservesValueOnDeletion,
          isExternal: attribute.isExternal
        )
      )
    }
  }

  private func form(
    of attribute: AppleAttribute,
    columns: [String?],
    at place: AppleProperty
  ) throws -> (ValueType, ColumnSource<String>) {
    if attribute.kind == .composite {
      guard attribute.isRawValue, let leaf = attribute.elements.first else {
        guard columns.contains(where: { $0 != nil }) else { return (.json, .missing) }
        return (.json, .composite(attribute, columns: columns))
      }
      // The width of a raw value's integer is not known.
      let isInteger = [.int16, .int32, .int64].contains(leaf.kind)
      let type: ValueType = isInteger ? .int64 : leaf.kind.valueType
      guard let column = columns.first.flatMap({ $0 }) else { return (type, .missing) }
      return (type, .plain(column: column, isInteger ? .int64 : leaf.kind))
    }
    let type = attribute.kind.valueType
    guard let column = columns.first.flatMap({ $0 }) else { return (type, .missing) }
    if attribute.isExternal, [.binary, .transformable].contains(attribute.kind) {
      return (type, .external(column: column))
    }
    if attribute.kind == .transformable {
      let isJSON = try isJSON(attribute, column, at: place)
      return (isJSON ? .json : type, .transformed(column: column, isJSON: isJSON))
    }
    return (type, .plain(column: column, attribute.kind))
  }

  /// Whether all values of a transformable attribute are archives that are JSON too.
  private func isJSON(
    _ attribute: AppleAttribute,
    _ column: String,
    at place: AppleProperty
  ) throws -> Bool {
    let usual = [
      "", "NSSecureUnarchiveFromData", "NSKeyedUnarchiveFromData", "NSUnarchiveFromData",
    ]
    guard usual.contains(attribute.transformer ?? ""),
      let table = store.layout.table(of: model.entities[place.entity].root)
    else { return false }
    let rows = try store.connection.prepare(
      """
      SELECT \(quoted(column)) FROM \(quoted(table.name))
      WHERE \(quoted(column)) IS NOT NULL AND \(model.condition("Z_ENT", isKind: place.entity))
      """
    )
    var isEmpty = true
    while try rows.step() {
      isEmpty = false
      guard rows.type(at: 0) == .blob, archivedJSON(rows.bytes(at: 0)) != nil else { return false }
    }
    let isList = ["NSArray", "NSDictionary"].contains(attribute.valueClass ?? "")
    return !isEmpty || attribute.transformer == "NSSecureUnarchiveFromData" && isList
  }
}
