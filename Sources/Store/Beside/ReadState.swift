import Adoption
import Format
import Pages
import SQLite

/// Writes states of a database to the tables and the history of the history file beside it.
///
/// The caller has begun a SQL transaction in the history file. After a change of the database's
/// schema, a new object is needed.
final class ReadState {
  let catalog: Catalog
  private let writer: Writer
  private let replay: AdoptedReplay
  private var history: RecordedRows
  private let digests: LeafDigests
  private let connection: Connection
  private let comparisons: [RowComparison]
  /// The tables in the states of the database.
  private let tables: [Table]
  private let aliases: [String?]
  /// The numbers of rows that were equal, changed, deleted and inserted since this object was made.
  private(set) var counts = (
    equal: Int64(0), changed: Int64(0), deleted: Int64(0), inserted: Int64(0)
  )

  /// The largest number of rows of a commit that are looked up one by one.
  private static let mostRows = 1 << 17

  init(_ connection: Connection, database: Connection, location: Location) throws {
    self.connection = connection
    catalog = try Catalog(on: connection)
    writer = try Writer(
      connection,
      catalog: catalog,
      location: location,
      provenance: .system
    )
    replay = AdoptedReplay(writer)
    history = RecordedRows(recorder: writer.recorder, blobs: writer.blobs)
    digests = LeafDigests(connection)
    let layouts = writer.layouts
    let tables = layouts.map { Table(database, layout: $0, layouts: layouts) }
    comparisons = try zip(writer.tables, tables).map { try RowComparison($0, $1) }
    aliases = tables.map(\.rowIDAlias)
    self.tables = tables
  }

  var blobs: Blobs { writer.blobs }

  // MARK: Transactions

  /// Records what the closure finds as one transaction, unless it finds nothing.
  func record(
    _ operation: TransactionOperation,
    details: String,
    _ body: () throws -> Void
  ) throws {
    try writer.recorder.begin()
    try body()
    guard writer.recorder.count > 0 else { return writer.recorder.forget() }
    try finishRows()
    try writer.recorder.close(
      Author(process: ""),
      operation: operation,
      details: details
    )
  }

  private func finishRows() throws {
    var refused: [ReplayDifference] = []
    try replay.finish { refused.append($0) }
    guard let first = refused.first else { return }
    throw StoreError(.replayMismatch, at: connection.path, items: refused) {
      "A row of \(abbreviated(first.entity)) can't be written to \(connection.path):"
        + " \(first.found ?? "").\nMake a new history file: travelog adopt DATABASE --history NEW"
    }
  }

  /// Completes the tables before the SQL transaction ends.
  func complete() throws { try replay.complete(catalog.schema) }

  private func write(
    _ entity: Int,
    _ name: RowName,
    from before: [Value]?,
    to after: [Value]?
  ) throws {
    let table = writer.tables[entity]
    let key = RowKey(entity: table.layout.index, id: ObjectID(name))
    // A row that waits for the end of the transaction is written already, though it is missing.
    if before == nil, writer.parked[key] != nil { return }
    try history.record(name, from: before, to: after, of: table)
    switch (before, after) {
    case (nil, let after?):
      counts.inserted += 1
      try replay.insert(key, values: after)
    case (let before?, nil):
      counts.deleted += 1
      try replay.delete(key, before: before)
    case (let before?, let after?):
      counts.changed += 1
      let columns = after.indices.filter { !before[$0].isSame(as: after[$0]) }.map {
        ColumnIndex($0)
      }
      try replay.update(key, columns: columns, before: before, values: columns.map { after[$0] })
    case (nil, nil): break
    }
  }

  // MARK: By comparison

  /// Whether at least half of the rows were equal when the tables were compared.
  var hasMostRows: Bool {
    let least = counts.changed + min(counts.deleted, counts.inserted) + counts.equal
    return 2 * counts.equal >= least
  }

  /// Writes all differences between the history file and a state of the database.
  func compare(with view: DatabaseView, roots: [String: UInt32]) throws {
    for (entity, comparison) in comparisons.enumerated() {
      let name = tables[entity].layout.entity.name
      guard let root = roots[name] else { continue }
      let equalBefore = comparison.equalRows
      if comparison.isNumbered, try view.hasRowIDs(tree: root) {
        try compareLeaves(entity, name, view, root: root)
      } else {
        let digest = try view.digest(ofTree: root)
        if try digests.wholeTree(of: name) == digest {
          counts.equal += try RowsDigests.digest(of: name, on: connection)?.rows ?? 0
        } else {
          try comparison.forEachDifference { try write(entity, $0, from: $1, to: $2) }
          try digests.setWholeTree(digest, of: name)
        }
      }
      counts.equal += comparison.equalRows - equalBefore
    }
  }

