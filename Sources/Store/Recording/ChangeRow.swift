import SQLite

/// The statements that write rows of `history_change`, with the buffers that they write from.
///
/// A structure, so that its owner has exclusive access to all buffers at once.
struct ChangeRow {
  private let insertion: Statement
  private let replacement: Statement
  private let removal: Statement
  private let reading: Statement
  /// The JSON list of what changed; empty for none.
  var changed: [UInt8] = []
  var before = ChangeSide()
  var after = ChangeSide()
  private var special: [UInt8] = []
  private var large: [UInt8] = []
  private let blobs: Blobs
  /// The entity whose name is bound; the name's bytes belong to its encoder.
  private var boundEntity: ObjectEncoder?

  init(_ connection: Connection, _ blobs: Blobs) throws {
    self.blobs = blobs
    insertion = try connection.prepare(
      """
      INSERT INTO history_change (id, kind, changed, before, after, special, large,
        transaction_id, sequence, entity, object)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """
    )
    replacement = try connection.prepare(
      """
      UPDATE history_change SET kind = ?2, changed = ?3, before = ?4, after = ?5, special = ?6,
        large = ?7 WHERE id = ?1
      """
    )
    removal = try connection.prepare("DELETE FROM history_change WHERE id = ?1")
    reading = try connection.prepare(
      "SELECT before, special, large FROM history_change WHERE id = ?1"
    )
  }

  /// Makes the buffers empty.
  mutating func removeAll() {
    changed.empty()
    before.removeAll()
    after.removeAll()
    special.empty()
    large.empty()
  }

