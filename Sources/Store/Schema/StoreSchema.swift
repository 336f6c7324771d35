/// The shape of a store with no model class in sight: what the catalog keeps, one per version.
///
/// A schema is resolved before it comes here: every relationship knows its inverse and where it
/// is kept, and every attribute knows its column.
public struct StoreSchema: Codable, Hashable, Sendable {
  /// The version that the application gave it, such as `1.0.0`.
  public var version: String
  /// All entities, sorted by name.
  public var entities: [Entity]

  /// Makes a schema of resolved entities.
  public init(version: String, entities: [Entity]) {
    self.version = version
    self.entities = entities.sorted { $0.name < $1.name }
  }

  /// The entity of that name.
  public subscript(name: String) -> Entity? { entities.first { $0.name == name } }
}

/// One kind of object: a table, or the rows of one kind in the table of its root entity.
public struct Entity: Codable, Hashable, Sendable {
  /// The simple name of the model class.
  public var name: String
  /// The entity that this one inherits from; both live in the table of the topmost one.
  public var parent: String?
  /// The table that holds its rows: the name of the topmost entity.
  public var table: String
  /// True where the table is shared, and its `_entity` column tells which entity a row is.
  public var sharesTable: Bool
  /// Its own and its inherited attributes, the inherited ones first.
  public var attributes: [Attribute]
  /// Its own and its inherited relationships, the inherited ones first.
  public var relationships: [Relationship]
  /// Sets of property names whose values, taken together, name one object.
  public var uniques: [[String]]
  /// Sets of property names that are indexed for queries.
  public var indexes: [[String]]
  /// The name in the schema version before this one.
  public var originalName: String?

  /// Describes an entity; its table is its own unless one is named.
  public init(
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
public struct Attribute: Codable, Hashable, Sendable {
  /// Its name in the model.
  public var name: String
  /// The column, which is the name unless that is taken (`id` is kept in `id_`).
  public var column: String
  /// What kind of value it has, which says how a column and a log hold it.
  public var type: ValueType
  /// True where it may have no value.
  public var isOptional: Bool
  /// The name in the schema version before this one.
  public var originalName: String?
  /// What a row that has no value gets in a migration, in stored form.
  public var defaultValue: Value?
  /// Kept in the tombstone when the object is deleted.
  public var preservesValueOnDeletion: Bool
  /// Kept in a file beside the store when it is large.
  public var isExternal: Bool

  /// Describes an attribute; its column has its name unless another is given.
  public init(
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
}

/// What happens to the objects that a deleted object points at.
public enum DeleteRule: String, Codable, Hashable, Sendable {
  case noAction, nullify, cascade, deny
}

/// A reference from one entity to another, or to itself.
public struct Relationship: Codable, Hashable, Sendable {
  /// Where the links of a relationship are kept.
  public enum Storage: Codable, Hashable, Sendable {
    /// A column of this entity's own table holds the id of the one destination.
    case column(String)
    /// A column of the destination's table holds the id of the one owner; so it is for a to-many
    /// relationship, and for one side of a pair of to-one relationships.
    case inverseColumn(String)
    /// A table of pairs; `source` is the column with ids of this entity.
    case joinTable(String, source: String, target: String)
  }

  /// Its name in the model.
  public var name: String
  /// The entity that it leads to.
  public var destination: String
  /// True where it leads to any number of objects.
  public var isToMany: Bool
  /// True where it may lead nowhere.
  public var isOptional: Bool
  /// The name of the relationship that leads back, if there is one.
  public var inverse: String?
  /// Where its links are kept.
  public var storage: Storage
  /// What its destination undergoes when the owner is deleted.
  public var deleteRule: DeleteRule
  /// The fewest objects it may hold.
  public var minimumCount: Int
  /// The most objects it may hold; zero means any number.
  public var maximumCount: Int
  /// The name in the schema version before this one.
  public var originalName: String?
  /// True for a column that no model declares: it holds the owner of an object that a to-many
  /// relationship without an inverse leads to.
  public var isHidden: Bool

  /// Describes a relationship; what is not said is as a model that says nothing has it.
  public init(
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
