/// Those who observe an object; the accessors that macros write tell them.
///
/// Not for use in applications. Nothing is allocated for an object that is only written, and its
/// changes are told to nobody.
public struct _ModelObservers {
  let state: _ModelState

  /// Notes that a property is read.
  public func access<Model: Observable, Member>(
    _ model: Model,
    keyPath: KeyPath<Model, Member>
  ) {
    state.madeRegistrar().access(model, keyPath: keyPath)
  }

  /// Makes a change that observers of the property learn of.
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
