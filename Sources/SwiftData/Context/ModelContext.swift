import Format
import Store

/// An object that enables you to fetch, insert, and delete models, and save any changes to disk.
///
/// ```swift
/// let context = ModelContext(container)
/// context.insert(Trip(name: "Fjord"))
/// try context.save()
/// ```
///
/// A context and its models belong to one thread or one actor; see ``ModelActor``. The context
/// keeps objects with pending changes alive, but not other objects.
public final class ModelContext {
  /// The container whose models the context manages; the context keeps it open.
  public let container: ModelContainer
  /// Whether changes are saved automatically; by default, true only for the main context.
  public var autosaveEnabled = false {
    didSet { if autosaveEnabled, hasChanges { scheduleAutosave() } }
  }
  /// The author that history records for the context's transactions; nil or an empty text for none.
  public var author: String? {
    get { editingState.author }
    set { editingState.author = newValue }
  }
  /// The author, reason and request that history records for the next saves, until they are set
  /// again.
  public var transactionContext: TransactionContext {
    get { editingState.transactionContext }
    set { editingState.transactionContext = newValue }
  }
  /// The context's identity and author, which only custom stores receive.
  public private(set) var editingState = EditingState()
  /// The undo manager that receives an undo for each group of changes.
  ///
  /// The default is nil, which means that no undo is recorded.
  public var undoManager: UndoManager? {
    didSet { undoRecorder.attach(to: undoManager, of: self) }
  }

  var isMain = false
  var isAutosaveScheduled = false
  let undoRecorder = UndoRecorder()
  var journal: SaveJournal?
  private weak var sharedRegistry: Registry?
  private var ownRegistry: Registry?
  @exclusivity(unchecked) var pending = PendingChanges()
  /// A number that increases with every change, so that readers can detect a change between two
  /// steps.
  var changeCount = 0 {
    didSet { if !changeListeners.isEmpty { changeListeners.removeAll { !$0() } } }
  }
  /// Functions that are called after every change.
  ///
  /// A function that returns false is removed.
  var changeListeners: [() -> Bool] = []
  @exclusivity(unchecked) private var insertQueue: [any PersistentModel] = []
  private var isInserting = false
  /// The error of an operation that could not throw; the next save or fetch throws it.
  var deferredError: SwiftDataError?

  /// Creates a context; nothing is read before its first fetch.
  public init(_ container: ModelContainer) {
    self.container = container
    let registry = Registry(container)
    ownRegistry = registry
    sharedRegistry = registry
    registry.serve(self)
    for store in container.stores { store.initializeState(for: editingState) }
  }

  init(_ container: ModelContainer, replacingThatOf registry: Registry) {
    self.container = container
    sharedRegistry = registry
    for store in container.stores { store.initializeState(for: editingState) }
  }

  var registry: Registry {
    if let ownRegistry { return ownRegistry }
    if let sharedRegistry { return sharedRegistry }
    let registry = Registry(container)
    registry.serve(self)
    ownRegistry = registry
    sharedRegistry = registry
    return registry
  }

  func session(of entity: EntityDescription) -> any StoreSession {
    registry.sessions[entity.storeIndex]
  }

  deinit {
    for store in container.stores { store.invalidateState(for: editingState) }
    undoRecorder.detach()
    for session in ownRegistry?.sessions ?? [] { session.close() }
  }

  /// Whether there are pending changes; if there are none, a save writes nothing.
  public var hasChanges: Bool { !pending.isEmpty }
  /// The objects that the next save will insert, in the order of their insertion; empty after a
  /// save.
  public var insertedModelsArray: [any PersistentModel] { pending.inserted.elements }
  /// The objects that the next save will update, in the order of their changes; empty after a save.
  public var changedModelsArray: [any PersistentModel] { pending.changed.elements }
  /// The objects that the next save will delete, in the order of their deletion; empty after a
  /// save.
  public var deletedModelsArray: [any PersistentModel] { pending.deleted.elements }

  /// The object with an identity; nil if the object is not in memory or is not a `T`.
  public func registeredModel<T: PersistentModel>(for id: PersistentIdentifier) -> T? {
    registeredAny(for: id) as? T
  }

