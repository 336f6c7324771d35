import Format
import SQLite

/// The history of the rows of a store of the library, whose rows are objects and links.
///
/// A link is a change of the object that owns it. So the states of other rows at the beginning and
/// at the end of a transaction are needed, even if the transaction did not change them.
final class ObjectHistory: RowHistory {
  private enum Content {
    /// The objects of a family; the entities that have rows in the table are given by name.
    case objects([String: EntityIndex])
    case links(JoinIndex)
  }

  private struct Object {
    let key: RowKey
    /// The values in the order of ``EntityLayout/columns``.
    let values: [Value]
  }

  let recorder: ChangeRecorder
  let isWritten = false
  private let blobs: Blobs
  private let states: CapturedStates
  private let tables: [Table]
  private let contents: [Content]
  private let layouts: [EntityLayout]
  private let joins: [JoinTable]
  /// For each entity, the positions of its columns in the rows of its table.
  private let places: [[Int]]
  /// The index of each entity's table in ``tables``.
  private let entityTables: [Int]
  private let linkTables: [Int]
  /// The join tables that each entity owns.
  private let owned: [[JoinIndex]]
  /// For each table, the highest id that a captured row has or refers to.
  private var highestIDs: [Int64]
  private var clocks: ClosedRange<Int64> = 0...0

  init(
    _ schema: StoreSchema,
    states: CapturedStates,
    recorder: ChangeRecorder,
    blobs: Blobs
  ) throws {
    let tables = states.tables
    let layouts = try schema.layouts()
    let joins = joinTables(among: layouts)
    func table(_ name: String) -> Int { tables.firstIndex { $0.layout.entity.name == name } ?? 0 }
    self.recorder = recorder
    self.blobs = blobs
    self.states = states
    self.tables = tables
    self.layouts = layouts
    self.joins = joins
    contents = tables.map { table in
      let name = table.layout.entity.name
      if let join = joins.firstIndex(where: { $0.name == name }) { return .links(JoinIndex(join)) }
      let family = layouts.filter { $0.entity.table == name }
      return .objects(
        Dictionary(family.map { ($0.entity.name, $0.index) }, uniquingKeysWith: { $1 })
      )
    }
    entityTables = layouts.map { table($0.entity.table) }
    linkTables = joins.map { table($0.name) }
    places = layouts.map { layout in
      let columns = tables[table(layout.entity.table)].layout.columns
      return layout.columns.compactMap { column in
        columns.firstIndex { $0.quoted == column.quoted }
      }
    }
    owned = layouts.map { layout in
      joins.indexes { layouts[$0.owner].family.contains(layout.index) }
    }
    highestIDs = tables.map { _ in 0 }
  }

  // MARK: Transactions

  func begin(_ clocks: ClosedRange<Int64>) throws {
    self.clocks = clocks
    try recorder.begin()
  }

  func record(
    _ name: RowName,
    of table: Int,
    from before: [Value]?,
    to after: [Value]?,
    isReplaced: Bool
  ) throws {
    switch contents[table] {
    case .objects:
      let (old, new) = (object(before, in: table), object(after, in: table))
      // A deletion can erase values, so a replacement is not an update.
      if let old, let new, old.key == new.key, !isReplaced {
        return try update(old, values: new.values)
      }
      if let old { try remove(old) }
      if let new { try add(new) }
    case .links(let join):
      guard (before == nil) != (after == nil), let row = before ?? after,
        let (owner, target) = link(row)
      else { return }
      if after != nil {
        note(owner, in: entityTables[joins[join].owner])
        note(target, in: entityTables[joins[join].destination])
      }
      // If the owner is inserted or deleted, all of its links belong to this change.
      let table = entityTables[joins[join].owner]
      guard let old = try object(owner, in: table, isAfter: false),
        try object(owner, in: table, isAfter: true)?.key == old.key,
        owned[old.key.entity].contains(join)
      else { return }
      try recorder.link(old.key, join: join, target: target, isLinked: after != nil)
    }
  }

  func close(
    _ author: Author,
    operation: TransactionOperation,
    details: String,
    stamp: Provenance.Stamp?
  ) throws -> Bool {
    // In a store of the library, changes that were not captured are foreign changes too; the details
    // tell them apart.
    let count = try recorder.finish(author, operation: .foreign, details: details, stamp: stamp) {
      key in
      let object = try object(key.id.integer, in: entityTables[key.entity], isAfter: true)
      return object?.key == key ? object?.values : nil
    }
    if count == 0 { recorder.forget() }
    return count > 0
  }

  func save() {}

