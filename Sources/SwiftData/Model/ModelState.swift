import Format
import Store
import Synchronization

/// The values of one object, and whether it is saved.
///
/// Applications do not use this class. Each model has a state, and the accessors that macros
/// generate use its slots. Like the model, the state belongs to the thread of its context.
public final class _ModelState {
  enum Phase {
    /// The object does not belong to a context.
    case detached
    /// The next save of the context will insert the object.
    case inserting
    case stored
    /// The next save of the context will delete the object.
    case deleting
    /// The object was in a store and has been deleted.
    case deleted
  }

  let description: _ModelDescription
  /// The registrar that notifies observers; nil if the object has never had an observer.
  @exclusivity(unchecked) var usedRegistrar: ObservationRegistrar?
  let slots: Slots
  @exclusivity(unchecked) var changed = PropertySet()
  @exclusivity(unchecked) var phase = Phase.detached
  /// The row of the object; a negative number, unique in the process, before the first save.
  var row: Int64
  /// The identity that a custom store assigned; nil if the row is the identity.
  var storeKey: PersistentIdentifier?
  var entity: EntityDescription?
  /// The registry of the object's context; nil if the object does not belong to a context.
  @exclusivity(unchecked) var registry: (any ObjectOwner)?
  /// Relationships set during initialization whose other sides are not updated yet.
  @exclusivity(unchecked) var unlinked = PropertySet()
  /// Whether the object is in a list of pending changes.
  var isPending = false
  /// Whether the overlay of the context does not have the newest values yet.
  var isUnsynced = false
  /// The context's `Reading.number` when a relationship was read; the earliest number if several
  /// relationships were read.
  var reading: Int32 = 0
  /// The position of the object among those that its context inserted.
  var insertionRank: Int32 = 0
  private var reference: LightReference?
  private var companion: WeakModel?
  /// Whether the application may know the temporary identity; if so, that identity must still find
  /// the object after the save.
  private(set) var isIdentifierGiven = false
  /// Whether the hash has been read; a hash that was read must not change.
  private var isHashed = false
  private var hashSeed: HashSeed?

  private static let temporaryRows = Atomic<Int64>(-1)

  /// Creates the state of a new object.
  public init(_ description: _ModelDescription) {
    self.description = description
    slots = Slots(count: description.properties.count)
    row = Self.nextTemporaryRow()
  }

  /// A negative row number for an object that is not saved yet.
  static func nextTemporaryRow() -> Int64 {
    temporaryRows.wrappingSubtract(1, ordering: .relaxed).newValue
  }

  init(_ entity: EntityDescription, row: Int64, storeKey: PersistentIdentifier? = nil) {
    description = entity.model
    self.entity = entity
    slots = Slots(count: entity.model.properties.count)
    self.row = row
    self.storeKey = storeKey
    phase = .stored
  }

  deinit { slots.deallocate() }

  /// The state of a model with ``Model()``, or a new state with a copy of the values in other
  /// storage.
  public static func _of<Model: PersistentModel>(
    _ backingData: any BackingData<Model>,
    description: _ModelDescription
  ) -> _ModelState {
    if let state = backingData._$state { return state }
    let state = _ModelState(description)
    for property in description.properties {
      guard let keyPath = property.keyPath as? PartialKeyPath<Model> else { continue }
      state.copy(property, from: backingData, at: keyPath)
    }
    return state
  }

  private func copy<Model: PersistentModel>(
    _ property: PropertyDescription,
    from backingData: any BackingData<Model>,
    at keyPath: PartialKeyPath<Model>
  ) {
    func read<Value>(_: Value.Type) {
      guard let typed = keyPath as? KeyPath<Model, Value> else { return }
      setAny(backingData.getValue(forKey: typed), at: property.index)
    }
    _openExistential(property.valueType, do: read)
  }

  var model: (any PersistentModel)? {
    if let model = reference?.model { return model }
    guard reference != nil, let entity, let model = registry?.twins(entity, row: row).first else {
      return nil
    }
    _ = reference(to: model)
    return model
  }

