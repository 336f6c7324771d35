// What generated code refers to, beside the runtime itself. Nothing here is for applications.

/// Marks the topmost model class of a family: ``Model()`` tells by it whether a class inherits from
/// another model.
public protocol _ModelRoot {}

/// The registrar of a model's observers, by a name that no class of an application can hide.
public typealias _ObservationRegistrar = _ModelObservers

/// The list that a function gives, whichever actor the function is bound to.
///
/// A class's metadata is made of key paths, which can only be written on the actor that the class is
/// bound to, but be used as names anywhere.
public func _listed<Function>(_ function: Function) -> [Schema.PropertyMetadata] {
  unsafeBitCast(function, to: (() -> [Schema.PropertyMetadata]).self)()
}

/// Gives a persisted property its accessors, with the property's place in its class.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$observing_))
public macro _PersistedProperty(_ index: Int) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")
