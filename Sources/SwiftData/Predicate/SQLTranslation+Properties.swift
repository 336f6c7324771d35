import Format
import Store

// The SQL of the properties of objects: columns, rows to which the objects refer, and rows that
// refer to the objects.
extension SQLTranslation {
  mutating func property(_ keyPath: AnyKeyPath, of object: SQLObject) throws -> SQLTerm {
    guard !object.isIdentifier else { return try identifierProperty(keyPath, of: object) }
    let model = object.entity.model
    if let property = model.property(for: keyPath) {
      return try self.property(property, of: object)
    }
    if let steps = keyPath.components, steps.count == 1,
      let property = model.property(for: steps[0])
    {
      return try self.property(property, of: object)
    }
    if isIdentity(keyPath, of: object.entity.model.type) {
      var identifier = object
      identifier.isIdentifier = true
      return .object(identifier)
    }
    throw NotTranslatable.property(
      "\(object.entity.name) … \(type(of: keyPath).valueType), a computed or transient property,"
    )
  }

  mutating func property(
    _ property: PropertyDescription,
    of object: SQLObject
  ) throws -> SQLTerm {
    switch property.kind {
    case .attribute(let codec): return try attribute(property, codec: codec, of: object)
    case .toOne: return .object(try toOne(property, of: object))
    case .toMany: return .collection(try toMany(property, of: object))
    case .unsupported: throw notStored(property, of: object)
    }
  }

  private func notStored(_ property: PropertyDescription, of object: SQLObject) -> NotTranslatable {
    .property("\(object.entity.name).\(property.name)")
  }

  private mutating func column(_ name: String, of object: SQLObject) -> SQLQuery {
    if let alias = object.alias { return "\(sql: alias).\(name: name)" }
    let alias = object.path?.steps.last?.alias ?? self.alias()
    let table = sources.table(object.entity.table)
    return """
      (SELECT \(sql: alias).\(name: name) FROM \(sql: table) AS \(sql: alias) \
      WHERE \(sql: alias).id = \(object.id))
      """
  }

  private mutating func attribute(
    _ property: PropertyDescription,
    codec: AttributeCodec,
    of object: SQLObject
  ) throws -> SQLTerm {
    guard let index = object.entity.columns[property.index] else {
      throw notStored(property, of: object)
    }
    let sql = column(object.entity.columnNames[index], of: object)
    let type = unwrappedType(property.valueType)
    let isNullable = codec.isOptional || object.isNullable
    let isCodable = property.attribute?.isCodable ?? false
    if codec.type == .json, !isCodable {
      return .document(
        SQLDocument(
          sql: sql,
          swiftType: type,
          isNullable: isNullable,
          strictIn: object.strictIn
        )
      )
    }
    // SQL can only test whether there is a value: a large value is in a file instead of the column,
    // and only its type can interpret an encoded value.
    let isEncoded = isCodable || codec.type == .transformed
    var scalar = SQLScalar(
      sql: sql,
      type: isEncoded || property.isExternal ? .transformed : codec.type,
      swiftType: isEncoded ? EncodedAttribute.self : type,
      isNullable: isNullable,
      strictIn: object.strictIn
    )
    if let path = object.path {
      if let last = path.steps.last {
        let column: SQLQuery = "\(sql: last.alias).\(name: object.entity.columnNames[index])"
        scalar.reach = SQLReach(path: path, column: column, isNullable: codec.isOptional)
      } else {
        let stored = object.entity.entity
        scalar.isIndexed = (stored.uniques + stored.indexes).contains { $0.first == property.name }
      }
    }
    return .scalar(scalar)
  }

  private func destination(
    of property: PropertyDescription,
    of object: SQLObject
  ) throws -> (StoredRelationship, EntityDescription) {
    guard let relationship = object.entity.relationships[property.index],
      let destination = map[relationship.destination]
    else { throw notStored(property, of: object) }
    return (relationship, destination)
  }

