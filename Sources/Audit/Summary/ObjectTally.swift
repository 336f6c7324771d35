import Format

/// Counts the changes of each object, and collects the names of the objects that the report shows.
///
/// The number of objects in memory is limited, even for a very large history.
package final class ObjectTally {
  private struct Object: Hashable {
    let history: Int32
    let entity: Int32
    let id: ObjectID
  }

  private struct Entry {
    /// The number of counted changes; zero if only the name is wanted.
    var changes: Int64 = 0
    /// The number of names that were requested earlier; nil if this name was not requested.
    var order: Int32?
    var name: String?
  }

  /// The maximum number of objects that are counted separately.
  private static let limit = 1 << 16
  /// The maximum number of objects whose names are collected.
  private static let nameLimit = 60_000
  private static let nameLength = 120

  private var entities: [[UInt8]] = []
  /// The index of the entity that was looked up last.
  private var latest = 0
  /// The counted objects and the objects whose names are wanted.
  ///
  /// A lookup for each change takes much of a report's time, so there is only one dictionary.
  private var entries: [Object: Entry] = [:]
  private var countedObjects = 0
  private var wantedNames = 0
  private var distinct = DistinctCount()
  /// Whether the history has too many objects to count each of them separately.
  private var isOver = false
  /// The objects that the open transaction counted, and the counts before it; nil if the counts are
  /// final.
  private var tentative: (objects: [Object], distinct: DistinctCount, isOver: Bool)?
  // The index of the history that is being read.
  private var history: Int32 = 0
  /// For each entity, the key of the value that names its objects.
  private var nameKeys: [Int32: [UInt8]] = [:]
  /// The vocabulary of the history that is being read.
  private var vocabulary: Vocabulary?

  package init() {}

  /// Deletes the counts, and keeps the list of objects whose names are wanted.
  func restart() {
    entries = entries.filter { $0.value.order != nil }.mapValues { entry in
      Entry(order: entry.order, name: entry.name)
    }
    countedObjects = 0
    tentative = nil
    distinct = DistinctCount()
    isOver = false
  }

  /// Begins to count the objects of the next history.
  ///
  /// The same id in two histories belongs to two different objects.
  func begin(_ index: Int, vocabulary: Vocabulary) {
    history = Int32(index)
    self.vocabulary = vocabulary
    nameKeys = [:]
    for (entity, name) in vocabulary.labels {
      nameKeys[self.index(of: Array(entity.utf8))] = memberKey(name)
    }
  }

  /// Requests the names of an object and of the objects to which its values refer.
  package func want(_ change: Change, history: Int) {
    guard wantedNames < Self.nameLimit else { return }
    want(index(of: change.entity), id: change.id, history: history)
    wantLinks(in: change.before, history: history)
    wantLinks(in: change.after, history: history)
  }

  private func wantLinks(in side: UnsafeRawBufferPointer, history: Int) {
    forEachMember(of: side) { _, value in
      // Most values are of attributes, which are never objects or lists.
      guard value.first == UInt8(ascii: "{") || value.first == UInt8(ascii: "[") else { return }
      forEachLink(in: value) { want(index(of: $0), id: ObjectID($1), history: history) }
    }
  }

  private func want(_ entity: Int32, id: ObjectID, history: Int) {
    guard wantedNames < Self.nameLimit else { return }
    let object = Object(history: Int32(history), entity: entity, id: id)
    guard entries[object]?.order == nil else { return }
    entries[object, default: Entry()].order = Int32(wantedNames)
    wantedNames += 1
  }

  /// Records the name that an object has in a change, instead of its earlier name.
  ///
  /// `isCounted` is false for a change of a snapshot, and for a change that the filter does not
  /// select. If the count is tentative, a later call of ``settle(isSelected:)`` keeps or removes it.
  func note(_ change: Change, isCounted: Bool, isTentative: Bool = false) {
    if isCounted, isTentative, tentative == nil { tentative = ([], distinct, isOver) }
    let object = object(of: change)
    var place = entries.index(forKey: object)
    if isCounted { place = track(object, at: place) }
    if let place, let name = name(in: change, entity: object.entity) {
      entries.values[place].name = name
    }
  }

  /// Counts a change of an object, and returns the place of its entry; nil if there are too many
  /// objects to count this object separately.
  private func track(_ object: Object, at place: [Object: Entry].Index?) -> [Object: Entry].Index? {
    distinct.add(
      mixed(number(of: object.id) ^ mixed(UInt64(object.entity) << 32 | UInt64(history)))
    )
    let isNew = place.map { entries.values[$0].changes == 0 } ?? true
    if isNew {
      guard countedObjects < Self.limit else {
        isOver = true
        return place
      }
      countedObjects += 1
    }
    tentative?.objects.append(object)
    guard let place else {
      entries[object] = Entry(changes: 1)
      return entries.index(forKey: object)
    }
    entries.values[place].changes += 1
    return place
  }

  /// Ends a transaction: keeps its tentative counts if it is selected, and subtracts them otherwise.
  func settle(isSelected: Bool) {
    guard let (objects, distinct, isOver) = tentative else { return }
    tentative = nil
    guard !isSelected else { return }
    (self.distinct, self.isOver) = (distinct, isOver)
    for object in objects {
      guard var entry = entries[object] else { continue }
      entry.changes -= 1
      if entry.changes == 0 { countedObjects -= 1 }
      entries[object] = entry.changes > 0 || entry.order != nil ? entry : nil
    }
  }

  var objects: (count: Int64, isEstimated: Bool) {
    isOver ? (distinct.estimate, true) : (Int64(countedObjects), false)
  }

  var mostChanged: [MostChanged] {
    // Entities are sorted by name, because their order in memory depends on the order in which they
    // were read.
    // Objects with fewer changes than the last listed object are not sorted, which saves time.
    let most = entries.values.map(\.changes).sorted(by: >).prefix(NameTally.shown)
    let least = max(1, most.last ?? 0)
    let sorted = entries.filter { $0.value.changes >= least }.sorted { left, right in
      (right.value.changes, left.key.history, name(of: left.key.entity), left.key.id)
        < (left.value.changes, right.key.history, name(of: right.key.entity), right.key.id)
    }
    return sorted.prefix(NameTally.shown).map { object, entry in
      MostChanged(
        history: Int(object.history),
        entity: name(of: object.entity),
        id: object.id.description,
        name: entry.name,
        changes: entry.changes
      )
    }
  }

  var isMostChangedPartial: Bool { isOver }

  /// Calls the closure with every known name of a wanted object, in the order of the requests.
  package func names(
    _ body: (_ history: Int, _ entity: String, _ id: ObjectID, _ name: String) throws -> Void
  ) rethrows {
    let named = entries.compactMap { object, entry in
      entry.order.flatMap { order in entry.name.map { (order, object, $0) } }
    }
    for (_, object, text) in named.sorted(by: { $0.0 < $1.0 }) {
      try body(Int(object.history), name(of: object.entity), object.id, text)
    }
  }

  private func object(of change: Change) -> Object {
    Object(history: history, entity: index(of: change.entity), id: change.id)
  }

  private func name(of entity: Int32) -> String {
    String(decoding: entities[Int(entity)], as: UTF8.self)
  }

  private func index(of name: some Collection<UInt8>) -> Int32 {
    // Consecutive changes often have the same entity, so the entity that was found last is compared
    // first.
    if entities.indices.contains(latest), entities[latest].elementsEqual(name) {
      return Int32(latest)
    }
    let index = findIndex(of: name)
    latest = Int(index)
    return index
  }

  private func findIndex(of name: some Collection<UInt8>) -> Int32 {
    if let index = entities.firstIndex(where: { $0.elementsEqual(name) }) { return Int32(index) }
    entities.append(Array(name))
    return Int32(entities.count - 1)
  }

  private func name(in change: Change, entity: Int32) -> String? {
    guard let key = nameKeys[entity] else { return nil }
    let value =
      memberValue(of: key, in: change.after) ?? memberValue(of: key, in: change.before)
    guard let name = value.flatMap({ vocabulary?.label(in: $0) }) else { return nil }
    return name.utf8.count <= Self.nameLength ? name : name.prefix(Self.nameLength / 2) + "…"
  }
}

/// A hash of an id.
private func number(of id: ObjectID) -> UInt64 {
  guard let text = id.text else { return UInt64(bitPattern: id.integer) }
  return text.utf8.reduce(0) { mixed($0 ^ UInt64($1) &+ 1) }
}
