/// The entities, attributes and relationships of a store, independent of model classes.
///
/// The catalog has one schema for each version.
///
/// The schema is resolved: every relationship has its inverse and its storage, and every attribute
/// has its column.
package struct StoreSchema: Codable, Hashable, Sendable {
  /// The version that the application chose, such as `1.0.0`.
  package var version: String
  /// All entities, sorted by name.
  package var entities: [Entity]
  /// The tables, indexes, views and triggers of an adopted database, in the order of their
  /// creation; nil for a store of the library.
  package var adopted: [SchemaObject]?
  /// The encoding of the texts in an adopted database; nil for UTF-8.
  package var encoding: TextEncoding?
  /// The program's `user_version` in an adopted database; nil for zero.
  package var userVersion: Int32?
  /// The program's `application_id` in an adopted database; nil for zero.
  package var applicationID: Int32?
  /// The highest ids in an adopted database at the time when the schema was recorded; nil if there
  /// are none.
  package var sequences: [TableSequence]?
  /// The tables and columns of an adopted database that are left out; nil if there are none.
  package var leftOut: [LeftOut]?

  /// The tables whose rows are recorded again under this schema, because they may have changed
  /// while their triggers were missing.
  package var replaced: [String]?
  /// Whether the schema only carries the changes of a migration of an adopted file; nil for other
  /// schemas.
  ///
  /// The changed tables have the columns from before and after the migration, and no constraints.
  package var isTransitional: Bool?

  /// Whether the history of the origin has no values, so that some values in changes are unknown; nil
  /// for other schemas.
  package var hasUnknownValues: Bool?

  package var isAdopted: Bool { adopted != nil }

  /// Creates a schema of resolved entities.
  package init(
    version: String,
    entities: [Entity],
    adopted: [SchemaObject]? = nil,
    encoding: TextEncoding? = nil
  ) {
    self.version = version
    self.adopted = adopted
    self.encoding = encoding
    self.entities = entities.sorted { $0.name < $1.name }
  }

  package subscript(name: String) -> Entity? { entities.first { $0.name == name } }
}

/// One kind of object: a table, or some of the rows in the table of its root entity.
package struct Entity: Codable, Hashable, Sendable {
  /// The simple name of the model class.
  package var name: String
  /// The entity from which this entity inherits.
  ///
  /// An entity and its parent use the table of the topmost entity.
  package var parent: String?
  /// The name of the entity's table, which is the name of the topmost entity.
  package var table: String
  /// Whether other entities use the table of this entity.
  ///
  /// The `_entity` column of a shared table names the entity of each row.
  package var sharesTable: Bool
  /// All attributes of the entity: first the inherited attributes, then its own.
  package var attributes: [Attribute]
  /// All relationships of the entity: first the inherited relationships, then its own.
  package var relationships: [Relationship]
  /// Sets of property names whose combined values must be unique.
  package var uniques: [[String]]
  /// Sets of property names that are indexed for queries.
  package var indexes: [[String]]
  /// The name of the entity in the schema version before this one.
  package var originalName: String?
  /// The identity of the rows of an adopted table; nil for a table of the library, whose rows have
  /// ids.
  package var identity: RowIdentity?
  /// The columns of an adopted table that are left out; nil if there are none.
  package var leftOutColumns: [LeftOutColumn]?

  /// Creates an entity.
  ///
  /// The table has the name of the entity unless another name is given.
  package init(
    name: String,
    parent: String? = nil,
    table: String? = nil,
    sharesTable: Bool = false,
    attributes: [Attribute] = [],
    relationships: [Relationship] = [],
    uniques: [[String]] = [],
    indexes: [[String]] = [],
    originalName: String? = nil,
    identity: RowIdentity? = nil,
    leftOutColumns: [LeftOutColumn]? = nil
  ) {
    self.identity = identity
    self.leftOutColumns = leftOutColumns
    self.name = name
    self.parent = parent
    self.table = table ?? name
    self.sharesTable = sharesTable
    self.attributes = attributes
    self.relationships = relationships
    self.uniques = uniques
    self.indexes = indexes
    self.originalName = originalName
  }
}

