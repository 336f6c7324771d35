/// The table and columns of one entity, with names quoted for SQL.
package struct EntityLayout: Sendable {
  package struct Column: Sendable {
    package enum Content: Hashable, Sendable {
      /// The attribute at this index in ``Entity/attributes``.
      case attribute(Int)
      /// The id of the object to which the to-one relationship at this index in
      /// ``Entity/relationships`` refers.
      case relationship(Int)
    }

    package let name: String
    /// The name of the column, quoted for SQL.
    package let quoted: String
    package let property: String
    package let logName: String
    package let content: Content
    /// The type of an attribute; nil for a relationship, whose column contains an id.
    package let type: ValueType?
    package let isOptional: Bool
    /// Whether large values are kept in blob files.
    package let isExternal: Bool
    package let destination: EntityIndex?
  }

  package let index: EntityIndex
  package let entity: Entity
  /// The quoted name of the table.
  package let table: String
  /// The attributes in the order of ``Entity/attributes``, then the to-one relationships that
  /// have a column, in the order of ``Entity/relationships``.
  package let columns: [Column]
  /// The quoted names of the columns, with commas between them.
  package let columnList: String
  /// The entity, and then all entities that inherit from it.
  package let family: [EntityIndex]
  /// The entity's parent, the parent's parent and so on.
  package let ancestors: [EntityIndex]

  /// Whether the table also has rows of other entities.
  ///
  /// The `_entity` column of a shared table names the entity of each row.
  package var sharesTable: Bool { entity.sharesTable }

  /// The SQL condition that selects the rows of the entity and of the entities that inherit from
  /// it; nil if the table has no other rows.
  package let condition: String?

  /// The names of many-to-many relationships in history and logs, by property name.
  package let linkNames: [String: String]

  package func column(of property: String) -> ColumnIndex? {
    columns.firstIndex { $0.property == property }.map { ColumnIndex($0) }
  }

  /// The value that an id contains for a column, which is so known even if the value was erased; nil
  /// if the column is not a part of the key.
  package func keyValue(at column: Int, of id: ObjectID) -> Value? {
    guard let key = entity.identity?.columns,
      let place = key.firstIndex(of: columns[column].property)
    else { return nil }
    switch RowName(id).identity {
    case .integer(let number) where key.count == 1: return .integer(number)
    case .key(let values) where values.count == key.count: return values[place]
    default: return nil
    }
  }
}

extension StoreSchema {
  /// The index of an entity; nil if the schema does not have it.
  package func index(of entity: String) -> EntityIndex? {
    entities.firstIndex { $0.name == entity }.map { EntityIndex($0) }
  }

  private static let recentLayouts = Recent<StoreSchema, [EntityLayout]> { $0.isCopy(of: $1) }

  /// The layouts in the order of ``entities``.
  package func layouts() throws -> [EntityLayout] {
    try Self.recentLayouts.value(of: self, layOut)
  }

  /// The maximum number of entities from which an entity can inherit.
  ///
  /// The time and memory for the layouts grow with this number, and a schema can come from an
  /// unknown person's log.
  package static let mostAncestors = 64

  private func layOut() throws -> [EntityLayout] {
    var places: [String: EntityIndex] = [:]
    for (index, entity) in entities.enumerated()
    where places.updateValue(EntityIndex(index), forKey: entity.name) != nil {
      throw StoreError(.invalidSchema) {
        "The schema has two entities named \(entity.name).\nRename one of them."
      }
    }
    let ancestors = try entities.map { try chain(from: $0, places: places) }
    var families = entities.indices.map { [EntityIndex($0)] }
    for (index, chain) in ancestors.enumerated() {
      for ancestor in chain { families[ancestor].append(EntityIndex(index)) }
    }
    let logNames = logNames(ancestors: ancestors)
    return try entities.indices.map { index in
      try layout(
        of: EntityIndex(index),
        places: places,
        ancestors: ancestors[index],
        family: families[index],
        logNames: logNames[index]
      )
    }
  }

