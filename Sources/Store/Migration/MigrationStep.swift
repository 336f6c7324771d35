import Format

/// One step of a migration, for messages.
package enum MigrationStep: Hashable, Sendable {
  case addEntity(String)
  case removeEntity(String)
  case renameEntity(from: String, to: String)
  /// The rows of an entity move to the table of another family.
  case moveEntity(String, from: String, to: String)
  /// A family's table gets the column with the entity of each row, or no longer needs this column.
  case shareTable(String, isShared: Bool)
  /// Existing rows get the default value, or null.
  case addAttribute(entity: String, name: String, value: Value)
  case removeAttribute(entity: String, name: String)
  case renameAttribute(entity: String, from: String, to: String)
  case widenAttribute(entity: String, name: String, from: ValueType, to: ValueType)
  /// An attribute becomes required; rows without a value get the default.
  case requireAttribute(entity: String, name: String, value: Value)
  /// An attribute becomes optional.
  case relaxAttribute(entity: String, name: String)
  /// Large values of an attribute move from the table to blob files, or back.
  case storeAttribute(entity: String, name: String, isExternal: Bool)
  case addRelationship(entity: String, name: String)
  case removeRelationship(entity: String, name: String)
  case renameRelationship(entity: String, from: String, to: String)
  /// A relationship's links move from a join table to a column, or the other way.
  case storeRelationship(entity: String, name: String, isToMany: Bool)
  /// A to-one relationship becomes required or optional.
  case requireRelationship(entity: String, name: String, isRequired: Bool)
  case addUnique(entity: String, [String])
  case removeUnique(entity: String, [String])
  case addIndex(entity: String, [String])
  case removeIndex(entity: String, [String])
}

extension MigrationStep: CustomStringConvertible {
  package var description: String {
    switch self {
    case .addEntity(let entity): "add \(entity)"
    case .removeEntity(let entity): "remove \(entity) with all its rows"
    case .renameEntity(let old, let new): "rename \(old) to \(new)"
    case .moveEntity(let entity, let old, let new):
      "move the rows of \(entity) from the table \(old) to the table \(new)"
    case .shareTable(let table, let isShared):
      isShared
        ? "let the table \(table) hold rows of several entities"
        : "let the table \(table) hold rows of one entity only"
    case .addAttribute(let entity, let name, let value):
      "add \(entity).\(name)\(value == .null ? "" : ", \(words(value)) in existing rows")"
    case .removeAttribute(let entity, let name), .removeRelationship(let entity, let name):
      "remove \(entity).\(name)"
    case .renameAttribute(let entity, let old, let new),
      .renameRelationship(let entity, let old, let new):
      "rename \(entity).\(old) to \(new)"
    case .widenAttribute(let entity, let name, let old, let new):
      "widen \(entity).\(name) from \(old.rawValue) to \(new.rawValue)"
    case .requireAttribute(let entity, let name, let value):
      "make \(entity).\(name) required"
        + (value == .null ? "" : ", \(words(value)) in rows without a value")
    case .relaxAttribute(let entity, let name): "make \(entity).\(name) optional"
    case .storeAttribute(let entity, let name, let isExternal):
      "keep large values of \(entity).\(name) \(isExternal ? "beside" : "in") the store's file"
    case .addRelationship(let entity, let name): "add \(entity).\(name)"
    case .storeRelationship(let entity, let name, let isToMany):
      "make \(entity).\(name) refer to \(isToMany ? "many objects" : "one object"), with the existing links"
    case .requireRelationship(let entity, let name, let isRequired):
      "make \(entity).\(name) \(isRequired ? "required" : "optional")"
    case .addUnique(let entity, let names):
      "make \(names.joined(separator: ", ")) of \(entity) unique"
    case .removeUnique(let entity, let names):
      "let \(names.joined(separator: ", ")) of \(entity) be anything, no longer unique"
    case .addIndex(let entity, let names):
      "index \(names.joined(separator: ", ")) of \(entity)"
    case .removeIndex(let entity, let names):
      "drop the index on \(names.joined(separator: ", ")) of \(entity)"
    }
  }
}

/// The text of a value in a message, shortened if it is long.
func words(_ value: Value) -> String {
  func short(_ text: String) -> String {
    text.count > 40 ? "\(text.prefix(40))…" : text
  }
  switch value {
  case .null: return "nothing"
  case .integer(let number): return String(number)
  case .real(let number): return String(number)
  case .text(let text): return "'\(short(text))'"
  case .blob(let data), .brokenText(let data): return countText(data.count, noun: "byte")
  }
}
