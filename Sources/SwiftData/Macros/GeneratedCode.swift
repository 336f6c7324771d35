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