  private func chain(
    from entity: Entity,
    places: [String: EntityIndex]
  ) throws -> [EntityIndex] {
    var result: [EntityIndex] = []
    var next = entity.parent
    while let name = next {
      guard let index = places[name] else {
        throw missingEntity(name, neededBy: entity.name)
      }
      guard !result.contains(index) else {
        throw StoreError(.invalidSchema) {
          "The entity \(name) is its own ancestor.\nGive it another parent, or none."
        }
      }
      guard result.count < Self.mostAncestors else {
        throw StoreError(.invalidSchema) {
          "The entity \(entity.name) inherits from more than \(Self.mostAncestors) entities, one"
            + " from the other; the limit is \(Self.mostAncestors)."
            + "\nGive it a parent that inherits from fewer entities."
        }
      }
      result.append(index)
      next = entities[index].parent
    }
    return result
  }

  private func layout(
    of index: EntityIndex,
    places: [String: EntityIndex],
    ancestors: [EntityIndex],
    family: [EntityIndex],
    logNames: [String: String]
  ) throws -> EntityLayout {
    let entity = entities[index]
    var columns = entity.attributes.enumerated().map { position, attribute in
      EntityLayout.Column(
        name: attribute.column,
        quoted: quoted(attribute.column),
        property: attribute.name,
        logName: logNames[attribute.name] ?? attribute.name,
        content: .attribute(position),
        type: attribute.type,
        isOptional: attribute.isOptional,
        isExternal: attribute.isExternal,
        destination: nil
      )
    }
    for (position, relationship) in entity.relationships.enumerated() {
      guard let destination = places[relationship.destination] else {
        throw missingEntity(
          relationship.destination,
          neededBy: "\(entity.name).\(relationship.name)"
        )
      }
      guard case .column(let name) = relationship.storage else { continue }
      columns.append(
        EntityLayout.Column(
          name: name,
          quoted: quoted(name),
          property: relationship.name,
          logName: logNames[relationship.name] ?? relationship.name,
          content: .relationship(position),
          type: nil,
          isOptional: relationship.isOptional,
          isExternal: false,
          destination: destination
        )
      )
    }
    let links = Set(
      entity.relationships.lazy.filter {
        if case .joinTable = $0.storage { true } else { false }
      }.map(\.name)
    )
    return EntityLayout(
      index: index,
      entity: entity,
      table: quoted(entity.table),
      columns: columns,
      columnList: columns.map(\.quoted).joined(separator: ", "),
      family: family,
      ancestors: ancestors,
      condition: entity.parent == nil
        ? nil : isOne(of: family.map { entities[$0].name }, column: "\"_entity\""),
      linkNames: logNames.filter { links.contains($0.key) }
    )
  }
}

/// The SQL condition that the value of a column is one of some texts.
///
/// `IN` is used only for more texts than SQLite allows as terms: for three or more texts, SQLite
/// fills a temporary table in every execution, which takes longer than writing a row.
package func isOne(of texts: [String], column: String) -> String {
  guard texts.count <= 900 else {
    return "\(column) IN (\(texts.map { literal($0) }.joined(separator: ", ")))"
  }
  let terms = texts.map { "\(column) = \(literal($0))" }
  return terms.count == 1 ? terms[0] : "(\(terms.joined(separator: " OR ")))"
}

package func quoted(_ name: String) -> String {
  enclosed(name, in: UInt8(ascii: "\""))
}

/// A text without NUL as an SQL literal.
package func literal(_ text: String) -> String {
  enclosed(text, in: UInt8(ascii: "'"))
}

/// Puts a name or text in quotes.
///
/// The function works on bytes, because Swift reads a quote with a combining accent as one
/// character, and SQLite does not.
private func enclosed(_ text: String, in mark: UInt8) -> String {
  var result = [mark]
  for byte in text.utf8 {
    result.append(byte)
    if byte == mark { result.append(mark) }
  }
  result.append(mark)
  return String(decoding: result, as: UTF8.self)
}

private func missingEntity(_ name: String, neededBy user: String) -> StoreError {
  StoreError(.invalidSchema) {
    "\(user) refers to \(name), which is not in the schema.\nAdd \(name) to the schema."
  }
}
