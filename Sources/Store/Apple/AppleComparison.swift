import AppleStores
import Format
import SQLite

/// Compares the objects of a store with those of its history file.
final class AppleComparison {
  /// The objects that differ.
  struct Found {
    var deleted: [RowKey] = []
    /// Objects that the history file lacks, or whose values differ.
    var changed: [(entity: Int, key: RowKey)] = []
    var rowCount: Int { deleted.count + changed.count }
    var propertyCount = 0
    /// The objects of the store.
    var total: Int64 = 0
    /// The rows of an unknown entity.
    var unknown: Int64 = 0
    var isEmpty: Bool { rowCount == 0 }
  }

  let objects: AppleObjects
  let writer: Writer
  private let rows: ObjectRows
  /// The columns of rows whose values are unknown.
  private let unknown: [RowKey: [ColumnIndex: Int64]]

  init(_ objects: AppleObjects, _ writer: Writer) throws {
    self.objects = objects
    self.writer = writer
    rows = try ObjectRows(writer.connection, layouts: writer.layouts)
    unknown = try UnknownValues(writer.connection, layouts: writer.layouts).all()
  }

  /// Reads both sides in the order of ids.
  func find() throws -> Found {
    var found = Found()
    for root in objects.roots {
      guard let table = objects.table(root) else { continue }
      var cursors: [Int: Cursor] = [:]
      for entity in objects.apple.store.model.family(of: root) {
        cursors[entity] = try Cursor(rows.cursor(of: objects.places[entity].entity))
      }
      while let row = try table.next() {
        found.total += 1
        guard let cursor = cursors[row.entity] else { continue }
        while cursor.hasRow, cursor.id < row.id { try delete(cursor, row.entity, &found) }
        let key = RowKey(entity: objects.places[row.entity].entity, id: ObjectID(row.id))
        let isThere = cursor.hasRow && cursor.id == row.id
        let count = try differences(row, key, isThere ? cursor.objects : nil)
        if count > 0 || !isThere { found.changed.append((row.entity, key)) }
        found.propertyCount += count
        if isThere { try cursor.advance() }
      }
      found.unknown += table.unknownCount
      for (entity, cursor) in cursors {
        while cursor.hasRow { try delete(cursor, entity, &found) }
      }
    }
    return found
  }

  private func delete(_ cursor: Cursor, _ entity: Int, _ found: inout Found) throws {
    let id = ObjectID(cursor.id)
    found.deleted.append(RowKey(entity: objects.places[entity].entity, id: id))
    try cursor.advance()
  }

  /// The number of properties that differ; all of them if the history file lacks the object.
  private func differences(_ row: AppleRow, _ key: RowKey, _ cursor: ObjectCursor?) throws -> Int {
    guard let cursor else { return objects.places[row.entity].count }
    return try differing(row, key, cursor.values).count
  }

  func differing(_ row: AppleRow, _ key: RowKey, _ values: [Value]) throws -> [Int] {
    let place = objects.places[row.entity]
    let unknown = self.unknown[key] ?? [:]
    let encoder = writer.recorder.encoders[key.entity]
    var result: [Int] = []
    for column in 0..<place.columnCount {
      let index = ColumnIndex(column)
      switch row.values[column] {
      case .missing:
        if unknown[index] == nil { result.append(column) }
        continue
      case .value(let value), .special(let value):
        if unknown[index] == nil, value.isSame(as: values[column]) { continue }
      case .file: break
      }
      let now = try objects.encoded(row.values[column], place.place(column))
      let before = try encoder.encoded(values[column], at: index, blobs: writer.blobs)
      if unknown[index] != nil || now != before { result.append(column) }
    }
    for (offset, join) in place.joins.enumerated() {
      let now = try objects.links[join]?.destinations(of: row.id) ?? []
      if try now != writer.joins[join].targets(of: row.id) {
        result.append(place.columnCount + offset)
      }
    }
    return result
  }

