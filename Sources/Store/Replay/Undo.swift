import Changes
import SQLite

/// Reverts changes through the writer, and finds the later changes that depend on them.
final class Undo {
  var conflicts: [UndoConflict] = []
  let writer: Writer
  let format: ChangeFormat
  private let values: ChangeValues
  /// The objects with conflicts, whose other changes are not reverted.
  private var left: Set<RowKey> = []
  /// The objects that the undo deletes and does not insert again.
  var removed: Set<RowKey> = []
  /// The references and links that the undo sets, by object.
  var targets: [RowKey: [Lead]] = [:]

  init(_ writer: Writer) throws {
    self.writer = writer
    format = ChangeFormat(writer.layouts)
    values = ChangeValues(decoders: format.decoders, blobs: writer.blobs) {
      try writer.blobs.content($0)
    }
  }

  func run(_ range: ClosedRange<Int64>) throws {
    let rows = HistoryRows(writer.connection)
    try rows.undo(
      range,
      obstacles: [.migration],
      obstructed: { rows.migrated(range.lowerBound, by: $0) },
      { try apply($1) }
    )
    try findTaken()
    for key in removed.sorted() { try findReferences(to: key) }
    for (key, list) in targets.sorted(by: { $0.key < $1.key }) {
      try findMissing(key, leads: list)
    }
  }

  func refusal(_ range: ClosedRange<Int64>) throws -> StoreError {
    // The open transaction is the undo itself, which is not a later change.
    try HistoryRows(writer.connection)
      .undoConflict(range, conflicts, before: writer.recorder.transaction)
  }

  private func apply(_ change: Change) throws {
    guard let entity = format.entity(of: change) else {
      throw CanonicalEncodingError(message: "the schema has no such entity")
    }
    let key = RowKey(entity: entity, id: ObjectID(change.object))
    guard !left.contains(key) else { return }
    try format.split(change, of: entity)
    let count = conflicts.count
    switch change.kind {
    case .insert: try insert(key, change: change)
    case .delete: try delete(key, change: change)
    case .update: try update(key, change: change)
    }
    if conflicts.count > count { left.insert(key) }
  }

  private func insert(_ key: RowKey, change: Change) throws {
    let (columns, links) = parts(format.after, key: key)
    let row = try values.values(columns, side: .after, change: change, of: key.entity).compactMap {
      $0
    }
    guard try writer.entity(of: key) == nil else {
      return note(key, property: nil, expected: nil, found: "there")
    }
    try writer.adoptNames(key, values: row)
    try writer.insert(key.entity, id: key.id.integer, values: row)
    removed.remove(key)
    for (index, value) in row.enumerated() { noteTarget(key, at: ColumnIndex(index), value: value) }
    for member in links { try setLinks(key, member: member) }
  }

  private func update(_ key: RowKey, change: Change) throws {
    let (before, linksBefore) = parts(format.before, key: key)
    let (after, linksAfter) = parts(format.after, key: key)
    guard let row = try current(key) else {
      return note(key, property: nil, expected: "there", found: nil)
    }
    try compare(key, row: row, members: before, change: change)
    for member in linksBefore { try compareLinks(key, member: member) }
    let gone = Set(try linksBefore.flatMap { try targets(of: $0, key: key) })
    for member in linksAfter {
      for target in try targets(of: member, key: key) where !gone.contains(target) {
        guard try statements(of: member, key: key).isLinked(key.id.integer, target: target.target)
        else {
          continue
        }
        note(
          key,
          property: property(member, key: key),
          expected: nil,
          found: "linked to \(target.target)"
        )
      }
    }
    guard !conflicts.contains(where: { isOf($0, key: key) }) else { return }
    let new = try values.values(after, side: .after, change: change, of: key.entity).compactMap {
      $0
    }
    for (member, value) in zip(after, new) {
      noteTarget(key, at: ColumnIndex(member.index), value: value)
    }
    if !new.isEmpty {
      try writer.adoptNames(key, values: new)
      let columns = after.map { ColumnIndex($0.index) }
      try writer.update(key.entity, id: key.id.integer, columns: columns, values: new)
    }
    for member in linksBefore { try removeLinks(key, member: member) }
    for member in linksAfter { try setLinks(key, member: member) }
  }

  private func delete(_ key: RowKey, change: Change) throws {
    let (before, links) = parts(format.before, key: key)
    guard let row = try current(key) else {
      return note(key, property: nil, expected: "there", found: nil)
    }
    try compare(key, row: row, members: before, change: change)
    let decoder = format.decoders[key.entity]
    for (offset, index) in decoder.joins.enumerated() {
      let member = links.first { $0.index == decoder.columnCount + offset }
      let expected = try member.map { try decoder.links($0) } ?? []
      let found = try writer.joins[index].targets(of: key.id.integer)
      guard found != expected else { continue }
      let name = writer.joins[index].table.logName(writer.layouts)
      note(
        key,
        property: name,
        expected: "linked to \(Self.list(expected))",
        found: "linked to \(Self.list(found))"
      )
    }
    guard !conflicts.contains(where: { isOf($0, key: key) }) else { return }
    try writer.removeAlone(key, values: row)
    removed.insert(key)
    targets[key] = nil
  }

  private static func list(_ targets: [Int64]) -> String {
    targets.isEmpty ? "nothing" : targets.map(String.init).joined(separator: ", ")
  }

  /// The present values of an object; nil if it does not exist or has another entity.
  func current(_ key: RowKey) throws -> [Value]? {
    guard try writer.entity(of: key) == key.entity else { return nil }
    return try writer.current(key)
  }

  private func compare(
    _ key: RowKey,
    row: [Value],
    members: ArraySlice<ObjectDecoder.Member>,
    change: Change
  ) throws {
    let expected = try values.values(members, side: .before, change: change, of: key.entity)
    conflicts += try writer.differences(of: row, from: expected, members: members, key: key)
      .map { .changed($0) }
  }

  func note(_ key: RowKey, property: String?, expected: String?, found: String?) {
    conflicts.append(
      .changed(writer.difference(key, property: property, expected: expected, found: found))
    )
  }

  private func isOf(_ conflict: UndoConflict, key: RowKey) -> Bool {
    guard case .changed(let difference) = conflict else { return false }
    return difference.object == key.id && difference.entity == name(key.entity)
  }

  /// Finds the objects that have unique values that the undo restores.
  private func findTaken() throws {
    try writer.putParkedRowsBack { key, error in
      let taken = writer.taken(from: key, error: error)
      // If the other object is not known, the save reports the duplicate value.
      guard let other = taken.by else { return }
      conflicts.append(
        .taken(
          entity: name(key.entity),
          object: key.id.integer,
          properties: taken.properties,
          byEntity: other.entity,
          byObject: other.id.integer
        )
      )
    }
  }

  func name(_ entity: EntityIndex) -> String { writer.layouts[entity].entity.name }
}
