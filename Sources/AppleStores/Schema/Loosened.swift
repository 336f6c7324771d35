/// A rule of the model that the file breaks, so the schema does not have it.
package struct Loosened: Hashable, Sendable {
  package enum Reason: String, Hashable, Sendable, CaseIterable {
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
}