  /// Adds a name to the list of what changed; the key has quotes and a colon.
  mutating func appendChanged(_ key: some Collection<UInt8>) {
    changed.append(changed.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
    changed.append(contentsOf: key.dropLast())
  }

  /// Adds all properties of an object as they are now.
  mutating func appendAfter(_ values: [Value], _ encoder: ObjectEncoder) throws {
    try after.append(values, encoder, blobs)
  }

  /// Adds the properties that differ.
  mutating func appendChanges(
    _ columns: [Int],
    from old: [Value],
    to new: [Value],
    _ encoder: ObjectEncoder
  ) throws {
    for index in columns.indices where !old[index].isSame(as: new[index]) {
      appendChanged(encoder.key(columns[index]))
      try before.append(old[index], at: columns[index], encoder, blobs)
      try after.append(new[index], at: columns[index], encoder, blobs)
    }
  }

  /// Writes a new row of what is in the buffers.
  mutating func insert(
    id: Int64,
    _ kind: ChangeKind,
    transaction: Int64,
    sequence: Int64,
    entity: ObjectEncoder,
    object: Int64
  ) throws {
    try insertion.bind(8, transaction)
    try insertion.bind(9, sequence)
    if boundEntity !== entity {
      try insertion.bind(10, borrowedText: entity.name)
      boundEntity = entity
    }
    try insertion.bind(11, object)
    try run(insertion, id, kind)
  }

  /// Writes a new row that is another history's change, byte for byte.
  mutating func copy(_ change: Change, id: Int64, transaction: Int64) throws {
    if !change.large.isEmpty {
      for digest in digests(in: Array(change.large)) { try blobs.count(digest, history: 1) }
    }
    boundEntity = nil
    try insertion.bind(1, id)
    try change.kind.withName { try insertion.bind(2, borrowedText: $0) }
    try insertion.bindText(3, change.changed.isEmpty ? nil : change.changed)
    try insertion.bindText(4, change.before.isEmpty ? nil : change.before)
    try insertion.bindText(5, change.after.isEmpty ? nil : change.after)
    try insertion.bindText(6, change.special.isEmpty ? nil : change.special)
    try insertion.bindText(7, change.large.isEmpty ? nil : change.large)
    try insertion.bind(8, transaction)
    try insertion.bind(9, change.sequence)
    try insertion.bind(10, borrowedText: change.entity)
    try insertion.bind(11, change.object)
    try insertion.run()
  }

  /// Writes what is in the buffers over a row.
  mutating func replace(id: Int64, _ kind: ChangeKind) throws {
    try releaseLargeValues(id: id)
    try run(replacement, id, kind)
  }

  /// Takes a row away.
  func remove(id: Int64) throws {
    try releaseLargeValues(id: id)
    try removal.bind(1, id)
    try removal.run()
  }

  /// The values before the change that a row holds, by the members' keys.
  func valuesBefore(id: Int64) throws -> [[UInt8]: EncodedValue] {
    try reading.bind(1, id)
    defer { reading.reset() }
    guard try reading.step() else { return [:] }
    let before = reading.withBytes(at: 0) { Array($0) }
    let special = reading.withBytes(at: 1) { Array($0) }
    var result: [[UInt8]: EncodedValue] = [:]
    for member in members(of: before) { result[member.key] = EncodedValue(json: member.value) }
    let large = reading.withBytes(at: 2) { Array($0) }
    for side in members(of: special) where side.key == Array(#""before":"#.utf8) {
      for member in members(of: side.value) { result[member.key]?.special = member.value }
    }
    for side in members(of: large) where side.key == Array(#""before":"#.utf8) {
      for member in members(of: side.value) { result[member.key]?.large = member.value }
    }
    return result
  }

  /// Counts the large values of a row as no longer needed by it.
  private func releaseLargeValues(id: Int64) throws {
    guard blobs.isTouched else { return }
    try reading.bind(1, id)
    defer { reading.reset() }
    guard try reading.step() else { return }
    for digest in reading.withBytes(at: 2, { digests(in: Array($0)) }) {
      try blobs.count(digest, history: -1)
    }
  }

  private mutating func run(_ statement: Statement, _ id: Int64, _ kind: ChangeKind) throws {
    if !changed.isEmpty { changed.append(UInt8(ascii: "]")) }
    let hasBefore = kind != .insert
    let hasAfter = kind != .delete
    before.close()
    after.close()
    joinSides(before.special, after.special, to: &special)
    joinSides(before.large, after.large, to: &large)
    if !large.isEmpty {
      for digest in digests(in: large) { try blobs.count(digest, history: 1) }
    }
    try statement.bind(1, id)
    try kind.withName { try statement.bind(2, borrowedText: $0) }
    try changed.withUnsafeBytes { changed in
      try before.json.withUnsafeBytes { before in
        try after.json.withUnsafeBytes { after in
          try special.withUnsafeBytes { special in
            try large.withUnsafeBytes { large in
              try statement.bindText(3, changed.isEmpty ? nil : changed)
              try statement.bindText(4, hasBefore ? before : nil)
              try statement.bindText(5, hasAfter ? after : nil)
              try statement.bindText(6, special.isEmpty ? nil : special)
              try statement.bindText(7, large.isEmpty ? nil : large)
              try statement.run()
            }
          }
        }
      }
    }
  }
}

extension [UInt8] {
  /// Removes all bytes, and keeps the room; most buffers are empty already for most rows.
  mutating func empty() {
    if !isEmpty { removeAll(keepingCapacity: true) }
  }
}

/// Puts the notes on both sides of a change into one object.
func joinSides(_ before: [UInt8], _ after: [UInt8], to object: inout [UInt8]) {
  if !after.isEmpty { appendMember(#""after":"#.utf8, after, to: &object) }
  if !before.isEmpty { appendMember(#""before":"#.utf8, before, to: &object) }
  if !object.isEmpty { object.append(UInt8(ascii: "}")) }
}

/// The digests that a row's `large` names.
func digests(in large: [UInt8]) -> [String] {
  members(of: large).flatMap { side in
    members(of: side.value).compactMap { member in
      members(of: member.value).first.map {
        String(decoding: $0.value.dropFirst().dropLast(), as: UTF8.self)
      }
    }
  }
}

extension Statement {
  fileprivate func bindText(_ index: Int32, _ bytes: UnsafeRawBufferPointer?) throws {
    if let bytes {
      try bind(index, borrowedText: bytes)
    } else {
      try bindNull(index)
    }
  }
}
