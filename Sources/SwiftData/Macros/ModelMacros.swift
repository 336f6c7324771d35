/// Makes a class one whose objects a store keeps.
///
/// All stored properties that are not marked ``Transient()`` are kept.
///
/// ```swift
/// @Model final class Trip {
///   var name: String
///   var startDate = Date.now
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

/// Says how an attribute is stored: which options it has, and by what name earlier versions of the
/// schema knew it.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributeMacro")

/// Says how a relationship behaves: what deleting an object does to those that it leads to, and
/// which relationship leads back.
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

/// Keeps a property out of the store. It needs a default value.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "TransientMacro")

/// Names sets of properties whose values, taken together, no two objects share: inserting an object
/// that has them updates the one that is there.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "UniqueMacro")

/// Names sets of properties that are indexed, so that fetches that filter or sort by them are fast.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Names sets of properties that are indexed, with the kind of each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Gives an actor a context of its own, and the executor that guards it.
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
