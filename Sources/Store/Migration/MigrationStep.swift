import Changes

/// One thing that a migration does, for people to read.
package enum MigrationStep: Hashable, Sendable {
  /// An entity comes, with no rows.
  case addEntity(String)
  /// An entity goes, with its rows.
  case removeEntity(String)
  /// An entity gets another name.
  case renameEntity(from: String, to: String)
  /// Rows of an entity get another family, and so another table.
  case moveEntity(String, from: String, to: String)
  /// The table of a family gets or loses the column that tells entities apart.
  case shareTable(String, isShared: Bool)
  /// An attribute comes; rows that are there get the default value, or null.
  case addAttribute(entity: String, name: String, value: Value)
  /// An attribute goes, with its values.
  case removeAttribute(entity: String, name: String)
  /// An attribute gets another name.
  case renameAttribute(entity: String, from: String, to: String)
  /// An attribute gets a wider type.
  case widenAttribute(entity: String, name: String, from: ValueType, to: ValueType)
  /// An attribute must have a value from now on; rows without one get the default.
  case requireAttribute(entity: String, name: String, value: Value)
  /// An attribute may have no value from now on.
  case relaxAttribute(entity: String, name: String)
  /// An attribute's large values move out of the table, or back.
  case storeAttribute(entity: String, name: String, isExternal: Bool)
  /// A relationship comes, with no links.
  case addRelationship(entity: String, name: String)
  /// A relationship goes, with its links.
  case removeRelationship(entity: String, name: String)
  /// A relationship gets another name.
  case renameRelationship(entity: String, from: String, to: String)
  /// A relationship keeps its links in another place.
  case storeRelationship(entity: String, name: String, isToMany: Bool)
  /// A to-one relationship must lead somewhere from now on, or need not.
  case requireRelationship(entity: String, name: String, isRequired: Bool)
  /// A set of properties becomes unique.
  case addUnique(entity: String, [String])
  /// A set of properties is no longer unique.
  case removeUnique(entity: String, [String])
  /// A set of properties is indexed.
  case addIndex(entity: String, [String])
  /// A set of properties is no longer indexed.
  case removeIndex(entity: String, [String])
}

extension MigrationStep: CustomStringConvertible {
  /// The step as a sentence without its full stop.
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
      "add \(entity).\(name)\(value == .null ? "" : ", \(words(value)) in rows that are there")"
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
      "make \(entity).\(name) lead to \(isToMany ? "many" : "one"), with the links that are there"
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

/// A value as a person reads it in a message, cut short when it is long.
func words(_ value: Value) -> String {
  func short(_ text: String) -> String {
    text.count > 40 ? "\(text.prefix(40))…" : text
  }
  switch value {
  case .null: return "nothing"
  case .integer(let number): return String(number)
  case .real(let number): return String(number)
  case .text(let text): return "'\(short(text))'"
  case .blob(let data), .brokenText(let data): return "\(data.count) bytes"
  }
}
