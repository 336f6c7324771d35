/// What a to-many relationship holds; the class of the objects is known to ``ToManyOf``.
class ToMany {
  /// False until the rows have been read.
  var isLoaded: Bool
  /// Whether no column of the members tells that they belong here, so that the changes since
  /// the last save must be remembered.
  let remembersChanges: Bool
  /// True for an optional relationship that is nil, which only custom stores can tell from an empty
  /// one.
  var isNil = false
  /// What came since the last save, or while the rows were not read.
  @exclusivity(unchecked) var added = ModelList<any PersistentModel>()
  /// What went since the last save, or while the rows were not read.
  @exclusivity(unchecked) var removed = ModelList<any PersistentModel>()
  /// The members as a custom store last told them; a store of ours has rows instead.
  var storedIdentifiers: [PersistentIdentifier]?

  required init(isLoaded: Bool, remembersChanges: Bool) {
    self.isLoaded = isLoaded
    self.remembersChanges = remembersChanges
  }

  /// The objects that it holds; before it is loaded, those that were added.
  var models: [any PersistentModel] { added.elements }

  /// How many objects it holds, as far as is known.
  var count: Int { added.count }

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
    // While the rows are not read, it may be there or not: it is told once, at the end.
    if removed.remove(model), isLoaded { return }
    if !added.contains(model) { added.append(model) }
  }

  func remove(_ model: any PersistentModel) {
    guard remembersChanges || !isLoaded else { return }
    if added.remove(model), isLoaded { return }
    if !removed.contains(model) { removed.append(model) }
  }

  /// Takes other objects in their order, each once, and returns those that went and those that came.
  func assign(_ models: [any PersistentModel]) -> Difference { Difference() }

  /// What an assignment took out of a collection, and what it brought.
  struct Difference {
    var gone: [any PersistentModel] = []
    var came: [any PersistentModel] = []
  }

  /// Gives up the array that was read last to whoever is about to change it in place.
  func lend() {}

  /// Forgets what came and went: it is saved.
  func settle() {
    if !added.isEmpty { added = ModelList() }
    if !removed.isEmpty { removed = ModelList() }
  }

  func contains(_ model: any PersistentModel) -> Bool { added.contains(model) }

  /// A copy that later changes do not reach, for undo.
  func copy() -> ToMany { self }
}

/// A to-many relationship to objects of one class.
final class ToManyOf<Element: PersistentModel>: ToMany {
  @exclusivity(unchecked) private var list = ModelList<Element>()
  /// The rows of the members in their order, while they are to be read again and that is not the
  /// order in which the store gives them.
  private var order: [Int64] = []
  /// The array that was assigned last, as long as the list is equal to it.
  ///
  /// Whoever changes the collection in place gets this one, which nobody else holds, and so needs no
  /// copy: appending to a collection of thousands then costs what appending to an array costs.
  private var spare: [Element]?

  /// The objects in their order, once they are loaded.
  var elements: [Element] {
    if let spare { return spare }
    list.compact()
    return list.elements
  }

  override func lend() { spare = nil }

  override var models: [any PersistentModel] { isLoaded ? elements : super.models }
  override var count: Int { isLoaded ? list.count : super.count }

  override func load(_ models: [any PersistentModel]) {
    guard !isLoaded else { return }
    isLoaded = true
    var elements = models.compactMap { $0 as? Element }
    if !removed.isEmpty {
      let gone = Set(removed.elements.map { ObjectIdentifier($0) })
      elements.removeAll { gone.contains(ObjectIdentifier($0)) }
    }
    if !order.isEmpty { sort(&elements) }
    if !added.isEmpty {
      let present = Set(elements.map { ObjectIdentifier($0) })
      elements += added.elements.compactMap { $0 as? Element }
        .filter { !present.contains(ObjectIdentifier($0)) }
    }
    replaceList(by: elements)
    if !remembersChanges { settle() }
  }

  override func unload() {
    let rows = elements.map { $0._$state.row }
    order = zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 } ? [] : rows
    super.unload()
    replaceList(by: [])
  }

  /// Puts what was read again into the order that it had; what is new comes at the end.
  private func sort(_ elements: inout [Element]) {
    let places = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
    order = []
    elements = elements.enumerated()
      .map { (place: places[$1._$state.row] ?? .max, index: $0, element: $1) }
      .sorted { ($0.place, $0.index) < ($1.place, $1.index) }
      .map(\.element)
  }

  override func append(_ model: any PersistentModel) {
    super.append(model)
    guard isLoaded, let element = model as? Element else { return }
    spare = nil
    list.append(element)
  }

  override func remove(_ model: any PersistentModel) {
    super.remove(model)
    guard isLoaded, let element = model as? Element else { return }
    spare = nil
    list.remove(element)
  }

  private func replaceList(by elements: [Element]) {
    spare = nil
    list = ModelList(elements)
  }

  override func assign(_ models: [any PersistentModel]) -> Difference {
    assign(elements: models.compactMap { $0 as? Element })
  }

  func assign(elements assigned: [Element]) -> Difference {
    let old = isLoaded ? elements : added.elements.compactMap { $0 as? Element }
    var new = assigned
    var change = CollectionChange(from: old, to: new)
    if change.hasRepetitions {
      new = new.withoutRepetitions
      change = CollectionChange(from: old, to: new)
    }
    let difference = Difference(
      gone: change.gone.map { old[$0] },
      came: change.came.map { new[$0] }
    )
    for model in difference.gone { super.remove(model) }
    for model in difference.came { super.append(model) }
    guard isLoaded else { return difference }
    if change.onlyAppends {
      for index in change.came { list.append(new[index]) }
    } else {
      list = ModelList(new)
    }
    spare = new
    return difference
  }

  override func contains(_ model: any PersistentModel) -> Bool {
    guard isLoaded else { return super.contains(model) }
    return (model as? Element).map { list.contains($0) } ?? false
  }

  override func copy() -> ToMany {
    let copy = ToManyOf<Element>(isLoaded: isLoaded, remembersChanges: remembersChanges)
    copy.isNil = isNil
    copy.added = added
    copy.removed = removed
    copy.storedIdentifiers = storedIdentifiers
    copy.list = list
    copy.order = order
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
