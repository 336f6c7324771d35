import AppleStores
import Format
import FoundationEssentials
import SQLite

/// Compares the objects of a store with the rows of its history file, and writes the rows.
///
/// What the recorded changes say is written silently; everything else is recorded.
final class AppleComparison {
  /// What differed from history.
  struct Found {
    var rows = 0
    var properties = 0
    /// The objects of the store.
    var total: Int64 = 0
    /// The rows of an unknown entity.
    var unknown: Int64 = 0
  }

  private let objects: AppleObjects
  private let writer: Writer
  private let recording: AppleRecording
  private let changes: ResolvedChanges
  private let values: UnknownValues
  /// The columns of rows whose values are unknown.
  private let unknown: [RowKey: [ColumnIndex: Int64]]
  private var found = Found()
  private var isContinued = true
  private var lastChange: Statement?

  init(
    _ objects: AppleObjects,
    _ writer: Writer,
    _ recording: AppleRecording,
    _ changes: ResolvedChanges
  ) throws {
    self.objects = objects
    self.writer = writer
    self.recording = recording
    self.changes = changes
    values = UnknownValues(writer.connection, layouts: writer.layouts)
    unknown = try values.all()
  }

  /// Which objects of a table are compared.
  private struct Selection {
    let root: Int
    var ranges: [ClosedRange<Int64>] = []
    /// Ids outside of the ranges.
    var ids: [Int64] = []
  }

  /// Compares some objects of the tables, or all that can differ; first the deletions, so that
  /// their ids and unique values are free.
  ///
  /// `isContinued` says whether the history file had changes before the reading.
  func write(_ ids: [Int: Set<Int64>]?, isContinued: Bool) throws -> Found {
    self.isContinued = isContinued
    let leaves = AppleLeaves(objects, writer)
    if ids != nil { try leaves.forget() }
    let selections = try objects.roots.map { root in
      var selection = Selection(root: root)
      if ids == nil {
        let (ranges, others) = try leaves.changedRanges(root)
        selection.ranges = ranges
        found.total += others
      }
      guard selection.ranges != [.min ... .max] else { return selection }
      var chosen = ids?[root] ?? []
      for entity in objects.apple.store.model.family(of: root) {
        try changes.forEachObject(of: entity) { chosen.insert($0) }
      }
      var rest = selection.ranges[...]
      selection.ids = chosen.sorted().filter { id in
        while let range = rest.first, range.upperBound < id { rest.removeFirst() }
        return rest.first?.contains(id) != true
      }
      return selection
    }
    try deleteVanished()
    for selection in selections where isContinued { try delete(selection) }
    for selection in selections { try write(selection) }
    found.unknown = objects.roots.reduce(0) { $0 + (objects.table($1)?.unknownCount ?? 0) }
    return found
  }

  /// Deletes the objects that the store does not have.
  private func delete(_ selection: Selection) throws {
    let family = objects.apple.store.model.family(of: selection.root)
    for range in selection.ranges {
      for entity in family {
        let cursor = try Cursor(writer.tables[objects.places[entity].entity], range)
        while cursor.hasRow {
          if try !objects.find(entity, cursor.id) { try delete(entity, cursor.id, cursor.values) }
          try cursor.advance()
        }
      }
    }
    for id in selection.ids {
      for entity in family {
        let key = RowKey(entity: objects.places[entity].entity, id: ObjectID(id))
        guard try writer.entity(of: key) == key.entity, let present = try writer.current(key),
          try !objects.find(entity, id)
        else { continue }
        try delete(entity, id, present)
      }
    }
  }

  /// Deletes the objects that history has, but of which no value was ever known and no row is
  /// there.
  private func deleteVanished() throws {
    for (entity, id) in try changes.vanished() {
      let key = objects.key(entity, id)
      guard try writer.current(key) == nil else { continue }
      found.rows += 1
      try recording.delete(key, objects.places[entity], present: nil, kept: [:])
    }
  }

  private func write(_ selection: Selection) throws {
    guard let table = objects.table(selection.root) else { return }
    for range in selection.ranges {
      var cursors: [Int: Cursor] = [:]
      for entity in objects.apple.store.model.family(of: selection.root) {
        cursors[entity] = try Cursor(writer.tables[objects.places[entity].entity], range)
      }
      try table.begin(range)
      while let row = try table.next() {
        found.total += 1
        guard let cursor = cursors[row.entity] else { continue }
        while cursor.hasRow, cursor.id < row.id { try cursor.advance() }
        try write(row, cursor.hasRow && cursor.id == row.id ? cursor.values : nil)
      }
    }
    for id in selection.ids {
      guard let row = try objects.row(inTable: selection.root, id) else { continue }
      let key = RowKey(entity: objects.places[row.entity].entity, id: ObjectID(id))
      try write(row, writer.current(key))
    }
  }

