import Format
import SQLite

/// Reverts changes, and finds the later changes that depend on them.
final class Undo {
  var conflicts: [UndoConflict] = []
  let writer: Writer
  let format: ChangeFormat
  /// Writes the rows of an adopted file; nil in a store, whose writer records the rows itself.
  private let program: AdoptedUndo?
  private let values: ChangeValues
  /// The objects with conflicts, whose other changes are not reverted.
  private var left: Set<RowKey> = []
  /// The objects that the undo deletes and does not insert again.
  var removed: Set<RowKey> = []
  /// The references and links that the undo sets, by object.
  var targets: [RowKey: [Lead]] = [:]

  init(_ writer: Writer, program: AdoptedUndo? = nil) {
    self.writer = writer
    self.program = program
    format = ChangeFormat(writer.layouts)
    values = ChangeValues(decoders: format.decoders, blobs: writer.blobs) {
      try writer.blobs.content($0)
    }
  }

  /// Reverts transactions, and throws all conflicts if there are any.
  func run(_ range: ClosedRange<Int64>) throws {
    if let program {
      try program.inverses(of: range, apply)
      try program.writeWaiting()
    } else {
      let rows = HistoryRows(writer.connection)
      try rows.undo(
        range,
        obstacles: [.migration],
        obstructed: { rows.migrated(range.lowerBound, by: $0) },
        { try apply($1) }
      )
      try findTaken()
    }
    for key in removed.sorted() { try findReferences(to: key) }
    for (key, list) in targets.sorted(by: { $0.key < $1.key }) {
      try findMissing(key, leads: list)
    }
    guard conflicts.isEmpty else { throw try refusal(range) }
  }

  private func refusal(_ range: ClosedRange<Int64>) throws -> StoreError {
    // The open transaction of a store is the undo itself, which is not a later change.
    try HistoryRows(writer.connection).undoConflict(
      range,
      conflicts,
      before: program == nil ? writer.recorder.transaction : .max
    )
  }

  private func apply(_ change: Change) throws {
    guard let entity = format.entity(of: change) else {
      throw CanonicalEncodingError(message: "the schema has no such table")
    }
    let key = RowKey(entity: entity, id: change.id)
    guard !left.contains(key) else { return }
    try format.split(change, of: entity)
    let count = conflicts.count
    try program?.writeWaiting(key)
    if change.kind == .insert {
      try insert(key, change: change)
    } else if let row = try current(key) {
      let (before, links) = parts(format.before, key: key)
      let expected = try values.values(before, side: .before, change: change, of: entity)
      conflicts += try writer.differences(of: row, from: expected, members: before, key: key)
        .map { .changed($0) }
      if change.kind == .delete {
        try compareAllLinks(key, links)
        if conflicts.count == count { try delete(key, row: row) }
      } else {
        try compareLinks(key, links)
        if conflicts.count == count { try update(key, change: change) }
      }
    } else {
      note(key, property: nil, expected: "there", found: nil)
    }
    if conflicts.count > count { left.insert(key) }
  }

  private func insert(_ key: RowKey, change: Change) throws {
    let (columns, links) = parts(format.after, key: key)
    let row = try values.values(columns, side: .after, change: change, of: key.entity).compactMap {
      $0
    }
    let isThere = try program == nil ? writer.entity(of: key) != nil : current(key) != nil
    guard !isThere else { return note(key, property: nil, expected: nil, found: "there") }
    if let program {
      return try program.insert(key, columns: columns.map { ColumnIndex($0.index) }, values: row)
    }
    try writer.adoptNames(key, values: row)
    try writer.insert(key.entity, id: key.id.integer, values: row)
    removed.remove(key)
    for (index, value) in row.enumerated() { noteTarget(key, at: ColumnIndex(index), value: value) }
    for member in links { try setLinks(key, member: member) }
  }

  private func update(_ key: RowKey, change: Change) throws {
    let (after, links) = parts(format.after, key: key)
    let new = try values.values(after, side: .after, change: change, of: key.entity).compactMap {
      $0
    }
    let columns = after.map { ColumnIndex($0.index) }
    if let program { return try program.update(key, columns: columns, values: new) }
    for (column, value) in zip(columns, new) { noteTarget(key, at: column, value: value) }
    if !new.isEmpty {
      try writer.adoptNames(key, values: new)
      try writer.update(key.entity, id: key.id.integer, columns: columns, values: new)
    }
    for member in parts(format.before, key: key).links { try removeLinks(key, member: member) }
    for member in links { try setLinks(key, member: member) }
  }

  private func delete(_ key: RowKey, row: [Value]) throws {
    if let program { return try program.delete(key) }
    try writer.removeAlone(key, values: row)
    removed.insert(key)
    targets[key] = nil
  }

  /// The present values of an object; nil if it does not exist or has another entity.
  func current(_ key: RowKey) throws -> [Value]? {
    guard try program != nil || writer.entity(of: key) == key.entity else { return nil }
    return try writer.current(key)
  }

  func note(_ key: RowKey, property: String?, expected: String?, found: String?) {
    conflicts.append(
      .changed(writer.difference(key, property: property, expected: expected, found: found))
    )
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
