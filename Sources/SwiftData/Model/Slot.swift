import Store

/// One value of an object, as its state holds it.
enum Slot {
  /// Nothing yet: a value that was neither set nor read from a store.
  case empty
  /// An attribute in its stored form.
  case value(Value)
  /// A value that is decoded once and encoded when it is saved.
  case decoded(DecodedValue)
  /// A reference to one object.
  case toOne(ToOne)
  /// References to many objects.
  case toMany(ToMany)
}

extension ContiguousArray<Slot> {
  /// Empty slots; `init(repeating:count:)` copies each as if it might hold an object.
  static func empty(_ count: Int) -> ContiguousArray {
    ContiguousArray(unsafeUninitializedCapacity: count) { buffer, initialized in
      for index in 0..<count { buffer.initializeElement(at: index, to: .empty) }
      initialized = count
    }
  }
}

/// A `Codable` or transformable value, with its stored form where that is known.
final class DecodedValue {
  let value: Any
  private(set) var stored: Value?

  init(_ value: Any, stored: Value? = nil) {
    self.value = value
    self.stored = stored
  }

  /// The stored form, made once.
  func stored(by codec: AttributeCodec) throws -> Value {
    if let stored { return stored }
    let made = try codec.encode(value)
    stored = made
    return made
  }
}

/// What a to-one relationship holds.
enum ToOne {
  case none
  /// A row that no object stands for yet.
  case row(Int64)
  /// An object, kept alive.
  case object(any PersistentModel)
  /// An object that keeps this one alive; read again when it is gone.
  case companion(WeakModel, row: Int64)
}

/// A reference to an object that does not keep it alive; one a state, shared by all who refer.
final class WeakModel {
  private let reference: LightReference

  init(_ reference: LightReference) { self.reference = reference }

  var model: (any PersistentModel)? { reference.model }
}

/// What a to-many relationship holds; the class of the objects is known to ``ToManyOf``.
class ToMany {
  /// False until the rows have been read.
  var isLoaded: Bool
  /// True where no column of the members tells that they belong here, so that the changes since
  /// the last save must be remembered.
  let remembersChanges: Bool
  /// True for an optional relationship that is nil.
  var isNil = false
  /// What came since the last save, or while the rows were not read.
  @exclusivity(unchecked) var added: [any PersistentModel] = []
  /// What went since the last save, or while the rows were not read.
  @exclusivity(unchecked) var removed: [any PersistentModel] = []
  /// The members as a custom store last told them; a store of ours has rows instead.
  var storedIdentifiers: [PersistentIdentifier]?

  required init(isLoaded: Bool, remembersChanges: Bool) {
    self.isLoaded = isLoaded
    self.remembersChanges = remembersChanges
  }

  /// The objects that it holds; before it is loaded, those that were added.
  var models: [any PersistentModel] { added }

  /// Takes the objects that the store has, with what came and went meanwhile.
  func load(_ models: [any PersistentModel]) {}

  /// Forgets what was read, so that it is read again when it is touched; nothing came or went since.
  func unload() {
    isLoaded = false
    settle()
  }

  func append(_ model: any PersistentModel) {
    isNil = false
    guard remembersChanges || !isLoaded else { return }
    if let index = removed.firstIndex(where: { $0 === model }) {
      removed.remove(at: index)
      // While the rows are not read, it may be there or not: it is told once, at the end.
      if isLoaded { return }
    }
    added.append(model)
  }

  func remove(_ model: any PersistentModel) {
    guard remembersChanges || !isLoaded else { return }
    if let index = added.firstIndex(where: { $0 === model }) {
      added.remove(at: index)
      if isLoaded { return }
    }
    removed.append(model)
  }

  /// Forgets what came and went: it is saved.
  func settle() {
    if !added.isEmpty { added = [] }
    if !removed.isEmpty { removed = [] }
  }

  func contains(_ model: any PersistentModel) -> Bool { added.contains { $0 === model } }

  /// A copy that later changes do not reach, for undo.
  func copy() -> ToMany { self }
}

/// A to-many relationship to objects of one class.
final class ToManyOf<Element: PersistentModel>: ToMany {
  @exclusivity(unchecked) var elements: [Element] = []

  override var models: [any PersistentModel] { isLoaded ? elements : added }

  override func load(_ models: [any PersistentModel]) {
    guard !isLoaded else { return }
    isLoaded = true
    elements = models.compactMap { $0 as? Element }
    if !removed.isEmpty {
      let gone = Set(removed.map { ObjectIdentifier($0) })
      elements.removeAll { gone.contains(ObjectIdentifier($0)) }
    }
    if !added.isEmpty {
      let present = Set(elements.map { ObjectIdentifier($0) })
      elements += added.compactMap { $0 as? Element }
        .filter { !present.contains(ObjectIdentifier($0)) }
    }
    if !remembersChanges { settle() }
  }

  override func unload() {
    super.unload()
    elements = []
  }

  override func append(_ model: any PersistentModel) {
    super.append(model)
    if isLoaded, let element = model as? Element { elements.append(element) }
  }

  override func remove(_ model: any PersistentModel) {
    super.remove(model)
    if isLoaded, let index = elements.lastIndex(where: { $0 === model }) {
      elements.remove(at: index)
    }
  }

  override func contains(_ model: any PersistentModel) -> Bool {
    isLoaded ? elements.contains { $0 === model } : super.contains(model)
  }

  override func copy() -> ToMany {
    let copy = ToManyOf<Element>(isLoaded: isLoaded, remembersChanges: remembersChanges)
    copy.isNil = isNil
    copy.added = added
    copy.removed = removed
    copy.storedIdentifiers = storedIdentifiers
    copy.elements = elements
    return copy
  }
}

extension ToMany {
  /// The class of relationships to objects of a class.
  static func type(of model: any PersistentModel.Type) -> ToMany.Type {
    func find<T: PersistentModel>(_: T.Type) -> ToMany.Type { ToManyOf<T>.self }
    return find(model)
  }
}

/// A set of the places of properties.
struct PropertySet {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  var isEmpty: Bool { low == 0 && high.isEmpty }

  func contains(_ index: Int) -> Bool {
    index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index)
  }

  mutating func insert(_ index: Int) {
    if index < 64 { low |= 1 << UInt64(index) } else { high.insert(index) }
  }

  mutating func remove(_ index: Int) {
    if index < 64 { low &= ~(1 << UInt64(index)) } else { high.remove(index) }
  }

  mutating func removeAll() {
    low = 0
    if !high.isEmpty { high = [] }
  }
}
