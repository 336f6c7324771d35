import Changes
import Store
import Synchronization

/// The values of one object and its phase.
///
/// Not for use in applications: every model has one, and accessors from macros use its slots. Like
/// the model itself, it belongs to its context's thread.
public final class _ModelState {
  enum Phase {
    /// No context has it.
    case detached
    /// A context will insert it in its next save.
    case inserting
    /// It is in a store.
    case stored
    /// A context will delete it in its next save.
    case deleting
    /// It was in a store and is deleted.
    case deleted
  }

  let description: _ModelDescription
  /// Notifies observers; nil if the object never had any.
  @exclusivity(unchecked) var usedRegistrar: ObservationRegistrar?
  @exclusivity(unchecked) var slots: ContiguousArray<Slot>
  @exclusivity(unchecked) var changed = PropertySet()
  @exclusivity(unchecked) var phase = Phase.detached
  /// The row; before the first save negative, and unique in the process.
  var row: Int64
  /// The identity that a custom store gave; nil for a row.
  var storeKey: PersistentIdentifier?
  var entity: EntityDescription?
  /// The objects of the context; nil if no context has the object.
  @exclusivity(unchecked) var registry: Registry?
  /// Relationships set during initialization, whose other sides are not updated yet.
  @exclusivity(unchecked) var unlinked = PropertySet()
  /// Whether a list of pending changes has the object.
  var isPending = false
  /// Whether the context's overlay lacks the newest values.
  var isUnsynced = false
  /// The earliest of the context's readings of the store in which a relationship was read.
  var reading: Int32 = 0
  /// The rank of the object among those that its context inserted.
  var insertionRank: Int32 = 0
  private var reference: LightReference?
  private var companion: WeakModel?
  /// Whether the temporary identity was given out, so that it must lead to the object after the
  /// save.
  private(set) var isIdentifierGiven = false
  /// Whether the hash was read, which may not change afterwards.
  private var isHashed = false
  private var hashSeed: HashSeed?

  private static let temporaryRows = Atomic<Int64>(-1)

  /// Creates the state of a new object.
  public init(_ description: _ModelDescription) {
    self.description = description
    slots = .empty(description.properties.count)
    row = Self.nextTemporaryRow()
  }

  /// A negative row for an object that is not saved yet.
  static func nextTemporaryRow() -> Int64 {
    temporaryRows.wrappingSubtract(1, ordering: .relaxed).newValue
  }

  init(_ entity: EntityDescription, row: Int64, storeKey: PersistentIdentifier? = nil) {
    description = entity.model
    self.entity = entity
    slots = .empty(entity.model.properties.count)
    self.row = row
    self.storeKey = storeKey
    phase = .stored
  }

  /// The state behind a model's own storage, or a copy of values in other storage.
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

  /// The reference for objects that this object keeps alive.
  func companion(of model: any PersistentModel) -> WeakModel {
    let reference = reference(to: model)
    if let companion { return companion }
    let made = WeakModel(reference)
    companion = made
    return made
  }

  var identifier: PersistentIdentifier {
    if let storeKey { return storeKey }
    let store = row < 0 ? nil : entity.flatMap { registry?.container.storeIdentifier(of: $0) }
    return PersistentIdentifier(
      storeIdentifier: store,
      entityName: entity?.name ?? description.name,
      key: .number(row)
    )
  }

  /// The identity for callers that may look up the object by it later.
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

  /// The rows of objects in custom stores differ between contexts.
  private var ownHash: Int64 { storeKey.map { Int64($0.hashValue) } ?? row }

  /// Sets the identity from a save, before other code can read it.
  func become(row: Int64, storeKey: PersistentIdentifier? = nil) {
    self.row = row
    self.storeKey = storeKey
    hashSeed?.serve(identifier)
  }

  /// Restores the temporary identity after a failed save.
  func takeBack(row: Int64) {
    hashSeed?.leave(identifier)
    self.row = row
    storeKey = nil
  }

  /// Gets a new temporary identity, because the previous one belongs to the deleted object.
  func becomeTemporary() {
    if isHashed, hashSeed == nil { hashSeed = HashSeed(ownHash) }
    row = Self.nextTemporaryRow()
    storeKey = nil
    isIdentifierGiven = false
  }

  var context: ModelContext? { registry?.context }

  var hasChanges: Bool {
    switch phase {
    case .detached, .deleted: false
    case .inserting, .deleting: true
    case .stored: !changed.isEmpty
    }
  }

  var visibleContext: ModelContext? {
    phase == .detached || phase == .deleted ? nil : registry?.visibleContext
  }

  /// Takes over the values of the superclass during initialization.
  public func adopt(_ base: _ModelState) {
    for index in base.slots.indices where index < slots.count {
      if case .empty = slots[index] { slots[index] = base.slots[index] }
    }
  }

  /// Prepares a change of one slot: records the old value for undo, and the object for the save.
  func willChange(_ index: Int) {
    guard phase != .detached else { return }
    context?.willChange(self, at: index)
    changed.insert(index)
  }
}

/// The state of a model class's own part of an object.
///
/// Not for use in applications. It is created with the first value that `init` sets, but not for
/// objects that are read from a store.
public struct _OwnState {
  private let description: _ModelDescription
  private var made: _ModelState?

  /// Represents the state of a new object of a class.
  public init(_ description: _ModelDescription) { self.description = description }

  /// Represents an existing state.
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
