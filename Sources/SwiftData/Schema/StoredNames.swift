import Changes
import Store

// The store's words for what Schema has words for too; `StoredAttribute` can't be written, as the
// module has a class of its own name.

/// An attribute as the store knows it.
typealias StoredAttribute = Attribute
/// A relationship as the store knows it.
typealias StoredRelationship = Relationship
/// An entity as the store knows it.
typealias StoredEntity = Entity
/// A delete rule as the store knows it.
typealias StoredDeleteRule = DeleteRule