  private mutating func toOne(
    _ property: PropertyDescription,
    of object: SQLObject
  ) throws -> SQLObject {
    let (relationship, destination) = try destination(of: property, of: object)
    let id: SQLQuery
    var path: SQLPath?
    switch relationship.storage {
    case .column(let name):
      id = living(column(name, of: object), in: destination.table)
      path = step(name, of: object, to: destination)
    case .inverseColumn(let name):
      let alias = self.alias()
      let table = sources.table(destination.table)
      id = """
        (SELECT \(sql: alias).id FROM \(sql: table) AS \(sql: alias) \
        WHERE \(sql: alias).\(name: name) = \(object.id) ORDER BY \(sql: alias).id LIMIT 1)
        """
    case .joinTable: throw notStored(property, of: object)
    }
    return SQLObject(
      id: id,
      entity: destination,
      isNullable: property.isOptional || object.isNullable,
      strictIn: object.strictIn,
      path: path
    )
  }

  /// The id of a row; NULL if the row will be deleted.
  private func living(_ id: SQLQuery, in table: String) -> SQLQuery {
    guard let gone = sources.gone(table) else { return id }
    return "CASE WHEN \(id) NOT IN (SELECT id FROM \(sql: gone)) THEN \(id) END"
  }

  private mutating func step(
    _ column: String,
    of object: SQLObject,
    to destination: EntityDescription
  ) -> SQLPath? {
    guard var path = object.path, let alias = path.steps.last?.alias ?? object.alias else {
      return nil
    }
    let key: SQLQuery = "\(sql: alias).\(name: column)"
    path.steps.append(
      SQLPath.Step(
        key: key,
        id: living(key, in: destination.table),
        table: sources.table(destination.table),
        alias: self.alias()
      )
    )
    return path
  }

  private mutating func toMany(
    _ property: PropertyDescription,
    of object: SQLObject
  ) throws -> SQLCollection {
    let (relationship, destination) = try destination(of: property, of: object)
    let alias = self.alias()
    let table = sources.table(destination.table)
    let source: SQLQuery
    var condition: SQLQuery
    switch relationship.storage {
    case .inverseColumn(let name):
      source = "\(sql: table) AS \(sql: alias)"
      condition = "\(sql: alias).\(name: name) = \(object.id)"
    case .joinTable(let join, let from, let to):
      let link = self.alias()
      source = """
        \(sql: sources.table(join)) AS \(sql: link) JOIN \(sql: table) AS \(sql: alias) \
        ON \(sql: alias).id = \(sql: link).\(name: to)
        """
      condition = "\(sql: link).\(name: from) = \(object.id)"
    case .column: throw notStored(property, of: object)
    }
    if destination.model.parent != nil {
      condition = condition.and(isKind(destination, alias: alias))
    }
    let element = SQLObject(
      id: "\(sql: alias).id",
      entity: destination,
      alias: alias,
      isNullable: false
    )
    return SQLCollection(
      source: source,
      condition: condition,
      element: .object(element),
      presence: object.presence
    )
  }

  /// The condition that the entity of a row is this entity or inherits from it.
  func isKind(_ entity: EntityDescription, alias: String) -> SQLQuery {
    let names = map.family(of: entity).map { "\(bind: .text($0.name))" as SQLQuery }
    return "\(sql: alias).\"_entity\" IN (\(SQLQuery.joined(names, separator: ", ")))"
  }

  private func isIdentity(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> Bool {
    func compare<M: PersistentModel>(_: M.Type) -> Bool {
      // If a model declares a property `id`, the search for properties has already found it.
      let identifier: KeyPath<M, PersistentIdentifier> = \.id
      return keyPath == \M.persistentModelID || keyPath == identifier || keyPath == \M.id
    }
    return compare(type)
  }

  private mutating func identifierProperty(
    _ keyPath: AnyKeyPath,
    of object: SQLObject
  ) throws -> SQLTerm {
    guard keyPath == \PersistentIdentifier.entityName else {
      throw NotTranslatable.property("PersistentIdentifier … \(type(of: keyPath).valueType)")
    }
    var sql: SQLQuery = "\(bind: .text(object.entity.name))"
    if object.entity.entity.sharesTable {
      sql = column("_entity", of: object)
    } else if object.isNullable {
      sql = "CASE WHEN \(object.id) IS NOT NULL THEN \(sql) END"
    }
    return .scalar(
      SQLScalar(
        sql: sql,
        type: .string,
        swiftType: String.self,
        isNullable: object.isNullable
      )
    )
  }
}

/// A marker type for encoded values, so that no operation of their own type is translated to SQL.
private enum EncodedAttribute {}
