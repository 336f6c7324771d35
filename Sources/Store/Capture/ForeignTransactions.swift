import Changes
import SQLite

/// Turns captured rows into transactions of history, which a recorder writes.
///
/// The captured rows are read in order. To find the state of an object or its links after a
/// captured row, the later captured changes are reverted, starting with the present state.
final class ForeignTransactions {
  let rows: CapturedRows
  let tables: [ForeignTable]
  private let layouts: [EntityLayout]
  private let joins: [JoinTable]
  private let recorder: ChangeRecorder
  private let blobs: Blobs
  /// For each entity, the positions of its columns in ``ForeignTable/columns``.
  let places: [[Int]]
  /// The index of each entity's table in ``tables``.
  private let entityTables: [Int]
  let linkTables: [Int]
  private let owned: [[JoinIndex]]
  /// For each table, the captured rows that `REPLACE` may have deleted.
  private var victims: [[CapturedRow]]
  /// For each table, the highest id that a captured row has or refers to.
  private var highestIDs: [Int64]

  /// Reads captured rows from one connection.
  ///
  /// The recorder can write history to another connection.
  init(
    _ connection: Connection,
    schema: StoreSchema,
    recorder: ChangeRecorder,
    blobs: Blobs
  ) throws {
    let tables = try ForeignCapture.of(schema).tables
    let layouts = try schema.layouts()
    let joins = joinTables(among: layouts)
    self.tables = tables
    self.layouts = layouts
    self.joins = joins
    self.recorder = recorder
    self.blobs = blobs
    rows = CapturedRows(connection, tables: tables)
    places = layouts.map { layout in
      let columns = tables.first { $0.name == layout.entity.table }?.columns ?? []
      return layout.columns.compactMap { columns.firstIndex(of: $0.quoted) }
    }
    entityTables = layouts.map { layout in
      tables.firstIndex { $0.name == layout.entity.table } ?? 0
    }
    linkTables = joins.map { join in tables.firstIndex { $0.name == join.name } ?? 0 }
    owned = layouts.map { layout in
      joins.indexes { layouts[$0.owner].family.contains(layout.index) }
    }
    victims = tables.map { _ in [] }
    highestIDs = tables.map { _ in 0 }
  }

  /// The highest ids in ``highestIDs``, each with the name of its table.
  var highest: [(String, Int64)] { zip(tables.map(\.name), highestIDs).map { ($0, $1) } }

  func record(through last: Int64) throws {
    let statement = try rows.rows(through: last)
    var first: CapturedRow.Place?
    var previous: CapturedRow.Place?
    while try statement.step() {
      guard let row = rows.row(at: statement) else { continue }
      if let previous, let begin = first, previous.endsTransaction(before: row.place) {
        try finish(begin, last: previous)
        first = nil
      }
      if first == nil {
        first = row.place
        try recorder.begin()
      }
      previous = row.place
      try apply(row)
    }
    if let first, let previous { try finish(first, last: previous) }
  }

  /// Ends a transaction of foreign changes, whose author, program and host are unknown.
  private func finish(_ first: CapturedRow.Place, last: CapturedRow.Place) throws {
    let stamp = Provenance.Stamp(
      time: timeText(milliseconds: last.time),
      process: "",
      processID: 0,
      host: "",
      seed: Seed(random: first.seed)
    )
    _ = try recorder.finish(Author(process: ""), operation: .foreign, stamp: stamp) { key in
      guard let object = try object(key.id.integer, in: entityTables[key.entity], after: last.id)
      else {
        return nil
      }
      return object.key == key ? object.values : nil
    }
  }

  private func apply(_ row: CapturedRow) throws {
    switch row.kind {
    case .victim:
      victims[row.table].removeAll { isSameRow($0, row) }
      victims[row.table].append(row)
    case .delete:
      victims[row.table].removeAll { isSameRow($0, row) }
      try change(row, from: row.before, to: nil)
    case .insert, .update:
      for victim in victims[row.table]
      where try (row.kind == .insert || !isSameRow(victim, row)) && rows.conflict(victim, with: row)
      {
        try change(victim, from: victim.before, to: nil, at: row.place.id)
      }
      victims[row.table].removeAll()
      try change(row, from: row.kind == .insert ? nil : row.before, to: row.after)
    }
  }