  /// Writes what was found; first the deletions, so that their ids and unique values are free.
  func write(_ found: Found, to recording: AppleRecording) throws {
    for key in found.deleted { try delete(key, recording) }
    for (entity, key) in found.changed {
      guard let row = try objects.row(entity, key.id.integer) else { continue }
      let place = objects.places[entity]
      guard let values = try writer.current(key) else {
        if try hasHistory(key) {
          try update(row, key, nil, recording)
        } else {
          try recording.insert(key, place, objects) { try objects.value($0, row) }
        }
        continue
      }
      try update(row, key, values, recording)
    }
  }

  /// Whether history has the object, though its row is missing because no value of it was known.
  private func hasHistory(_ key: RowKey) throws -> Bool {
    let last = try writer.connection.first(
      """
      SELECT kind FROM \(writer.connection.tables.change) WHERE entity = ?1 AND object = ?2
      ORDER BY id DESC LIMIT 1
      """,
      values: [.text(writer.layouts[key.entity].entity.name), .integer(key.id.integer)]
    ) { $0.string(at: 0) }
    return last.map { $0 != ChangeKind.delete.rawValue } ?? false
  }

  private func update(
    _ row: AppleRow,
    _ key: RowKey,
    _ values: [Value]?,
    _ recording: AppleRecording
  ) throws {
    let place = objects.places[row.entity]
    let unknown = self.unknown[key] ?? [:]
    let encoder = writer.recorder.encoders[key.entity]
    let columns = try values.map { try differing(row, key, $0) } ?? Array(0..<place.count)
    try recording.write(.update, key) { text in
      for column in columns {
        guard column < place.columnCount else {
          try appendLinks(place.joins[column - place.columnCount], row.id, to: &text)
          continue
        }
        let index = ColumnIndex(column)
        let before = try values.flatMap { values in
          unknown[index] == nil
            ? try encoder.encoded(values[column], at: index, blobs: writer.blobs) : nil
        }
        text.appendChanged(encoder.key(index))
        text.before.append(encoder.key(index), value: before ?? .unknown)
        let now = try objects.encoded(row.values[column], place.place(column))
        text.after.append(encoder.key(index), value: now ?? .unknown)
      }
    }
  }

  private func appendLinks(_ join: JoinIndex, _ id: Int64, to text: inout ChangeText) throws {
    let before = try writer.joins[join].targets(of: id)
    let after = try objects.links[join]?.destinations(of: id) ?? []
    guard before != after else { return }
    let encoder = writer.recorder.links[join]
    let (gone, came) = (Set(before).subtracting(after), Set(after).subtracting(before))
    text.appendChanged(encoder.key)
    text.before.append(encoder.key, value: encoder.list(gone.sorted()))
    text.after.append(encoder.key, value: encoder.list(came.sorted()))
  }

  private func delete(_ key: RowKey, _ recording: AppleRecording) throws {
    guard let values = try writer.current(key) else { return }
    let unknown = self.unknown[key] ?? [:]
    let encoder = writer.recorder.encoders[key.entity]
    try recording.write(.delete, key) { text in
      for (column, value) in values.enumerated() {
        let index = ColumnIndex(column)
        text.before.append(
          encoder.key(index),
          value: unknown[index] == nil
            ? try encoder.encoded(value, at: index, blobs: writer.blobs) : .unknown
        )
      }
      for join in format(key.entity) {
        let links = writer.recorder.links[join]
        let targets = try writer.joins[join].targets(of: key.id.integer)
        if !targets.isEmpty { text.before.append(links.key, value: links.list(targets)) }
      }
    }
  }

  private func format(_ entity: EntityIndex) -> [JoinIndex] {
    objects.places.first { $0.entity == entity }?.joins ?? []
  }

  /// The rows of one entity, of which one is the current row.
  private final class Cursor {
    let objects: ObjectCursor
    private(set) var hasRow = false
    var id: Int64 { objects.id.integer }

    init(_ objects: ObjectCursor) throws {
      self.objects = objects
      try advance()
    }

    func advance() throws { hasRow = try objects.next() }
  }
}