  // MARK: Objects

  /// Deletes an object that the store does not have.
  private func delete(_ entity: Int, _ id: Int64, _ present: [Value]) throws {
    let place = objects.places[entity]
    let key = RowKey(entity: place.entity, id: ObjectID(id))
    let outcome = try changes.outcome(of: entity, id)
    if outcome?.isLive ?? true {
      found.rows += 1
      var known = ColumnSet(count: place.count, isFull: true)
      for column in unknown[key, default: [:]].keys { known.remove(column.number) }
      if let outcome { known = known.subtracting(outcome.unknown) }
      try recording.delete(key, place, present: (present, known), kept: try links(key, place))
    }
    try remove(key, place, present)
  }

  /// The lists of links of a row that are not empty.
  private func links(_ key: RowKey, _ place: AppleObjects.Place) throws -> [Int: EncodedValue] {
    var result: [Int: EncodedValue] = [:]
    for (offset, join) in place.joins.enumerated() {
      let targets = try writer.joins[join].targets(of: key.id.integer)
      result[place.columnCount + offset] = writer.recorder.links[join].list(targets)
    }
    return result
  }

  private func remove(_ key: RowKey, _ place: AppleObjects.Place, _ present: [Value]) throws {
    for join in place.joins { try setLinks(join, of: key.id.integer, to: []) }
    if unknown[key] != nil { try values.removeAll(of: key) }
    try writer.replayDelete(key, row: present)
  }

  private func setLinks(_ join: JoinIndex, of id: Int64, to targets: [Int64]) throws {
    let statements = writer.joins[join]
    let present = try statements.targets(of: id)
    guard present != targets else { return }
    for target in Set(present).subtracting(targets) { try statements.remove(id, target: target) }
    for target in Set(targets).subtracting(present).sorted() {
      _ = try statements.add(id, target: target)
    }
  }

  /// Writes an object of the store.
  private func write(_ row: AppleRow, _ found: [Value]?) throws {
    let place = objects.places[row.entity]
    let key = RowKey(entity: place.entity, id: ObjectID(row.id))
    var present = found
    let outcome = try changes.outcome(of: row.entity, row.id)
    if outcome?.isLive == false, let row = present {
      try remove(key, place, row)
      present = nil
    }
    let isInserted =
      if let outcome { !outcome.isLive } else { try present == nil && !hasHistory(key) }
    if isInserted {
      self.found.rows += 1
      self.found.properties += place.count
      try recording.insert(key, place) { column, side in
        try objects.append(
          column,
          of: row.id,
          place,
          isInsertion: true,
          value: row.values[column],
          to: &side
        )
      }
    } else {
      try recordUpdate(row, key, place, present, outcome)
    }
    try put(row, key, place, present)
  }

  /// Records the properties whose values history does not have.
  private func recordUpdate(
    _ row: AppleRow,
    _ key: RowKey,
    _ place: AppleObjects.Place,
    _ present: [Value]?,
    _ outcome: ResolvedChanges.Outcome?
  ) throws {
    let unknown = self.unknown[key] ?? [:]
    let encoder = writer.recorder.encoders[key.entity]
    var count = 0
    for column in 0..<place.columnCount where outcome?.resolved.contains(column) != true {
      let index = ColumnIndex(column)
      let isKnown =
        present != nil && unknown[index] == nil && outcome?.unknown.contains(column) != true
      let now: EncodedValue?
      switch row.values[column] {
      case .missing where !isKnown: continue
      case .value(let value), .special(let value):
        if isKnown, let present, value.isSame(as: present[column]) { continue }
        now = try objects.encoded(row.values[column], place.place(column))
      default: now = try objects.encoded(row.values[column], place.place(column))
      }
      let before = try present.flatMap { present in
        isKnown ? try encoder.encoded(present[column], at: index, blobs: writer.blobs) : nil
      }
      if isKnown, now == before { continue }
      count += 1
      recording.append(
        place.keys[column],
        before: before ?? .unknown,
        after: now ?? .unknown
      )
    }
    for (offset, join) in place.joins.enumerated() {
      let column = place.columnCount + offset
      guard outcome?.resolved.contains(column) != true else { continue }
      let before = try writer.joins[join].targets(of: row.id)
      let after = try objects.targets(join, of: row.id)
      let isKnown = outcome?.unknown.contains(column) != true
      if isKnown, before == after { continue }
      count += 1
      let encoder = writer.recorder.links[join]
      guard isKnown else {
        recording.append(place.keys[column], before: .unknown, after: encoder.list(after))
        continue
      }
      let (gone, came) = (Set(before).subtracting(after), Set(after).subtracting(before))
      recording.append(
        place.keys[column],
        before: encoder.list(gone.sorted()),
        after: encoder.list(came.sorted())
      )
    }
    guard count > 0 else { return }
    found.rows += 1
    found.properties += count
    try recording.write(.update, key)
  }