  /// Reserves the ids that foreign writers used, because SQLite does not reserve an id that an
  /// UPDATE set.
  func finish() throws {
    for (table, highest) in zip(tables, highestIDs) where highest > 0 {
      let name = table.layout.entity.name
      for sql in [
        "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1 AND seq < ?2",
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2"
          + " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
      ] {
        try table.connection.run(sql, values: [.text(name), .integer(highest)])
      }
    }
  }

  // MARK: Objects

  private func update(_ old: Object, values: [Value]) throws {
    let changed = values.indices.filter { !values[$0].isSame(as: old.values[$0]) }
    guard !changed.isEmpty else { return }
    let columns = layouts[old.key.entity].columns
    for column in changed {
      note(values[column], column: columns[column])
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

  private func add(_ object: Object) throws {
    let entity = object.key.entity
    let table = entityTables[entity]
    highestIDs[table] = max(highestIDs[table], object.key.id.integer)
    try countAll(object, difference: 1)
    try recorder.insert(object.key, values: object.values)
    for join in owned[entity] {
      for target in try targets(of: object, by: join, isAfter: true) {
        try recorder.link(object.key, join: join, target: target, isLinked: true)
      }
    }
  }

  private func remove(_ object: Object) throws {
    try countAll(object, difference: -1)
    var found: [JoinIndex: [Int64]] = [:]
    for join in owned[object.key.entity] {
      let links = try targets(of: object, by: join, isAfter: false)
      if !links.isEmpty { found[join] = links }
    }
    try recorder.delete(object.key, values: object.values, links: found)
  }

  private func countAll(_ object: Object, difference: Int64) throws {
    for (index, column) in layouts[object.key.entity].columns.enumerated() {
      if difference > 0 { note(object.values[index], column: column) }
      if column.isExternal { try count(object.values[index], difference: difference) }
    }
  }

  private func count(_ value: Value, difference: Int64) throws {
    guard case .text(let digest) = value, Digest(hexadecimal: digest) != nil else { return }
    try blobs.adopt(digest, rows: difference)
  }

  /// Remembers the id to which a row refers, so that no new object gets the id.
  private func note(_ value: Value, column: EntityLayout.Column) {
    guard case .integer(let id) = value, let destination = column.destination else { return }
    note(id, in: entityTables[destination])
  }

  private func note(_ id: Int64, in table: Int) {
    // A higher id is not reserved, because too few ids would remain for new objects.
    guard id < 1 << 53 else { return }
    highestIDs[table] = max(highestIDs[table], id)
  }

  // MARK: States

  /// The object in a row; nil if there is no row, or if no entity has the name in the row.
  private func object(_ row: [Value]?, in table: Int) -> Object? {
    guard let row, case .objects(let entities) = contents[table],
      case .integer(let id)? = row.first
    else { return nil }
    var entity = entities.values.first
    if tables[table].layout.columns.dropFirst().first?.name == "_entity" {
      guard case .text(let name) = row[1] else { return nil }
      entity = entities[name]
    }
    guard let entity else { return nil }
    return Object(
      key: RowKey(entity: entity, id: ObjectID(id)),
      values: places[entity].map { row[$0] }
    )
  }

  /// The object with an id before or after the transaction.
  private func object(_ id: Int64, in table: Int, isAfter: Bool) throws -> Object? {
    guard let name = RowName(key: [.integer(id)], rowid: nil) else { return nil }
    return try object(states.row(name, of: table, after: clock(isAfter)), in: table)
  }

  private func clock(_ isAfter: Bool) -> Int64 {
    isAfter ? clocks.upperBound : clocks.lowerBound - 1
  }

  private func link(_ row: [Value]) -> (owner: Int64, target: Int64)? {
    guard row.count == 2, case .integer(let owner) = row[0], case .integer(let target) = row[1]
    else { return nil }
    return (owner, target)
  }

  /// The targets of an owner's links before or after the transaction, in ascending order.
  private func targets(of owner: Object, by join: JoinIndex, isAfter: Bool) throws -> [Int64] {
    let table = linkTables[join]
    let clock = clock(isAfter)
    var result: Set<Int64> = []
    let now = try tables[table].connection.cached(
      "SELECT * FROM \(tables[table].layout.table)"
        + " WHERE \(tables[table].layout.columns[0].quoted) = ?1"
    )
    try now.bind(1, owner.key.id.integer)
    while try now.step() {
      if let (_, target) = link([now.value(at: 0), now.value(at: 1)]) { result.insert(target) }
    }
    now.reset()
    for name in try states.changed(ofOwner: owner.key.id.integer, in: table) {
      guard case .key(let key) = name.identity, let (_, target) = link(key) else { continue }
      if try states.row(name, of: table, after: clock) == nil {
        result.remove(target)
      } else {
        result.insert(target)
      }
    }
    return result.sorted()
  }
}
