/// The observers of an object; the accessors that macros generate notify them.
///
/// Applications do not use this type. An object without observers allocates no memory for them.
public struct _ModelObservers {
  let state: _ModelState

  /// Records that an observer reads a property.
  public func access<Model: Observable, Member>(
    _ model: Model,
    keyPath: KeyPath<Model, Member>
  ) {
    state.madeRegistrar().access(model, keyPath: keyPath)
  }

  /// Performs a change and notifies the observers of the property.
  public func withMutation<Model: Observable, Member, Result>(
    of model: Model,
    keyPath: @autoclosure () -> KeyPath<Model, Member>,
    _ change: () throws -> Result
  ) rethrows -> Result {
    guard let registrar = state.usedRegistrar else { return try change() }
    return try registrar.withMutation(of: model, keyPath: keyPath(), change)
  }
}

extension _ModelState {
  /// The observers of the object; the accessors of its class and of all superclasses use these
  /// observers.
  public var registrar: _ModelObservers { _ModelObservers(state: self) }

  func madeRegistrar() -> ObservationRegistrar {
    if let usedRegistrar { return usedRegistrar }
    let registrar = ObservationRegistrar()
    usedRegistrar = registrar
    return registrar
  }
}