  /// Compares the rows of the leaves that were not seen before, and the rows between leaves.
  private func compareLeaves(
    _ entity: Int,
    _ name: String,
    _ view: DatabaseView,
    root: UInt32
  ) throws {
    let comparison = comparisons[entity]
    var seen = PageSet(through: view.pageCount)
    /// The first row ID after the last known leaf; nil after the largest row ID.
    var start: Int64? = Int64.min
    func compare(before end: Int64?) throws {
      guard let start, end != .min else { return }
      let last = end.map { $0 - 1 } ?? .max
      guard start <= last else { return }
      try comparison.forEachDifference(in: start...last) {
        try write(entity, $0, from: $1, to: $2)
      }
    }
    try view.forEachLeaf(ofTable: root) { leaf in
      seen.insert(leaf.page)
      guard try digests.isKnown(leaf, of: name) else {
        return try digests.set(leaf, of: name)
      }
      counts.equal += Int64(leaf.rowCount)
      guard let rows = leaf.rows else { return }
      try compare(before: rows.lowerBound)
      start = rows.upperBound == .max ? nil : rows.upperBound + 1
    }
    try compare(before: nil)
    try digests.removeAll(of: name, except: seen)
  }

  // MARK: By commits

  /// The names of the rows that a commit may have changed, by the numbers of their tables; nil for a
  /// table that must be compared as a whole.
  typealias ChangedRows = [Int: Set<RowName>?]

  /// Finds the rows in changed pages, while the database shows the state before the commit.
  func changedRows(
    _ pages: Pages.Comparison,
    roots: (old: [String: UInt32], new: [String: UInt32])
  ) throws -> (rows: ChangedRows, ids: [Int: [Int64]]) {
    var rows: ChangedRows = [:]
    var ids: [Int: [Int64]] = [:]
    for (entity, table) in tables.enumerated() {
      let name = table.layout.entity.name
      guard let old = roots.old[name], let new = roots.new[name] else {
        rows[entity] = .some(nil)
        continue
      }
      guard try pages.new.hasRowIDs(tree: new) else {
        if try !pages.isSame(tree: old, newRoot: new) { rows[entity] = .some(nil) }
        continue
      }
      var found: [Int64] = []
      let leaves = try pages.forEachChangedRow(ofTable: old, newRoot: new) {
        if found.count <= Self.mostRows { found.append($0) }
      }
      guard !leaves.isEmpty else { continue }
      try digests.removeAll(of: name, in: Array(leaves))
      if found.count > Self.mostRows || !comparisons[entity].isNumbered && aliases[entity] == nil {
        rows[entity] = .some(nil)
      } else if !found.isEmpty {
        rows[entity] = try .some(names(of: found, entity))
        ids[entity] = found
      }
    }
    return (rows, ids)
  }

  /// The names of the rows of a table that have these row IDs in the present state of the database.
  private func names(of ids: [Int64], _ entity: Int) throws -> Set<RowName> {
    let comparison = comparisons[entity]
    if comparison.isNumbered { return Set(ids.compactMap(comparison.name)) }
    guard let alias = aliases[entity] else { return [] }
    return try Set(ids.compactMap { try tables[entity].name(ofRowID: $0, alias: alias) })
  }

  /// Writes the changes of a commit, while the database shows the state after it.
  func write(_ changed: (rows: ChangedRows, ids: [Int: [Int64]])) throws {
    for (entity, comparison) in comparisons.enumerated() {
      guard let rows = changed.rows[entity] else { continue }
      guard let rows else {
        try digests.removeAll(of: tables[entity].layout.entity.name, in: [])
        try comparison.forEachDifference { try write(entity, $0, from: $1, to: $2) }
        continue
      }
      let all =
        try comparison.isNumbered
        ? rows : rows.union(names(of: changed.ids[entity] ?? [], entity))
      for name in all.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
        try comparison.compare(name) { try write(entity, $0, from: $1, to: $2) }
      }
    }
  }
}
