/// An interface that enables SwiftData to manage a Swift class as a stored model.
///
/// ``Model()`` adds the conformance; programs do not declare it themselves.
///
/// ```swift
/// @Model final class Trip {
///   var name: String
///   init(name: String) { self.name = name }
/// }
/// ```
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The topmost model class among the superclasses; without inheritance, the class itself.
  associatedtype Root: PersistentModel = Self

  /// The properties that the class declares; inherited ones are not included.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// Creates an instance with existing values; `backingData` is always for the root class.
  init(backingData: any BackingData<Root>)

  /// The state of the instance; only generated code uses this property.
  var _$state: _ModelState { get set }
}

extension PersistentModel {
  /// The identity of the object: temporary until its first save, then permanent.
  public var persistentModelID: PersistentIdentifier { _$state.givenIdentifier }

  /// The identity of the object; the same as ``persistentModelID``.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the object has changes that are not saved.
  public var hasChanges: Bool { _$state.hasChanges }

  /// Whether the next save will delete the object; false again after the save.
  public var isDeleted: Bool { _$state.phase == .deleting }

  /// The storage of the object's values; writing to it changes the object.
  public var persistentBackingData: any BackingData<Self> {
    get { StateBackingData<Self>(_$state) }
    set { _$state = newValue._$state ?? _$state }
  }

  /// Creates storage for a new object; properties without a default have no value yet.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    StateBackingData<P>(_ModelState(_ModelDescription.of(P.self)))
  }

  /// Whether both values are the same object of the same store, even in different contexts.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || left._$state.isSameObject(as: right._$state)
  }

  /// Hashes the identity of the object; the hash does not change at the first save.
  public func hash(into hasher: inout Hasher) {
    _$state.hashIdentity(into: &hasher)
  }
}

extension PersistentModel {
  /// Reads a stored value by its key path; a relationship is read from the store if necessary.
  public func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    self[keyPath: keyPath]
  }

  /// Writes a stored value by its key path; observers and undo managers notice the change.
  public func setValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    let property = _$state.description.property(for: keyPath)
    guard let writable = keyPath as? ReferenceWritableKeyPath<Self, Value> else {
      if let property { _$state.setAny(newValue, at: property.index) }
      return
    }
    // Writing through a key path reads the property first, which needs a value.
    if let property, _$state.lacksValue(of: property) {
      _$state.setAny(newValue, at: property.index)
    }
    self[keyPath: writable] = newValue
  }

  /// Reads a transformable value.
  ///
  /// If there is neither a value nor a default, an optional property is nil, and for any other
  /// property the program stops.
  public func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    self[keyPath: keyPath]
  }

  /// Writes a transformable value; it is transformed when the object is saved.
  public func setTransformableValue<Value>(
    forKey keyPath: KeyPath<Self, Value>,
    to newValue: Value
  ) {
    setValue(forKey: keyPath, to: newValue)
  }
}

/// The type of the empty variable that a macro declares for each stored property.
public struct _SwiftDataNoType: Sendable {
  /// Creates the empty value.
  public init() {}
}