  func reference(to model: any PersistentModel) -> LightReference {
    if let reference, reference.model != nil { return reference }
    let made = LightReference(model)
    reference = made
    companion = nil
    return made
  }

  /// A weak reference to this object, for objects that this object keeps alive.
  func companion(of model: any PersistentModel) -> WeakModel {
    let reference = reference(to: model)
    if let companion { return companion }
    let made = WeakModel(reference)
    companion = made
    return made
  }

  var identifier: PersistentIdentifier {
    if let storeKey { return storeKey }
    let store = row < 0 ? nil : entity.flatMap { registry?.storeIdentifier(of: $0) }
    return PersistentIdentifier(
      storeIdentifier: store,
      entityName: entity?.name ?? description.name,
      key: .number(row)
    )
  }

  /// The identity, for callers that may use it later to look up the object.
  var givenIdentifier: PersistentIdentifier {
    if isTemporary { isIdentifierGiven = true }
    return identifier
  }

  func isSameObject(as other: _ModelState) -> Bool {
    if self === other { return true }
    if storeKey != nil || other.storeKey != nil { return storeKey == other.storeKey }
    return row == other.row && row >= 0 && entity?.table == other.entity?.table
      && identifier == other.identifier
  }

  func hashIdentity(into hasher: inout Hasher) {
    if !isHashed {
      isHashed = true
      hashSeed = isTemporary ? HashSeed(row) : HashSeed.of(identifier)
    }
    hasher.combine(hashSeed?.value ?? ownHash)
  }

  private var isTemporary: Bool { storeKey == nil && row < 0 }

  /// The value that is hashed: the row, or the key in a custom store, whose rows differ between
  /// contexts.
  private var ownHash: Int64 { storeKey.map { Int64($0.hashValue) } ?? row }

  /// Sets the identity that a save assigned, before other code can read the identity.
  func become(row: Int64, storeKey: PersistentIdentifier? = nil) {
    self.row = row
    self.storeKey = storeKey
    hashSeed?.serve(identifier)
  }

  /// Restores the temporary identity after the save failed.
  func takeBack(row: Int64) {
    hashSeed?.leave(identifier)
    self.row = row
    storeKey = nil
  }

  /// Assigns a new temporary identity, because the previous identity belongs to the deleted object.
  func becomeTemporary() {
    if isHashed, hashSeed == nil { hashSeed = HashSeed(ownHash) }
    row = Self.nextTemporaryRow()
    storeKey = nil
    isIdentifierGiven = false
  }

  var hasChanges: Bool {
    switch phase {
    case .detached, .deleted: false
    case .inserting, .deleting: true
    case .stored: !changed.isEmpty
    }
  }

  /// Copies the values that the superclass has set during initialization.
  public func adopt(_ base: _ModelState) {
    for index in base.slots.indices where index < slots.count {
      if case .empty = slots[index] { slots[index] = base.slots[index] }
    }
  }

  /// Prepares a change of one slot: records the old value for undo, and marks the object for the
  /// next save.
  func willChange(_ index: Int) {
    guard phase != .detached else { return }
    registry?.willChange(self, at: index)
    changed.insert(index)
  }
}

/// The part of an object's state that one model class initializes.
///
/// Applications do not use this type. The part creates the state with the first value that `init`
/// sets. An object that is read from a store already has a state.
public struct _OwnState {
  private let description: _ModelDescription
  private var made: _ModelState?

  /// Creates the part for a new object of a class; the state does not exist yet.
  public init(_ description: _ModelDescription) { self.description = description }

  /// Creates the part for an existing state.
  public init(_ state: _ModelState) {
    description = state.description
    made = state
  }

  /// The state; created at the first call.
  public var state: _ModelState {
    mutating get {
      if let made { return made }
      let state = _ModelState(description)
      made = state
      return state
    }
  }
}