  /// Whether history has the object, though its row is missing because no value of it was known.
  private func hasHistory(_ key: RowKey) throws -> Bool {
    guard isContinued else { return false }
    let finding = try lastChange ?? prepareLastChange()
    lastChange = finding
    defer { finding.reset() }
    try finding.bind(1, .text(writer.layouts[key.entity].entity.name))
    try finding.bind(2, .integer(key.id.integer))
    return try finding.step() && finding.string(at: 0) != ChangeKind.delete.rawValue
  }

  /// A statement that finds the kind of an object's last change before this reading.
  ///
  /// History has no index of objects, so it is read once.
  private func prepareLastChange() throws -> Statement {
    let connection = writer.connection
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS travelog_last_change
        (entity, object, kind, PRIMARY KEY (entity, object)) WITHOUT ROWID;
      DELETE FROM temp.travelog_last_change;
      INSERT OR REPLACE INTO temp.travelog_last_change
        SELECT entity, object, kind FROM \(connection.tables.change) ORDER BY id
      """
    )
    return try connection.prepare(
      "SELECT kind FROM temp.travelog_last_change WHERE entity = ?1 AND object = ?2"
    )
  }

  // MARK: Rows

  /// Makes a row that of the store, with placeholders for values whose files are missing.
  private func put(
    _ row: AppleRow,
    _ key: RowKey,
    _ place: AppleObjects.Place,
    _ present: [Value]?
  ) throws {
    let columns = writer.layouts[key.entity].columns
    var missing: [ColumnIndex] = []
    var values: [Value] = []
    values.reserveCapacity(place.columnCount)
    for column in 0..<place.columnCount {
      let index = ColumnIndex(column)
      if let value = try value(row.values[column], place.place(column)) {
        values.append(value)
      } else {
        missing.append(index)
        values.append(columns[index].placeholder(for: row.id))
      }
    }
    if let present {
      let changed = values.indices.filter { !values[$0].isSame(as: present[$0]) }
      if !changed.isEmpty {
        try writer.replayUpdate(
          key,
          columns: changed.map { ColumnIndex($0) },
          before: present,
          values: changed.map { values[$0] }
        )
      }
    } else if missing.isEmpty || missing.count < place.columnCount {
      try writer.replayInsert(key, values: values)
    } else {
      // As in a replica, an object has no row if nothing is known of it.
      missing = []
    }
    for join in place.joins {
      try setLinks(join, of: row.id, to: objects.targets(join, of: row.id))
    }
    if unknown[key] != nil { try self.values.removeAll(of: key) }
    try self.values.add(missing, of: key, transaction: writer.recorder.transaction)
  }

  /// A value in the form of rows; nil if its file is missing.
  private func value(_ stored: StoredValue, _ property: AppleObjects.Property) throws -> Value? {
    switch stored {
    case .value(let value), .special(let value): return value
    case .missing: return nil
    case .file(let file):
      let isApart =
        writer.layouts[property.entity].columns[ColumnIndex(property.column)].isExternal
        && writer.blobs.hasFolder
      guard isApart, let large = try objects.encoded(stored, property)?.large,
        let reference = LargeReference(large)
      else { return .blob(try LargeValue.file(file.path).data()) }
      return .text(reference.digest)
    }
  }

  /// The rows of one entity with ids in a range, of which one is the current row.
  private final class Cursor {
    private let table: Table
    private let rows: Statement
    private(set) var hasRow = false
    var id: Int64 { rows.int64(at: 0) }
    var values: [Value] { table.values(at: rows) }

    init(_ table: Table, _ range: ClosedRange<Int64>) throws {
      self.table = table
      let own = table.layout.ownCondition.map { " AND \($0)" } ?? ""
      rows = try table.connection.prepare(
        "SELECT \(table.list) FROM \(table.layout.table)"
          + " WHERE id BETWEEN ?1 AND ?2\(own) ORDER BY id"
      )
      try rows.bind(1, range.lowerBound)
      try rows.bind(2, range.upperBound)
      try advance()
    }

    func advance() throws { hasRow = try rows.step() }
  }
}
