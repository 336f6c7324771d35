import Format

/// A rule of the model that the file breaks, so the schema does not have it.
package struct Loosened: Hashable, Codable, Sendable {
  package enum Reason: String, Hashable, Codable, Sendable, CaseIterable {
    /// Objects without a required value; the property is optional in the schema.
    case missingValue
    /// Objects that refer to a missing object; the property is an attribute with the id.
    case missingDestination
    /// Objects that refer to an object of another entity; the property is an attribute with the id.
    case otherEntity
    /// Objects that refer to an object which does not refer back; both sides are references without
    /// an inverse.
    case oneSided
    /// Objects with the same values; they are not unique in the schema.
    case duplicates
    /// Links of a many-to-many relationship to missing objects.
    case missingLink
    /// A column or a table that the file does not have; all values are null.
    case missingColumn
    /// The places in an ordered many-to-many relationship, which the schema can't express.
    case lostOrder
  }

  package let entity: String
  package let property: String
  package let reason: Reason
  /// The number of objects or links; zero if the reason is not about some of them.
  package let count: Int64

  /// The rule in words.
  package var text: String {
    let name = "\(entity).\(property)"
    let objects = countText(Int(count), noun: "object")
    return switch reason {
    case .missingValue: "\(name) is optional, because \(objects) lack a value"
    case .missingDestination: "\(name) is an id, because \(objects) refer to missing objects"
    case .otherEntity: "\(name) is an id, because \(objects) refer to another entity"
    case .oneSided: "\(name) has no inverse, because \(objects) are referred to on one side only"
    case .duplicates: "\(name) is not unique, because \(objects) have the same values"
    case .missingLink: "\(name) has \(countText(Int(count), noun: "link")) to missing objects"
    case .missingColumn: "\(name) has no values, because the file has no column for it"
    case .lostOrder: "\(name) has no order"
    }
  }
}