/// A property that has a value.
package struct Attribute: Codable, Hashable, Sendable {
  package var name: String
  /// The name of the column: the name of the attribute, or another name if this name is already
  /// used.
  ///
  /// For example, the attribute `id` is in the column `id_`.
  package var column: String
  /// The type of the value, which defines its form in columns and logs.
  package var type: ValueType
  /// Whether the value may be missing.
  package var isOptional: Bool
  /// The name of the attribute in the schema version before this one.
  package var originalName: String?
  /// The value that a migration stores in rows without a value.
  package var defaultValue: Value?
  package var preservesValueOnDeletion: Bool
  /// Whether large values are kept in blob files.
  package var isExternal: Bool
  /// Whether SQLite computes the value.
  ///
  /// Replaying a row must not write a value that SQLite computes.
  package var isGenerated: Bool?

  /// Creates an attribute.
  ///
  /// The column has the name of the attribute unless another name is given.
  package init(
    name: String,
    column: String? = nil,
    type: ValueType,
    isOptional: Bool = false,
    originalName: String? = nil,
    defaultValue: Value? = nil,
    preservesValueOnDeletion: Bool = false,
    isExternal: Bool = false,
    isGenerated: Bool? = nil
  ) {
    self.isGenerated = isGenerated
    self.name = name
    self.column = column ?? name
    self.type = type
    self.isOptional = isOptional
    self.originalName = originalName
    self.defaultValue = defaultValue
    self.preservesValueOnDeletion = preservesValueOnDeletion
    self.isExternal = isExternal
  }

  /// Whether two attributes are stored in the same way.
  ///
  /// Default values are not compared, because a default such as `UUID()` differs in each run of a
  /// program.
  package static func == (left: Attribute, right: Attribute) -> Bool {
    left.name == right.name && left.column == right.column && left.type == right.type
      && left.isOptional == right.isOptional && left.originalName == right.originalName
      && left.preservesValueOnDeletion == right.preservesValueOnDeletion
      && left.isExternal == right.isExternal
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

package enum DeleteRule: String, Codable, Hashable, Sendable {
  case noAction, nullify, cascade, deny
}

/// A reference from one entity to another, or to itself.
package struct Relationship: Codable, Hashable, Sendable {
  package enum Storage: Codable, Hashable, Sendable {
    /// A column of this entity's table contains the id of the destination object.
    case column(String)
    /// A column of the destination's table contains the id of the owner.
    ///
    /// This is the storage of a to-many relationship, and of one side of a pair of to-one
    /// relationships.
    case inverseColumn(String)
    /// A table of pairs; `source` is the column with the ids of this entity's objects.
    case joinTable(String, source: String, target: String)
  }

  package var name: String
  package var destination: String
  package var isToMany: Bool
  /// Whether the relationship may be empty.
  package var isOptional: Bool
  /// The name of the inverse relationship; nil if there is none.
  package var inverse: String?
  package var storage: Storage
  package var deleteRule: DeleteRule
  /// The minimum number of objects to which the relationship refers.
  package var minimumCount: Int
  /// The maximum number of objects to which the relationship refers; zero for no limit.
  package var maximumCount: Int
  /// The name of the relationship in the previous version of the schema.
  package var originalName: String?
  /// Whether the relationship has a column, but is not in the model.
  ///
  /// A to-many relationship without an inverse needs such a column in the table of its destination:
  /// the column contains the id of the owner.
  package var isHidden: Bool

  /// Creates a relationship.
  ///
  /// The default arguments are for values that the model does not specify.
  package init(
    name: String,
    destination: String,
    isToMany: Bool,
    isOptional: Bool = true,
    inverse: String? = nil,
    storage: Storage,
    deleteRule: DeleteRule = .nullify,
    minimumCount: Int = 0,
    maximumCount: Int = 0,
    originalName: String? = nil,
    isHidden: Bool = false
  ) {
    self.name = name
    self.destination = destination
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.inverse = inverse
    self.storage = storage
    self.deleteRule = deleteRule
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount
    self.originalName = originalName
    self.isHidden = isHidden
  }
}
