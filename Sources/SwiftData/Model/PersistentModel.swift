/// An interface that enables SwiftData to manage a Swift class as a stored model.
///
/// Don't conform to it by hand: ``Model()`` writes what it asks for.
///
/// ```swift
/// @Model final class Trip {
///   var name: String
///   init(name: String) { self.name = name }
/// }
/// ```
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The topmost model class of the family that this class belongs to.
  associatedtype Root: PersistentModel = Self

  /// The properties that this class adds to those of its superclass.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// Makes an instance over values that exist already.
  ///
  /// The values are typed by the topmost class, so that classes that others inherit from can
  /// fulfil this too.
  init(backingData: any BackingData<Root>)

  /// The state that all instances of all model classes keep alike.
  var _$state: _ModelState { get set }
}

extension PersistentModel {
  /// The identity of the object: temporary until it is first saved, then the same for ever.
  public var persistentModelID: PersistentIdentifier { _$state.givenIdentifier }

  /// The stable identity of the entity associated with this instance.
  public var id: PersistentIdentifier { persistentModelID }

  /// The context that manages the object; nil before it is inserted, after it is deleted, and once
  /// the context has been released.
  public var modelContext: ModelContext? { _$state.visibleContext }

  /// A Boolean value that tells whether the object has changes that are not saved.
  public var hasChanges: Bool { _$state.hasChanges }

  /// A Boolean value that tells whether the next save will delete the object.
  public var isDeleted: Bool { _$state.phase == .deleting }

  /// The values behind the object.
  public var persistentBackingData: any BackingData<Self> {
    get { StateBackingData<Self>(_$state) }
    set { _$state = newValue._$state ?? _$state }
  }

  /// Makes storage for a new object.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    StateBackingData<P>(_ModelState(_ModelDescription.of(P.self)))
  }

  /// Two objects are equal when they are the same object of the same store.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || left._$state.isSameObject(as: right._$state)
  }

  /// Hashes the identity of the object, which stays the same through its first save.
  public func hash(into hasher: inout Hasher) {
    _$state.hashIdentity(into: &hasher)
  }
}

extension PersistentModel {
  /// Reads a stored value by its key path.
  public func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    self[keyPath: keyPath]
  }

  /// Writes a stored value by its key path.
  public func setValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    if let writable = keyPath as? ReferenceWritableKeyPath<Self, Value> {
      self[keyPath: writable] = newValue
    } else if let property = _$state.description.property(for: keyPath) {
      _$state.setAny(newValue, at: property.index)
    }
  }

  /// Reads a value that a transformer turns into bytes.
  public func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    self[keyPath: keyPath]
  }

  /// Writes a value that a transformer turns into bytes.
  public func setTransformableValue<Value>(
    forKey keyPath: KeyPath<Self, Value>,
    to newValue: Value
  ) {
    setValue(forKey: keyPath, to: newValue)
  }
}

/// The placeholder that a model class keeps in the place of each stored property.
public struct _SwiftDataNoType: Sendable {
  /// Makes the placeholder.
  public init() {}
}
