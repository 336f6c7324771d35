/// Makes a class a model, whose objects can be stored.
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

/// Sets options of an attribute, and the name that it had in earlier versions of the schema.
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

/// Sets the delete rule of a relationship, and its inverse.
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

/// Excludes a property, which needs a default value, from the store.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "TransientMacro")

/// Names sets of properties whose values together are unique: inserting an object with values that
/// exist updates the existing object.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "UniqueMacro")

/// Names sets of properties with an index, for faster fetches; a class may have only one `#Index`.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Names sets of properties with an index; the kinds are the same on Linux.
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

// Declarations for generated code, in addition to the runtime. Applications do not use them.

/// Marks the root class of a family, from which ``Model()`` recognizes subclasses of models.
public protocol _ModelRoot {}

/// The registrar of a model's observers, under a name that no class of an application can shadow.
public typealias _ObservationRegistrar = _ModelObservers

/// The list that a function returns, regardless of the function's actor.
///
/// A class's metadata contains key paths, which can only be written on the class's actor but can be
/// used as names anywhere.
public func _listed<Function>(_ function: Function) -> [Schema.PropertyMetadata] {
  unsafeBitCast(function, to: (() -> [Schema.PropertyMetadata]).self)()
}

/// Adds accessors to a persisted property, with the property's index in its class.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$observing_))
public macro _PersistedProperty(_ index: Int) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")
