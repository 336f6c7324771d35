/// The members of a to-many relationship; ``ToManyOf`` is the subclass for each class of members.
class ToMany {
  var isLoaded: Bool
  /// Whether the list must record changes until the save, because no column of the members records
  /// the relationship.
  let remembersChanges: Bool
  /// Whether the collection is nil; only custom stores distinguish a nil collection from an empty
  /// one.
  var isNil = false
  /// Members added since the last save, or before the members were read from the store.
  @exclusivity(unchecked) var added = ModelList<any PersistentModel>()
  /// Members removed since the last save, or before the members were read from the store.
  @exclusivity(unchecked) var removed = ModelList<any PersistentModel>()
  /// The members as a custom store returned them; nil in native stores.
  var storedIdentifiers: [PersistentIdentifier]?

  required init(isLoaded: Bool, remembersChanges: Bool) {
    self.isLoaded = isLoaded
    self.remembersChanges = remembersChanges
  }

  /// The members; if the collection is not loaded, only the added members.
  var models: [any PersistentModel] { added.elements }

  var count: Int { added.count }

  /// Sets the members that were read from the store, and then applies earlier additions and
  /// removals.
  func load(_ models: [any PersistentModel]) {}

  /// Forgets the members, so that the next use reads them; there must be no unsaved additions or
  /// removals.
  func unload() {
    isLoaded = false
    settle()
  }

  func append(_ model: any PersistentModel) {
    isNil = false
    guard remembersChanges || !isLoaded else { return }
    // Before loading, the object may already be a member; loading then does not add it a second
    // time.
    if removed.remove(model), isLoaded { return }
    if !added.contains(model) { added.append(model) }
  }

  func remove(_ model: any PersistentModel) {
    guard remembersChanges || !isLoaded else { return }
    if added.remove(model), isLoaded { return }
    if !removed.contains(model) { removed.append(model) }
  }

  /// Replaces the members; each object is added only once.
  ///
  /// Returns the removed and the added objects.
  func assign(_ models: [any PersistentModel]) -> Difference { Difference() }

  struct Difference {
    var gone: [any PersistentModel] = []
    var came: [any PersistentModel] = []
  }

  /// Releases the array that was read last, so that the caller can change it without a copy.
  func lend() {}

  func settle() {
    if !added.isEmpty { added = ModelList() }
    if !removed.isEmpty { removed = ModelList() }
  }

  func contains(_ model: any PersistentModel) -> Bool { added.contains(model) }

  func copy() -> ToMany { self }
}

final class ToManyOf<Element: PersistentModel>: ToMany {
  @exclusivity(unchecked) private var list = ModelList<Element>()
  /// The rows of the members in their previous order; empty if the store returns the members in
  /// this order anyway.
  private var order: [Int64] = []
  /// The last assigned array; nil if the list has changed since the assignment.
  ///
  /// A caller that changes the collection in place receives this array. There is no other reference
  /// to it, so the change needs no copy: appending to a collection of thousands costs as much as
  /// appending to an array.
  private var spare: [Element]?

  /// The members in order; the collection must be loaded.
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

  /// Restores the previous order of the members; new members come last.
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
  static func type(of model: any PersistentModel.Type) -> ToMany.Type {
    func find<T: PersistentModel>(_: T.Type) -> ToMany.Type { ToManyOf<T>.self }
    return find(model)
  }
}

extension ToMany {
  /// The identities of the members, from memory, or from the store with later changes applied; nil
  /// if the members are unknown.
  var knownIdentifiers: [PersistentIdentifier]? {
    if isLoaded { return models.compactMap(\._$state.livingIdentifier) }
    guard var known = storedIdentifiers else { return nil }
    if !removed.isEmpty {
      let gone = Set(removed.elements.map(\._$state.identifier))
      known.removeAll { gone.contains($0) }
    }
    if !added.isEmpty {
      let present = Set(known)
      known += added.elements.compactMap(\._$state.livingIdentifier).filter {
        !present.contains($0)
      }
    }
    return known
  }
}

extension _ModelState {
  /// The identity of the object; nil if the object is deleted or marked for deletion.
  var livingIdentifier: PersistentIdentifier? {
    phase == .deleting || phase == .deleted ? nil : identifier
  }
}
