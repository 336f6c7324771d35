/// Turns a class into a model, whose objects can be stored.
///
/// All stored properties are persisted unless they are marked ``Transient()``.
///
/// ```swift
/// @Model final class Trip {
///   var name: String
///   @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
///   var bucketList: [BucketListItem] = []
///   init(name: String) { self.name = name }
/// }
/// ```
@attached(
  member,
  conformances: _ModelRoot,
  names: named(_$own),
  named(_$description),
  named(_$state),
  named(_$observationRegistrar),
  named(access),
  named(withMutation),
  named(Root),
  named(_$metadata),
  named(schemaMetadata),
  named(init)
)
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, _ModelRoot, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Sets the options of an attribute, and the attribute's name in earlier versions of the schema.
///
/// ```swift
/// @Model final class Hotel { @Attribute(.unique, originalName: "title") var name = "" }
/// ```
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributeMacro")

/// Sets the delete rule and the inverse of a relationship.
///
/// ```swift
/// @Model final class Week { @Relationship(deleteRule: .cascade) var days: [Day] = [] }
/// ```
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option...,
  deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0,
  maximumModelCount: Int? = 0,
  originalName: String? = nil,
  inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipMacro")

/// Excludes a property from the store; the property needs a default value.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "TransientMacro")

/// Declares sets of properties whose values together are unique: inserting an object with the
/// values of an existing object updates that object.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "UniqueMacro")

/// Declares indexes for faster fetches, each over a set of properties; a class may have only one
/// `#Index`.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Declares indexes of given kinds; on Linux, all kinds are the same.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Gives an actor its own context, and an executor that protects it.
///
/// ```swift
/// @ModelActor actor Importer {
///   func add(_ name: String) throws {
///     modelContext.insert(Trip(name: name))
///     try modelContext.save()
///   }
/// }
/// ```
@attached(
  member,
  names: named(modelExecutor),
  named(modelContainer),
  named(init)
)
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

// Declarations that generated code uses; applications do not use them.

/// A protocol that marks the root class of a family; ``Model()`` uses the mark to recognize
/// subclasses of models.
public protocol _ModelRoot {}

/// The registrar of a model's observers.
///
/// The code that macros write uses this name, because no class of an application can shadow the
/// name.
public typealias _ObservationRegistrar = _ModelObservers

/// Returns the list that a function returns, even if the function is isolated to an actor.
///
/// A class's metadata contains key paths. Key paths can only be written on the class's actor, but
/// they can be used as names on any thread.
public func _listed<Function>(_ function: Function) -> [Schema.PropertyMetadata] {
  unsafeBitCast(function, to: (() -> [Schema.PropertyMetadata]).self)()
}

// The metadata of a property with `@Attribute` chooses one of these overloads. The compiler shows the
// message of a deprecated one as a warning.

/// Returns the attribute of a property; only generated code uses it.
public func _attribute<Model, Value>(
  _ attribute: Schema.Attribute,
  of _: KeyPath<Model, Value>
) -> Schema.Attribute {
  attribute
}

/// Returns the attribute of a relationship, with a warning; only generated code uses it.
@available(
  *,
  deprecated,
  message: "this property is a relationship; use @Relationship instead of @Attribute"
)
public func _attribute<Model, Value: PersistentModel>(
  _ attribute: Schema.Attribute,
  of _: KeyPath<Model, Value>
) -> Schema.Attribute {
  attribute
}

/// Returns the attribute of an optional relationship, with a warning; only generated code uses it.
@available(
  *,
  deprecated,
  message: "this property is a relationship; use @Relationship instead of @Attribute"
)
public func _attribute<Model, Value: PersistentModel>(
  _ attribute: Schema.Attribute,
  of _: KeyPath<Model, Value?>
) -> Schema.Attribute {
  attribute
}

/// Returns the attribute of a to-many relationship, with a warning; only generated code uses it.
@available(
  *,
  deprecated,
  message: "this property is a relationship; use @Relationship instead of @Attribute"
)
public func _attribute<Model, Value: RelationshipCollection>(
  _ attribute: Schema.Attribute,
  of _: KeyPath<Model, Value>
) -> Schema.Attribute {
  attribute
}

/// Adds accessors to a persisted property; `index` is the position of the property in its class.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$observing_))
public macro _PersistedProperty(_ index: Int) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")