  /// The object with an identity: the object in memory, or an object whose values are read at their
  /// first use.
  ///
  /// After a save, a temporary identity still finds its object in this context. This method does
  /// not check whether the object exists in the store. If the object does not exist, reading one of
  /// its properties stops the program.
  public func model(for id: PersistentIdentifier) -> any PersistentModel {
    let id = registry.current(id)
    if let found = registeredAny(for: id) ?? readModel(for: id) { return found }
    guard let entity = container.map[id.entityName] else {
      preconditionFailure(
        "The container has no entity \(id.entityName), so model(for:) can't return a model."
      )
    }
    // For an object that does not exist, Apple's framework also returns a model whose values can't
    // be read.
    let state = _ModelState(
      entity,
      row: id.row ?? 0,
      storeKey: session(of: entity).keepsWholeObjects ? id : nil
    )
    state.phase = .deleted
    state.registry = registry
    return entity.model.make(state)
  }

  func registeredAny(for id: PersistentIdentifier) -> (any PersistentModel)? {
    let id = registry.current(id)
    guard let entity = container.map[id.entityName] else { return nil }
    if let model = session(of: entity).registered(id, entity: entity) { return model }
    guard let row = id.row, row < 0 else { return nil }
    return pending.model(row: row)
  }

  /// Registers a model, and all objects that it refers to, for insertion by the next save.
  ///
  /// A model that is already registered is not changed.
  public func insert<T: PersistentModel>(_ model: T) { insertAny(model) }

  func insertAny(_ model: any PersistentModel) {
    guard !isInserting else {
      insertQueue.append(model)
      return
    }
    isInserting = true
    defer { isInserting = false }
    insertOne(model)
    guard !insertQueue.isEmpty else { return }
    defer { insertQueue = [] }
    // The queue is processed in insertion order, so that the members of a collection remain in
    // order.
    var next = 0
    while next < insertQueue.count {
      insertOne(insertQueue[next])
      next += 1
    }
  }

  private func insertOne(_ model: any PersistentModel) {
    let state = model._$state
    switch state.phase {
    case .inserting, .stored, .deleting:
      guard state.registry === registry else { return adopt(model, state: state) }
      if state.phase == .deleting { keep(model) }
      return
    case .detached, .deleted: break
    }
    let wasKnown = state.entity != nil
    guard let entity = container.map.entity(of: state.description) else {
      deferredError = unknownModel(state.description)
      return
    }
    if state.row >= 0 { state.becomeTemporary() }
    state.phase = .inserting
    state.entity = entity
    state.registry = registry
    state.isPending = true
    _ = state.reference(to: model)
    pending.insert(model)
    state.reading = registry.readings[entity.storeIndex].number
    state.insertionRank = pending.insertionCount
    pendingRowsChanged(state)
    if wasKnown { keep(model) }
    undoRecorder.inserted(model, in: self)
    state.linkInitialValues(of: model, again: wasKnown)
    for property in state.description.relationships {
      switch state.slots[property.index] {
      case .toOne(.object(let other)) where other._$state.phase == .detached:
        insertQueue.append(other)
      case .toMany(let many):
        for other in many.models where other._$state.phase == .detached {
          insertQueue.append(other)
        }
      default: break
      }
    }
    scheduleAutosave()
  }

  /// Adopts an object whose context was released; rejects objects whose context still exists.
  private func adopt(_ model: any PersistentModel, state: _ModelState) {
    guard let former = state.registry as? Registry, former.container === container else {
      deferredError = SwiftDataError(.modelValidationFailure) {
        "A \(state.description.name) of another ModelContainer was inserted into this context or"
          + " deleted from it."
          + "\nFetch the model with this context, or copy the values into a new"
          + " \(state.description.name)."
      }
      return
    }
    guard former.isReleased else {
      deferredError = SwiftDataError(.modelValidationFailure) {
        "A \(state.description.name) of another context was inserted into this context or deleted"
          + " from it.\nFetch the model in this context by its persistentModelID instead."
      }
      return
    }
    var transfer = ObjectTransfer(by: self, from: former)
    transfer.moveAll(from: model)
  }
}

extension ModelContext: Equatable {
  /// Whether both values are the same context; two contexts of one container are not equal.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }
}

@available(*, unavailable, message: "A ModelContext belongs to one actor; see ModelActor.")
extension ModelContext: Sendable {}
