import Format
import SQLite

/// The statements that write rows of `history_change`, with their buffers.
///
/// `ChangeRow` is a structure, which gives its owner exclusive access to all buffers at once.
struct ChangeRow {
  private let insertion: Statement
  private let replacement: Statement
  private let removal: Statement
  private let reading: Statement
  var text = ChangeText()
  private let blobs: Blobs
  /// The encoder of the entity whose name is bound to the statement; it owns the bytes of this
  /// name.
  private var boundEntity: ObjectEncoder?

  init(_ connection: Connection, blobs: Blobs) throws {
    self.blobs = blobs
    let table = connection.tables.change
    insertion = try connection.prepare(
      """
      INSERT INTO \(table) (id, kind, changed, before, after, special, large,
        leaf, transaction_id, sequence, entity, object)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      """
    )
    replacement = try connection.prepare(
      """
      UPDATE \(table) SET kind = ?2, changed = ?3, before = ?4, after = ?5, special = ?6,
        large = ?7, leaf = ?8 WHERE id = ?1
      """
    )
    removal = try connection.prepare("DELETE FROM \(table) WHERE id = ?1")
    reading = try connection.prepare(
      "SELECT before, special, large FROM \(table) WHERE id = ?1"
    )
  }

  /// Adds all properties of an object to the values after the change.
  mutating func appendAfter(_ values: [Value], encoder: ObjectEncoder) throws {
    try text.after.append(values, encoder: encoder, blobs: blobs)
  }

  mutating func appendChanges(
    _ columns: [ColumnIndex],
    from old: [Value],
    to new: [Value],
    encoder: ObjectEncoder
  ) throws {
    for index in columns.indices where !old[index].isSame(as: new[index]) {
      text.appendChanged(encoder.key(columns[index]))
      try text.before.append(old[index], at: columns[index], encoder: encoder, blobs: blobs)
      try text.after.append(new[index], at: columns[index], encoder: encoder, blobs: blobs)
    }
  }

  /// Inserts a row with the contents of the buffers.
  mutating func insert(
    id: Int64,
    kind: ChangeKind,
    transaction: Int64,
    sequence: Int64,
    entity: ObjectEncoder,
    object: ObjectID
  ) throws {
    try insertion.bind(9, transaction)
    try insertion.bind(10, sequence)
    if boundEntity !== entity {
      try insertion.bind(11, borrowedText: entity.name)
      boundEntity = entity
    }
    try insertion.bind(12, object.integer)
    try run(insertion, id: id, kind: kind)
  }

  /// Inserts a row with another history's change, byte for byte.
  mutating func copy(_ change: Change, id: Int64, transaction: Int64) throws {
    boundEntity = nil
    try insertion.bind(9, transaction)
    try insertion.bind(10, change.sequence)
    try insertion.bind(11, borrowedText: change.entity)
    if change.name.isEmpty {
      try insertion.bind(12, change.object)
    } else {
      try insertion.bind(12, borrowedText: change.name)
    }
    try insertion.run(id: id, change: change, blobs: blobs)
  }

  /// Replaces a row by the contents of the buffers.
  mutating func replace(id: Int64, kind: ChangeKind) throws {
    try releaseLargeValues(id: id)
    try run(replacement, id: id, kind: kind)
  }

  func remove(id: Int64) throws {
    try releaseLargeValues(id: id)
    try removal.bind(1, id)
    try removal.run()
  }

  /// The values before the change in a row, by their JSON keys.
  func valuesBefore(id: Int64) throws -> [[UInt8]: EncodedValue] {
    try reading.bind(1, id)
    defer { reading.reset() }
    guard try reading.step() else { return [:] }
    let notes = ChangeNotes(
      on: .before,
      special: CanonicalText(reading.bytes(at: 1)),
      large: CanonicalText(reading.bytes(at: 2))
    )
    return notes.valuesByKey(of: CanonicalText(reading.bytes(at: 0)))
  }

  /// Subtracts a row's uses of large values from the counts of uses.
  private func releaseLargeValues(id: Int64) throws {
    guard blobs.isTouched else { return }
    try reading.bind(1, id)
    defer { reading.reset() }
    guard try reading.step() else { return }
    for digest in digests(in: reading.bytes(at: 2)) { try blobs.count(digest, history: -1) }
  }

  private mutating func run(_ statement: Statement, id: Int64, kind: ChangeKind) throws {
    let blobs = blobs
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    try text.withChange(kind, sequence: 0, entity: none, object: 0) {
      try statement.run(id: id, change: $0, blobs: blobs)
    }
  }
}

/// The digests in the column `large` of a row.
func digests(in large: UnsafeRawBufferPointer) -> [String] {
  guard !large.isEmpty else { return [] }
  return CanonicalText(large).members.flatMap { side in
    CanonicalText(side.value).members.compactMap { LargeReference($0.value)?.digest }
  }
}

extension Statement {
  /// Binds the parameters that INSERT and UPDATE have in common, and runs the statement.
  fileprivate func run(id: Int64, change: Change, blobs: Blobs) throws {
    for digest in digests(in: change.large) { try blobs.count(digest, history: 1) }
    try bind(1, id)
    try change.kind.withName { try bind(2, borrowedText: $0) }
    try bindText(3, bytes: change.changed)
    try bindText(4, bytes: change.before)
    try bindText(5, bytes: change.after)
    try bindText(6, bytes: change.special)
    try bindText(7, bytes: change.large)
    try bindText(8, bytes: change.leaf)
    try run()
  }

  private func bindText(_ index: Int32, bytes: UnsafeRawBufferPointer) throws {
    if bytes.isEmpty {
      try bindNull(index)
    } else {
      try bind(index, borrowedText: bytes)
    }
  }
}
