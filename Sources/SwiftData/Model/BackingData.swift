/// An interface for providing in-memory storage for a persistent model.
///
/// Each model creates its storage with ``PersistentModel/createBackingData()``.
///
/// ```swift
/// var data: some BackingData<Trip> = Trip.createBackingData()
/// data.setValue(forKey: \.name, to: "Fjord")
/// let trip = Trip(backingData: data)
/// ```
public protocol BackingData<Model> {
  /// The class whose values the storage contains; values of its subclasses are not included.
  associatedtype Model: PersistentModel

  /// The identity of the object; nil for a new object.
  var persistentModelID: PersistentIdentifier? { get set }

  /// Creates storage for a new object; properties without a default have no value yet.
  init(for modelType: Model.Type)

  /// A description of the class; its type depends on the storage.
  var metadata: Any { get }

  /// The state of an object whose class uses ``Model()``; nil for other storage.
  var _$state: _ModelState? { get }

  /// Reads a value by its key path; an unset value without a default stops the program.
  func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value

  /// Writes a value by its key path; writing a relationship also updates its other side.
  mutating func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value)
}

extension BackingData {
  /// Always nil, because storage of another type does not have a state.
  public var _$state: _ModelState? { nil }
}

/// The storage of all models with ``Model()``; it reads and writes the state of the object.
struct StateBackingData<Model: PersistentModel>: BackingData {
  let state: _ModelState

  init(_ state: _ModelState) { self.state = state }
  init(for modelType: Model.Type) { state = _ModelState(_ModelDescription.of(modelType)) }

  var _$state: _ModelState? { state }
  var metadata: Any { state.description.name }
  var persistentModelID: PersistentIdentifier? {
    get { state.identifier }
    // Only a store can assign an identity, so this setter does nothing.
    nonmutating set {}
  }

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
  static func make(_ state: _ModelState) -> Self { StateBackingData<Self>(state).makeModel() }
}

extension _ModelDescription {
  func make(_ state: _ModelState) -> any PersistentModel { type.make(state) }
}
