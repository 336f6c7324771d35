import Format
import FoundationEssentials
import SQLite

/// Compares the rows of one entity with history.
final class RowCheck {
  private let check: StateCheck
  private let entity: EntityIndex
  private let cursor: ObjectCursor
  private var encoder: ObjectEncoder { cursor.encoder }
  private let known: Statement
  private let isComplete: Bool
  /// The relationships whose links are kept as pairs, by JSON key.
  private let moved: [[UInt8]: Int]
  private var text = ChangeText()
  private var sequence: Int64 = 0
  /// The number of rows of which history has only some values.
  private(set) var unknown: Int64 = 0

  init(
    _ check: StateCheck,
    entity: EntityIndex,
    cursor: ObjectCursor,
    isComplete: Bool
  ) throws {
    self.check = check
    self.entity = entity
    self.cursor = cursor
    self.isComplete = isComplete
    moved = check.moved.present(cursor.layout.entity.name)
    known = try check.known.all(of: entity)
  }

  func run(_ kinds: [ChangeKind], _ body: (CheckFinding) throws -> Void) throws {
    guard cursor.table.isNumbered else { return try runByKey(kinds, body) }
    var hasRow = try cursor.next()
    var hasKnown = try known.step()
    while hasRow || hasKnown {
      let id = hasKnown ? ObjectID(at: known) : cursor.id
      if hasRow, !hasKnown || cursor.id < id {
        if isComplete, kinds.contains(.insert) { try reportRow(body) }
        if !isComplete { unknown += 1 }
        hasRow = try cursor.next()
        continue
      }
      let isThere = hasRow && cursor.id == id
      try compare(id, isThere: isThere, kinds, body)
      if isThere { hasRow = try cursor.next() }
      hasKnown = try known.step()
    }
  }

  /// Finds each row by its key, because the order of keys depends on their collations.
  private func runByKey(_ kinds: [ChangeKind], _ body: (CheckFinding) throws -> Void) throws {
    while try known.step() {
      let id = ObjectID(at: known)
      try compare(id, isThere: cursor.find(id), kinds, body)
    }
    while isComplete, try cursor.next() {
      if try !check.known.contains(RowKey(entity: entity, id: cursor.id)) { try reportRow(body) }
    }
  }

  /// Compares a row, or its absence, with the known object.
  private func compare(
    _ id: ObjectID,
    isThere: Bool,
    _ kinds: [ChangeKind],
    _ body: (CheckFinding) throws -> Void
  ) throws {
    // History does not have the last change of such a row yet.
    if let digests = check.tableDigests, try digests.isWaiting(id, of: entity) { return }
    let state = KnownObject.State(rawValue: known.int64(at: 1))
    if isThere, state == .deleted {
      if kinds.contains(.insert) { try reportRow(body) }
    } else if isThere {
      if state == .partial { unknown += 1 }
      if kinds.contains(.update) {
        if try compare() { try report(.update, id: id, body) } else { try check.passed() }
      }
    } else if state != .deleted, kinds.contains(.delete), let object = object(),
      // An earlier version left out the objects whose values are all erased.
      state != .partial || !object.values.isEmpty
    {
      try appendDeletion(of: object, id: id)
      try report(.delete, id: id, body)
    }
  }

  /// Reports a row that history does not have, unless it will have the row when captured changes are
  /// sealed.
  private func reportRow(_ body: (CheckFinding) throws -> Void) throws {
    if let digests = check.tableDigests, try digests.isWaiting(cursor.id, of: entity) { return }
    try cursor.append(to: &text.after, blobs: check.blobs)
    try report(.insert, id: cursor.id, body)
  }

  private func report(
    _ kind: ChangeKind,
    id: ObjectID,
    _ body: (CheckFinding) throws -> Void
  ) throws {
    check.tableDigests?.note(
      id,
      of: cursor.table,
      found: kind == .delete ? nil : cursor.values,
      expected: kind == .insert ? nil : object()
    )
    try text.withChange(kind, sequence: sequence, entity: encoder.name, id: id) {
      try body(.row($0))
    }
    sequence += 1
    text.removeAll()
    try check.passed()
  }

  private func object() -> KnownObject? { KnownObjects.object(at: known, from: 1) }

