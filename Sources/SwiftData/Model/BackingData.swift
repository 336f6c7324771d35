/// An interface for providing in-memory storage for a persistent model.
public protocol BackingData<Model> {
  /// The class whose values these are.
  associatedtype Model: PersistentModel

  /// The identity of the object, once it has one.
  var persistentModelID: PersistentIdentifier? { get set }

  /// Makes storage for a new object of that class.
  init(for modelType: Model.Type)

  /// What the storage knows of its class.
  var metadata: Any { get }

  /// The state of an object of ours; nil if the storage is somebody else's.
  var _$state: _ModelState? { get }

  /// Reads a value by its key path.
  func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value

  /// Writes a value by its key path.
  mutating func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value)
}

extension BackingData {
  /// Nothing, for storage that is not ours.
  public var _$state: _ModelState? { nil }
}

/// The storage of all models that come from a macro: a view of their state.
struct StateBackingData<Model: PersistentModel>: BackingData {
  let state: _ModelState

  init(_ state: _ModelState) { self.state = state }
  init(for modelType: Model.Type) { state = _ModelState(_ModelDescription.of(modelType)) }

  var _$state: _ModelState? { state }
  var metadata: Any { state.description.name }
  var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    // An identity is given by the store alone.
    nonmutating set {}
  }

  /// An object around these values.
  func makeModel() -> Model { Model(backingData: StateBackingData<Model.Root>(state)) }

  func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value {
    (state.model as? Model ?? makeModel())[keyPath: keyPath]
  }

  func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    guard let property = state.description.property(for: keyPath) else { return }
    state.setAny(newValue, at: property.index)
  }
}

extension PersistentModel {
  /// An object around a state.
  static func make(_ state: _ModelState) -> Self { StateBackingData<Self>(state).makeModel() }
}

extension _ModelDescription {
  /// An object around a state.
  func make(_ state: _ModelState) -> any PersistentModel { type.make(state) }
}
