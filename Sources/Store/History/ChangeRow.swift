import SQLite

/// The statements that write rows of `history_change`, with the buffers that they write from.
final class ChangeRow {
  private let insertion: Statement
  private let replacement: Statement
  private let removal: Statement
  private let reading: Statement
  /// The JSON list of what changed; empty for none.
  var changed: [UInt8] = []
  var before = ChangeSide()
  var after = ChangeSide()
  private var special: [UInt8] = []

  init(_ connection: Connection) throws {
    insertion = try connection.prepare(
      """
      INSERT INTO history_change (id, kind, changed, before, after, special, transaction_id,
        sequence, entity, object) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """
    )
    replacement = try connection.prepare(
      """
      UPDATE history_change SET kind = ?2, changed = ?3, before = ?4, after = ?5, special = ?6
        WHERE id = ?1
      """
    )
    removal = try connection.prepare("DELETE FROM history_change WHERE id = ?1")
    reading = try connection.prepare("SELECT before, special FROM history_change WHERE id = ?1")
  }

  /// Makes the buffers empty.
  func removeAll() {
    changed.removeAll(keepingCapacity: true)
    before.removeAll()
    after.removeAll()
    special.removeAll(keepingCapacity: true)
  }

  /// Adds a name to the list of what changed; the key has quotes and a colon.
  func appendChanged(_ key: [UInt8]) {
    changed.append(changed.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
    changed.append(contentsOf: key.dropLast())
  }

  /// Writes a new row of what is in the buffers.
  func insert(
    id: Int64,
    _ kind: ChangeKind,
    transaction: Int64,
    sequence: Int64,
    entity: String,
    object: Int64
  ) throws {
    try insertion.bind(7, transaction)
    try insertion.bind(8, sequence)
    try insertion.bind(9, entity)
    try insertion.bind(10, object)
    try run(insertion, id, kind)
  }

  /// Writes what is in the buffers over a row.
  func replace(id: Int64, _ kind: ChangeKind) throws {
    try run(replacement, id, kind)
  }

  /// Takes a row away.
  func remove(id: Int64) throws {
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
    for side in members(of: special) where side.key == Array(#""before":"#.utf8) {
      for member in members(of: side.value) { result[member.key]?.special = member.value }
    }
    return result
  }

  private func run(_ statement: Statement, _ id: Int64, _ kind: ChangeKind) throws {
    if !changed.isEmpty { changed.append(UInt8(ascii: "]")) }
    let hasBefore = kind != .insert
    let hasAfter = kind != .delete
    before.close()
    after.close()
    closeSpecial()
    try statement.bind(1, id)
    try kind.withText { try statement.bind(2, borrowedText: $0) }
    try changed.withUnsafeBytes { changed in
      try before.json.withUnsafeBytes { before in
        try after.json.withUnsafeBytes { after in
          try special.withUnsafeBytes { special in
            try statement.bindText(3, changed.isEmpty ? nil : changed)
            try statement.bindText(4, hasBefore ? before : nil)
            try statement.bindText(5, hasAfter ? after : nil)
            try statement.bindText(6, special.isEmpty ? nil : special)
            try statement.run()
          }
        }
      }
    }
  }

  private func closeSpecial() {
    for (name, side) in [("\"after\":", after), ("\"before\":", before)]
    where !side.special.isEmpty {
      special.append(special.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
      special.append(contentsOf: name.utf8)
      special.append(contentsOf: side.special)
    }
    if !special.isEmpty { special.append(UInt8(ascii: "}")) }
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

extension ChangeKind {
  /// Calls with the name's bytes, which stay where they are for as long as the program runs.
  fileprivate func withText(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    let name: StaticString =
      switch self {
      case .insert: "insert"
      case .update: "update"
      case .delete: "delete"
      }
    try body(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }
}