  /// Builds the difference between a row and history; false if they are equal.
  private func compare() throws -> Bool {
    var now = ChangeSide()
    try cursor.append(to: &now, blobs: check.blobs)
    now.close()
    // The row of an object that did not change after its insertion has the same bytes as history,
    // so the bytes are compared first.
    if now.special.isEmpty, now.large.isEmpty, moved.isEmpty,
      known.int64(at: 1) == KnownObject.State.whole.rawValue,
      now.json.withUnsafeBytes({ $0.elementsEqual(known.bytes(at: 2)) })
    {
      return false
    }
    guard let object = object() else { return false }
    let values = ChangeNotes(special: now.special, large: now.large)
      .valuesByKey(of: CanonicalText(now.json))
    for index in cursor.layout.columns.indices {
      let column = ColumnIndex(index)
      let key = encoder.key(column)
      guard let before = try value(at: column, of: object, id: cursor.id),
        let after = values[Array(key)],
        before != after, !isNamed(before, at: column)
      else { continue }
      text.appendChanged(key)
      text.before.append(key, value: before)
      text.after.append(key, value: after)
    }
    if object.state == .whole {
      for links in cursor.links {
        let old = try self.links(links, of: object, id: cursor.id)
        compare(links, old: old, new: values[links.key])
      }
    }
    return !text.changed.isEmpty
  }

  /// The value of a property according to history; nil if it is not known.
  private func value(
    at column: ColumnIndex,
    of object: KnownObject,
    id: ObjectID
  ) throws -> EncodedValue? {
    let key = Array(encoder.key(column))
    guard let place = moved[key] else { return object.values[key] }
    guard object.state == .whole else { return nil }
    let target = try check.known.targets(of: id.integer, place: place).first
    return try encoder.encoded(
      target.map { .integer($0) } ?? .null,
      at: column,
      blobs: check.blobs
    )
  }

  /// The links of an object according to history; nil if there are none.
  private func links(
    _ links: LinkCursor,
    of object: KnownObject,
    id: ObjectID
  ) throws -> EncodedValue? {
    guard let place = moved[links.key] else { return object.values[links.key] }
    let targets = try check.known.targets(of: id.integer, place: place)
    return targets.isEmpty ? nil : links.encoder.list(targets)
  }

  /// Whether a row contains the digest that history has for a large value, even if its blob file is
  /// missing.
  private func isNamed(_ value: EncodedValue, at column: ColumnIndex) -> Bool {
    guard cursor.layout.columns[column].isExternal,
      case .text(let digest) = cursor.row.value(at: Int32(truncatingIfNeeded: column.number) + 1)
    else { return false }
    guard value.large.isEmpty else { return LargeReference(value.large)?.digest == digest }
    let text = Array(value.json.dropFirst().dropLast())
    guard let data = text.withUnsafeBytes({ parseBase64($0) }) else { return false }
    return data.withUnsafeBytes { SHA256.digest(of: $0) }.description == digest
  }

  private func compare(_ links: LinkCursor, old: EncodedValue?, new: EncodedValue?) {
    guard old != new else { return }
    let before = old.map { CanonicalText($0.json).elements } ?? []
    let after = new.map { CanonicalText($0.json).elements } ?? []
    func list(_ links: [[UInt8]]) -> EncodedValue {
      EncodedValue(json: [0x5b] + Array(links.joined(separator: [0x2c])) + [0x5d])
    }
    text.appendChanged(links.key)
    text.before.append(links.key, value: list(before.filter { !after.contains($0) }))
    text.after.append(links.key, value: list(after.filter { !before.contains($0) }))
  }

  /// Builds the difference for an object that history has and the table does not.
  private func appendDeletion(of object: KnownObject, id: ObjectID) throws {
    for index in cursor.layout.columns.indices {
      let column = ColumnIndex(index)
      let key = encoder.key(column)
      let value =
        check.keeps(column, of: entity) ? try value(at: column, of: object, id: id) : nil
      text.before.append(key, value: value ?? .erased)
    }
    guard object.state == .whole else { return }
    for links in cursor.links {
      if let list = try self.links(links, of: object, id: id) {
        text.before.append(links.key, value: list)
      }
    }
  }
}