  /// Whether two captured rows have the same primary key.
  private func isSameRow(_ one: CapturedRow, _ other: CapturedRow) -> Bool {
    guard one.object == other.object else { return false }
    guard case .links = tables[one.table].content else { return true }
    let target = other.before.first ?? other.after.first
    return one.before.first == target
  }

  /// Records the change of a row.
  ///
  /// The state of its object is read as it was after the captured row with the id `time`; by
  /// default, after the row itself.
  private func change(
    _ row: CapturedRow,
    from before: [Value]?,
    to after: [Value]?,
    at time: Int64? = nil
  ) throws {
    let time = time ?? row.place.id
    switch tables[row.table].content {
    case .objects:
      let old = before.flatMap { object(row.object, in: row.table, columns: $0) }
      let new = after.flatMap { object(row.object, in: row.table, columns: $0) }
      if let old, let new, old.key == new.key { return try update(old, values: new.values) }
      if let old { try remove(old, at: time) }
      if let new { try add(new, at: time) }
    case .links(let join):
      if let after, let target = target(after) {
        name(row.object, in: entityTables[joins[join].owner])
        name(target, in: entityTables[joins[join].destination])
      }
      guard let owner = try object(row.object, in: entityTables[joins[join].owner], after: time),
        owned[owner.key.entity].contains(join)
      else { return }
      // An update of a link does not change its two ids, because the triggers capture a moved row
      // as a delete and an insert.
      guard before == nil || after == nil, let target = (before ?? after).flatMap({ target($0) })
      else { return }
      try recorder.link(owner.key, join: join, target: target, isLinked: after != nil)
    }
  }

  private func update(_ old: Object, values: [Value]) throws {
    let changed = values.indices.filter { !values[$0].isSame(as: old.values[$0]) }
    guard !changed.isEmpty else { return }
    let columns = layouts[old.key.entity].columns
    for column in changed {
      name(values[column], column: columns[column])
      guard columns[column].isExternal else { continue }
      try count(values[column], difference: 1)
      try count(old.values[column], difference: -1)
    }
    try recorder.update(
      old.key,
      columns: changed.map { ColumnIndex($0) },
      before: changed.map { old.values[$0] },
      after: changed.map { values[$0] }
    )
  }

  private func add(_ object: Object, at time: Int64) throws {
    let entity = object.key.entity
    let table = entityTables[entity]
    highestIDs[table] = max(highestIDs[table], object.key.id.integer)
    try countAll(object, difference: 1)
    try recorder.insert(object.key, values: object.values)
    for join in owned[entity] {
      for target in try targets(of: object.key.id.integer, by: join, after: time) {
        try recorder.link(object.key, join: join, target: target, isLinked: true)
      }
    }
  }

  private func remove(_ object: Object, at time: Int64) throws {
    try countAll(object, difference: -1)
    var found: [JoinIndex: [Int64]] = [:]
    for join in owned[object.key.entity] {
      let links = try targets(of: object.key.id.integer, by: join, after: time)
      if !links.isEmpty { found[join] = links }
    }
    try recorder.delete(object.key, values: object.values, links: found)
  }

  private func countAll(_ object: Object, difference: Int64) throws {
    for (index, column) in layouts[object.key.entity].columns.enumerated() {
      if difference > 0 { name(object.values[index], column: column) }
      if column.isExternal { try count(object.values[index], difference: difference) }
    }
  }

  /// Remembers the id to which a row refers, so that no new object gets the id.
  private func name(_ value: Value, column: EntityLayout.Column) {
    guard case .integer(let id) = value, let destination = column.destination else { return }
    name(id, in: entityTables[destination])
  }

  private func name(_ id: Int64, in table: Int) {
    // A higher id is not reserved, because too few ids would remain for new objects.
    guard id < 1 << 53 else { return }
    highestIDs[table] = max(highestIDs[table], id)
  }

  private func count(_ value: Value, difference: Int64) throws {
    guard case .text(let digest) = value, Digest(hexadecimal: digest) != nil else { return }
    try blobs.adopt(digest, rows: difference)
  }
}
