/// The shape of a store with no model class in sight: what the catalog keeps, one per version.
///
/// A schema is resolved before it comes here: every relationship knows its inverse and where it
/// is kept, and every attribute knows its column.
package struct StoreSchema: Codable, Hashable, Sendable {
  /// The version that the application gave it, such as `1.0.0`.
  package var version: String
  /// All entities, sorted by name.
  package var entities: [Entity]

  /// Makes a schema of resolved entities.
  package init(version: String, entities: [Entity]) {
    self.version = version
    self.entities = entities.sorted { $0.name < $1.name }
  }

  /// The entity of that name.
  package subscript(name: String) -> Entity? { entities.first { $0.name == name } }
}

/// One kind of object: a table, or the rows of one kind in the table of its root entity.
package struct Entity: Codable, Hashable, Sendable {
  /// The simple name of the model class.
  package var name: String
  /// The entity that this one inherits from; both live in the table of the topmost one.
  package var parent: String?
  /// The table that holds its rows: the name of the topmost entity.
  package var table: String
  /// Whether the table is shared, and its `_entity` column tells which entity a row is.
  package var sharesTable: Bool
  /// Its own and its inherited attributes, the inherited ones first.
  package var attributes: [Attribute]
  /// Its own and its inherited relationships, the inherited ones first.
  package var relationships: [Relationship]
  /// Sets of property names whose values, taken together, name one object.
  package var uniques: [[String]]
  /// Sets of property names that are indexed for queries.
  package var indexes: [[String]]
  /// The name in the schema version before this one.
  package var originalName: String?

  /// Describes an entity; its table is its own unless one is named.
  package init(
    name: String,
    parent: String? = nil,
    table: String? = nil,
    sharesTable: Bool = false,
    attributes: [Attribute] = [],
    relationships: [Relationship] = [],
    uniques: [[String]] = [],
    indexes: [[String]] = [],
    originalName: String? = nil
  ) {
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

/// One value that an object has.
package struct Attribute: Codable, Hashable, Sendable {
  /// Its name in the model.
  package var name: String
  /// The column, which is the name unless that is taken (`id` is kept in `id_`).
  package var column: String
  /// What kind of value it has, which says how a column and a log hold it.
  package var type: ValueType
  /// Whether it may have no value.
  package var isOptional: Bool
  /// The name in the schema version before this one.
  package var originalName: String?
  /// What a row that has no value gets in a migration, in stored form.
  package var defaultValue: Value?
  /// Kept in the tombstone when the object is deleted.
  package var preservesValueOnDeletion: Bool
  /// Kept in a file beside the store when it is large.
  package var isExternal: Bool

  /// Describes an attribute; its column has its name unless another is given.
  package init(
    name: String,
    column: String? = nil,
    type: ValueType,
    isOptional: Bool = false,
    originalName: String? = nil,
    defaultValue: Value? = nil,
    preservesValueOnDeletion: Bool = false,
    isExternal: Bool = false
  ) {
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
  /// Their default values do not count: a default such as `UUID()` differs in each run of a program.
  package static func == (left: Attribute, right: Attribute) -> Bool {
    left.name == right.name && left.column == right.column && left.type == right.type
      && left.isOptional == right.isOptional && left.originalName == right.originalName
      && left.preservesValueOnDeletion == right.preservesValueOnDeletion
      && left.isExternal == right.isExternal
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// What happens to the objects that a deleted object points at.
package enum DeleteRule: String, Codable, Hashable, Sendable {
  case noAction, nullify, cascade, deny
}

/// A reference from one entity to another, or to itself.
package struct Relationship: Codable, Hashable, Sendable {
  /// Where the links of a relationship are kept.
  package enum Storage: Codable, Hashable, Sendable {
    /// A column of this entity's own table holds the id of the one destination.
    case column(String)
    /// A column of the destination's table holds the id of the one owner; so it is for a to-many
    /// relationship, and for one side of a pair of to-one relationships.
    case inverseColumn(String)
    /// A table of pairs; `source` is the column with ids of this entity.
    case joinTable(String, source: String, target: String)
  }

  /// Its name in the model.
  package var name: String
  /// The entity that it leads to.
  package var destination: String
  /// Whether it leads to any number of objects.
  package var isToMany: Bool
  /// Whether it may lead nowhere.
  package var isOptional: Bool
  /// The name of the relationship that leads back, if there is one.
  package var inverse: String?
  /// Where its links are kept.
  package var storage: Storage
  /// What its destination undergoes when the owner is deleted.
  package var deleteRule: DeleteRule
  /// The fewest objects it may hold.
  package var minimumCount: Int
  /// The most objects it may hold; zero means any number.
  package var maximumCount: Int
  /// The name in the schema version before this one.
  package var originalName: String?
  /// True for a column that no model declares: it holds the owner of an object that a to-many
  /// relationship without an inverse leads to.
  package var isHidden: Bool

  /// Describes a relationship; what is not said is as a model that says nothing has it.
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
