import Format
import Store

// A new object whose unique values already exist is merged with the existing object: the existing
// object gets the values of the new object, and both objects then share one state.

extension NativeSave {
  private struct UniqueKey: Hashable {
    var table: Int
    var properties: [String]
    var values: [Value]

    func hash(into hasher: inout Hasher) {
      // The hash does not include the names: hashing names is slow, and most tables have only one
      // unique set.
      hasher.combine(table)
      hasher.combine(values)
    }
  }

  /// Merges new objects with rows or with other new objects that have the same unique values.
  ///
  /// Returns whether any objects were merged.
  func mergeCollisions(_ writer: Writer) throws -> Bool {
    var seen: [UniqueKey: _ModelState] = [:]
    for state in own(save.changed) {
      for key in try keys(of: state, changedOnly: true) { seen[key] = state }
    }
    let leaving = Set(own(save.deleted).map(Place.init))
    var joined: Set<ObjectIdentifier> = []
    for model in insertedInOrder {
      let state = model._$state
      guard let entity = state.entity, entity.storeIndex == storeIndex,
        state.phase == .inserting, !entity.uniques.isEmpty
      else { continue }
      let keys = try keys(of: state, changedOnly: false)
      if let target = try keys.lazy.compactMap({ key in
        let target = try self.target(
          of: key,
          entity: entity,
          seen: seen,
          leaving: leaving,
          writer: writer
        )
        // If the two are the same, an earlier round has already merged them.
        return target === state ? nil : target
      }).first {
        joined.insert(ObjectIdentifier(state))
        try join(model, new: state, with: target)
        for key in try self.keys(of: target, changedOnly: false) { seen[key] = target }
      } else {
        for key in keys { seen[key] = state }
      }
    }
    guard !joined.isEmpty else { return false }
    save.inserted.removeAll { joined.contains(ObjectIdentifier($0)) }
    return true
  }

  /// The new objects in insertion order, so that the last of several duplicates replaces the
  /// others.
  ///
  /// An object whose unique value refers to another new object follows the other object.
  private var insertedInOrder: [any PersistentModel] {
    let ranks = context.container.map.uniqueRanks
    guard !ranks.isEmpty else { return save.changes.inserted.elements }
    return save.changes.inserted.elements.enumerated()
      .map { (ranks[$0.element._$state.entity?.name ?? ""] ?? 0, $0.offset, $0.element) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map(\.2)
  }

  private struct Place: Hashable {
    var table: Int
    var row: Int64

    init(_ state: _ModelState) {
      table = state.entity?.tableIndex ?? -1
      row = state.row
    }

    init(_ entity: EntityDescription, row: Int64) {
      table = entity.tableIndex
      self.row = row
    }
  }

  private func keys(of state: _ModelState, changedOnly: Bool) throws -> [UniqueKey] {
    guard let entity = state.entity else { return [] }
    return try entity.uniques.compactMap { properties, slots in
      if changedOnly, !slots.contains(where: state.changed.contains) { return nil }
      let values = try slots.map(state.columnValue)
      // NULLs do not conflict, so there is nothing to merge.
      guard !values.contains(.null) else { return nil }
      return UniqueKey(table: entity.tableIndex, properties: properties, values: values)
    }
  }

  /// The object with these unique values: an object of this save, or a stored object whose values
  /// this save does not change.
  private func target(
    of key: UniqueKey,
    entity: EntityDescription,
    seen: [UniqueKey: _ModelState],
    leaving: Set<Place>,
    writer: Writer
  ) throws -> _ModelState? {
    if let found = seen[key] { return found }
    guard let row = try writer.find(entity.index, unique: key.properties, values: key.values),
      !leaving.contains(Place(entity, row: row)), !save.changes.isBatchDeleted(entity, row: row)
    else { return nil }
    guard let model = context.model(of: entity, row: row) else { return nil }
    // The list keeps the object alive, because the object will be changed and there may be no other
    // reference.
    held.append(model)
    let state = model._$state
    let slots = key.properties.compactMap { state.description.property(named: $0)?.index }
    return slots.contains(where: state.changed.contains) ? nil : state
  }

  /// Copies the values of a new object to the object that it is merged with.
  ///
  /// Attributes replace the existing values, and so do references that are not nil. Collections are
  /// united.
  private func join(
    _ model: any PersistentModel,
    new: _ModelState,
    with target: _ModelState
  ) throws {
    guard let owner = target.model else {
      let name = target.description.name
      throw SwiftDataError(.missingModelContext) {
        "A new \(name) can't be merged with the \(name) that has the same unique values, because"
          + " that model object was deallocated."
      }
    }
    context.journal?.remember(model)
    context.pending.withdraw(model)
    save.keepIdentifier(of: new, as: target)
    for property in new.description.properties
    where property.index < target.slots.count
      && target.description.properties[property.index].name == property.name
    {
      let index = property.index
      switch property.kind {
      case .attribute, .unsupported:
        guard !isEqual(new, target, at: index) else { continue }
        target.notify(owner, property: property) {
          target.willChange(index)
          target.slots[index] = new.slots[index]
        }
      case .toOne:
        guard let other = new.knownToOne(index) else { continue }
        new.setToOne(index, to: nil, owner: model)
        target.setToOne(index, to: other, owner: owner)
      case .toMany:
        let members = new.toMany(index).models
        guard !members.isEmpty else { continue }
        new.setToMany(index, to: [], owner: model)
        target.setToMany(index, to: target.toMany(index).models + members, owner: owner)
      }
    }
    new.detach()
    // Objects that were merged with this object in an earlier round are also merged with the
    // target.
    let followers = followers.removeValue(forKey: ObjectIdentifier(new)) ?? []
    for follower in followers {
      context.journal?.remember(follower)
      follower._$state = target
    }
    model._$state = target
    self.followers[ObjectIdentifier(target), default: []] += followers + [model]
    if target.phase == .stored, !save.changed.contains(where: { $0 === target }) {
      save.changed.append(target)
    }
  }

  private func isEqual(_ new: _ModelState, _ old: _ModelState, at index: Int) -> Bool {
    guard case .value(let left) = new.slots[index], case .value(let right) = old.slots[index]
    else { return false }
    return left == right
  }
}
