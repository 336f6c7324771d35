import Changes
import Store
import Synchronization

/// The values of one object, and where it stands between memory and store.
///
/// Not for use in applications: every model keeps one, and the accessors that macros write read
/// and write its slots. Like the model itself, it belongs to the thread of its context.
public final class _ModelState {
  /// Where an object stands.
  enum Phase {
    /// No context knows it.
    case detached
    /// A context will insert it with its next save.
    case inserting
    /// It is in a store.
    case stored
    /// A context will delete it with its next save.
    case deleting
    /// It was in a store, and is gone.
    case deleted
  }

  let description: _ModelDescription
  /// Tells the observers of the object of changes, once it has had any.
  @exclusivity(unchecked) var usedRegistrar: ObservationRegistrar?
  @exclusivity(unchecked) var slots: ContiguousArray<Slot>
  @exclusivity(unchecked) var changed = PropertySet()
  @exclusivity(unchecked) var phase = Phase.detached
  /// The row of the object; negative until it is saved, and then unique in this process.
  var row: Int64
  /// The identity that a store gave; nil if the row tells it.
  var storeKey: PersistentIdentifier?
  /// The entity, once a context knows the object.
  var entity: EntityDescription?
  /// Where the context keeps its objects; nil while none knows this one.
  @exclusivity(unchecked) var registry: Registry?
  /// Relationships that were set while the object was made, when it could not be told to others.
  @exclusivity(unchecked) var unlinked = PropertySet()
  /// True while one of the context's lists of pending changes holds the object.
  var isPending = false
  /// True while the context's overlay doesn't hold the newest values.
  var isUnsynced = false
  /// The number of the context's reading of the store in which its relationships were read, at the
  /// earliest.
  var reading: Int32 = 0
  /// The place of the object among those that its context was given to insert.
  var insertionRank: Int32 = 0
  private var reference: LightReference?
  private var companion: WeakModel?
  /// True once somebody knows the temporary identity, and may ask for the object by it after its
  /// save.
  private(set) var isIdentifierGiven = false
  /// True once the hash was asked for, which must not change any more.
  private var isHashed = false
  private var hashSeed: HashSeed?

  private static let temporaryRows = Atomic<Int64>(-1)

  /// Makes the state of a new object.
  public init(_ description: _ModelDescription) {
    self.description = description
    slots = .empty(description.properties.count)
    row = Self.nextTemporaryRow()
  }

  /// A row that stands for an object until it is saved.
  static func nextTemporaryRow() -> Int64 {
    temporaryRows.wrappingSubtract(1, ordering: .relaxed).newValue
  }

  /// Makes the state of an object that is in a store.
  init(_ entity: EntityDescription, row: Int64, storeKey: PersistentIdentifier? = nil) {
    description = entity.model
    self.entity = entity
    slots = .empty(entity.model.properties.count)
    self.row = row
    self.storeKey = storeKey
    phase = .stored
  }

  /// Takes the state behind storage of ours, or copies the values of somebody else's.
  public static func _of<Model: PersistentModel>(
    _ backingData: any BackingData<Model>,
    _ description: _ModelDescription
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

  // MARK: Identity

  /// The object; nil once nobody holds it.
  var model: (any PersistentModel)? {
    if let model = reference?.model { return model }
    guard reference != nil, let entity, let model = registry?.twins(entity, row: row).first else {
      return nil
    }
    _ = reference(to: model)
    return model
  }

  /// A reference to the object that doesn't keep it alive.
  func reference(to model: any PersistentModel) -> LightReference {
    if let reference, reference.model != nil { return reference }
    let made = LightReference(model)
    reference = made
    companion = nil
    return made
  }

  /// The reference for those whom the object keeps alive itself.
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

  /// The identity as it is given to those who may ask for the object by it later.
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

  /// The rows of objects in custom stores are another's in every context.
  private var ownHash: Int64 { storeKey.map { Int64($0.hashValue) } ?? row }

  /// Takes the identity that a save gives it, before anybody else can meet it.
  func become(row: Int64, storeKey: PersistentIdentifier? = nil) {
    self.row = row
    self.storeKey = storeKey
    hashSeed?.serve(identifier)
  }

  /// Takes the temporary identity back that it had before a save that failed.
  func takeBack(row: Int64) {
    hashSeed?.leave(identifier)
    self.row = row
    storeKey = nil
  }

  /// Takes a new temporary identity, as the one that it had belongs to what was deleted.
  func becomeTemporary() {
    if isHashed, hashSeed == nil { hashSeed = HashSeed(ownHash) }
    row = Self.nextTemporaryRow()
    storeKey = nil
    isIdentifierGiven = false
  }

  // MARK: Standing

  var context: ModelContext? { registry?.context }

  var hasChanges: Bool {
    switch phase {
    case .detached, .deleted: false
    case .inserting, .deleting: true
    case .stored: !changed.isEmpty
    }
  }

  /// The context that an application sees.
  var visibleContext: ModelContext? {
    phase == .detached || phase == .deleted ? nil : registry?.visibleContext
  }

  /// Takes the values of the superclass's part of the object while it is being made.
  public func adopt(_ base: _ModelState) {
    for index in base.slots.indices where index < slots.count {
      if case .empty = slots[index] { slots[index] = base.slots[index] }
    }
  }

  /// Prepares a change of one slot: undo learns the old value, the context that it must save.
  func willChange(_ index: Int) {
    guard phase != .detached else { return }
    context?.willChange(self, at: index)
    changed.insert(index)
  }
}
