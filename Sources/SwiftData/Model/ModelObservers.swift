/// The observers of an object, which accessors from macros notify.
///
/// Not for use in applications. An object without observers allocates nothing and notifies nobody.
public struct _ModelObservers {
  let state: _ModelState

  /// Notes that a property is read.
  public func access<Model: Observable, Member>(
    _ model: Model,
    keyPath: KeyPath<Model, Member>
  ) {
    state.madeRegistrar().access(model, keyPath: keyPath)
  }

  /// Makes a change and notifies the observers of the property.
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
  /// The observers of the object.
  public var registrar: _ModelObservers { _ModelObservers(state: self) }

  func madeRegistrar() -> ObservationRegistrar {
    if let usedRegistrar { return usedRegistrar }
    let registrar = ObservationRegistrar()
    usedRegistrar = registrar
    return registrar
  }
}
