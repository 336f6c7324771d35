import Format
import SQLite

/// The difference of a row between two stores: the change that turns the row of the first store
/// into the row of the second store.
///
/// A row that is only in the second store is an insertion. A row that is only in the first store is
/// a deletion. Links of a many-to-many relationship are listed as removed and added.
package typealias RowDifference = Change

extension Reader {
  /// Calls the closure with each difference between the rows of this store and of another store,
  /// sorted by the name of the entity and then by id.
  ///
  /// Both stores are read at the same time. If both readers have a second connection, two threads
  /// read. The rows of an adopted file are found by their keys; the differences of a table begin with
  /// the rows of this file, in their order, and then there are the rows that only the other file has.
  /// Two states of one store are compared only in the rows that changed between them, in the order of
  /// their keys.
  ///
  /// Only one object of each store is in memory at a time. Entities and properties that only
  /// one store has are skipped; ``StoreSchema/differences(fromStored:)`` reports them. During the
  /// call of the closure, ``largeData(_:)`` of a reader returns the large values of its object.
  package func differences(
    to other: Reader,
    _ body: (RowDifference) throws -> Void
  ) throws {
    try withPassingValues { mine in
      try other.withPassingValues { theirs in
        let comparison = try Comparison(self, oldValues: mine, other: other, newValues: theirs)
        guard connection.tablePrefix == nil else { return try comparison.runByKey(body) }
        try comparison.run(body)
      }
    }
  }

  func withPassingValues<Result>(_ body: (PassingValues) throws -> Result) throws -> Result {
    let passing = try PassingValues(besides: self)
    let before = self.passing
    self.passing = passing
    defer { self.passing = before }
    return try body(passing)
  }
}

private final class Comparison {
  private let one: Reader
  private let other: Reader
  private let old: ObjectRows
  private let new: ObjectRows
  private let oldValues: PassingValues
  private let newValues: PassingValues
  /// Keeps the old values of changed rows; in adopted files, callers read them with the new ones.
  private var changedValues: PassingValues {
    one.connection.tablePrefix == nil ? oldValues : newValues
  }
  private let oldUnknown: [RowKey: [ColumnIndex: Int64]]
  private let newUnknown: [RowKey: [ColumnIndex: Int64]]
  /// What is shown instead of a value that is unknown in the old or in the new store.
  private let oldUnknownValue: EncodedValue
  private let newUnknownValue: EncodedValue
  private var text = ChangeText()
  private var sequence: Int64 = 0

  init(
    _ one: Reader,
    oldValues: PassingValues,
    other: Reader,
    newValues: PassingValues
  ) throws {
    self.one = one
    self.other = other
    old = try ObjectRows(one.connection, layouts: one.layouts)
    new = try ObjectRows(other.connection, layouts: other.layouts)
    self.oldValues = oldValues
    self.newValues = newValues
    oldUnknown = try one.unknownValues()
    newUnknown = try other.unknownValues()
    oldUnknownValue = try one.unknownValue()
    newUnknownValue = try other.unknownValue()
  }

  private func pairs() -> [Pair] {
    new.layouts.compactMap { layout in
      old.layouts.first { $0.entity.name == layout.entity.name }.map {
        Pair($0, of: old, new: layout, of: new)
      }
    }
  }

  /// Compares the tables of adopted files.
  func runByKey(_ body: (RowDifference) throws -> Void) throws {
    // The entities of a point can have other indexes than those of its erased values.
    for reader in [one, other] where reader.erasedAtPoint != nil {
      try reader.checkValuesAreKnown()
    }
    for pair in pairs() where pair.hasSameColumns {
      let one = try old.cursor(of: pair.old.index)
      let other = try new.cursor(of: pair.new.index)
      let changed = try self.one.changedKeys(of: [pair.old.table], until: self.other)
      try one.forEach(in: changed) {
        let isThere = try other.find(one.id)
        try compare(pair, id: one.id, one: one, isThere ? other : nil, body)
      }
      try other.forEach(in: changed) {
        if try !one.find(other.id) { try compare(pair, id: other.id, one: nil, other, body) }
      }
    }
  }

  func run(_ body: (RowDifference) throws -> Void) throws {
    let pairs = pairs()
    var unknown = pairs.map(idsOfUnknown)
    let search = DifferenceSearch(one, other, compared: pairs.map { $0.compared(old, new) })
    var cursors: (index: Int, one: ObjectCursor, other: ObjectCursor)?
    func compare(_ index: Int, _ ids: [Int64]) throws {
      guard !ids.isEmpty else { return }
      let pair = pairs[index]
      let (one, other): (ObjectCursor, ObjectCursor)
      if let cursors, cursors.index == index {
        (one, other) = (cursors.one, cursors.other)
      } else {
        one = try old.cursor(of: pair.old.index)
        other = try new.cursor(of: pair.new.index)
        cursors = (index, one, other)
      }
      for id in ids.map({ ObjectID($0) }) {
        // Links whose owner is missing or has another entity also have an id.
        let (isInOne, isInOther) = (try one.find(id), try other.find(id))
        try self.compare(pair, id: id, one: isInOne ? one : nil, isInOther ? other : nil, body)
      }
    }
    // Objects with unknown values are compared even if their rows are equal.
    var last = 0
    try search.run { index, ids in
      while last < index {
        try compare(last, unknown[last])
        last += 1
      }
      guard let end = ids.last, !unknown[index].isEmpty else { return try compare(index, ids) }
      let due = unknown[index].prefix { $0 <= end }
      unknown[index].removeFirst(due.count)
      try compare(index, Set(ids).union(due).sorted())
    }
    while last < pairs.count {
      try compare(last, unknown[last])
      last += 1
    }
  }

  /// The ids of the objects of an entity that have unknown values in one of the stores.
  private func idsOfUnknown(_ pair: Pair) -> [Int64] {
    let ids =
      oldUnknown.keys.filter { $0.entity == pair.old.index }.map(\.id.integer)
      + newUnknown.keys.filter { $0.entity == pair.new.index }.map(\.id.integer)
    return Set(ids).sorted()
  }

  private func compare(
    _ pair: Pair,
    id: ObjectID,
    one: ObjectCursor?,
    _ other: ObjectCursor?,
    _ body: (RowDifference) throws -> Void
  ) throws {
    switch (one, other) {
    case (let one?, let other?):
      try compare(pair, one: one, other: other)
      if !text.changed.isEmpty { try report(.update, pair: pair, id: id, body) }
    case (let one?, nil):
      try pair.append(
        one,
        to: &text.before,
        blobs: oldValues.blobs,
        isOld: true,
        unknown: oldUnknown,
        unknownValue: oldUnknownValue
      )
      try report(.delete, pair: pair, id: id, body)
    case (nil, let other?):
      try pair.append(
        other,
        to: &text.after,
        blobs: newValues.blobs,
        isOld: false,
        unknown: newUnknown,
        unknownValue: newUnknownValue
      )
      try report(.insert, pair: pair, id: id, body)
    case (nil, nil): break
    }
  }

  private func report(
    _ kind: ChangeKind,
    pair: Pair,
    id: ObjectID,
    _ body: (RowDifference) throws -> Void
  ) throws {
    try text.withChange(kind, sequence: sequence, entity: pair.newEncoder.name, id: id, body)
    sequence += 1
    text.removeAll()
    try oldValues.removeAll()
    try newValues.removeAll()
  }

  /// Builds the difference of two objects with the same id.
  private func compare(_ pair: Pair, one: ObjectCursor, other: ObjectCursor) throws {
    let oldUnknown = oldUnknown[pair.old.key(one.id)] ?? [:]
    let newUnknown = newUnknown[pair.new.key(other.id)] ?? [:]
    for (left, right) in pair.columns {
      let (oldErased, newErased) = (oldUnknown[left], newUnknown[right])
      if oldErased != nil || newErased != nil {
        // If the same transaction had set the erased value of both stores, the values are equal.
        guard oldErased != newErased else { continue }
        let key = pair.newEncoder.key(right)
        text.appendChanged(key)
        text.before.append(
          key,
          value: oldErased == nil
            ? try one.encoded(left, pair.oldEncoder, blobs: oldValues.blobs)
            : oldUnknownValue
        )
        text.after.append(
          key,
          value: newErased == nil
            ? try other.encoded(right, pair.newEncoder, blobs: newValues.blobs)
            : newUnknownValue
        )
        continue
      }
      let first = one.row.value(at: Int32(truncatingIfNeeded: left.number) + 1)
      let second = other.row.value(at: Int32(truncatingIfNeeded: right.number) + 1)
      // Most values are equal. Comparing the stored values first avoids encoding equal values.
      if first.isSame(as: second) { continue }
      let before = try pair.oldEncoder.encoded(first, at: left, blobs: changedValues.blobs)
      let after = try pair.newEncoder.encoded(second, at: right, blobs: newValues.blobs)
      // If one store has a value in a blob file and the other has the same value in the row, the
      // encodings are equal.
      guard before != after else { continue }
      let key = pair.newEncoder.key(right)
      text.appendChanged(key)
      text.before.append(key, value: before)
      text.after.append(key, value: after)
    }
    for (left, right) in pair.links {
      let before = try one.links[left].links(of: one.id.integer)
      let after = try other.links[right].links(of: other.id.integer)
      guard before != after else { continue }
      let kept = Set(before).intersection(after)
      func isOther(_ target: Int64) -> Bool { !kept.contains(target) }
      let key = other.links[right].key
      text.appendChanged(key)
      text.before.append(key, value: one.links[left].encoder.list(before.filter(isOther)))
      text.after.append(key, value: other.links[right].encoder.list(after.filter(isOther)))
    }
  }
}

extension EntityLayout {
  fileprivate func key(_ id: ObjectID) -> RowKey { RowKey(entity: index, id: id) }
}

extension ObjectCursor {
  /// Moves to each row, or to each row with one of some keys, and calls the closure.
  fileprivate func forEach(in keys: Statement?, _ body: () throws -> Void) throws {
    guard let keys else {
      while try next() { try body() }
      return
    }
    keys.reset()
    while try keys.step() {
      if try find(ObjectID(at: keys)) { try body() }
    }
  }

  fileprivate func encoded(
    _ column: ColumnIndex,
    _ encoder: ObjectEncoder,
    blobs: Blobs
  ) throws -> EncodedValue {
    let value = row.value(at: Int32(truncatingIfNeeded: column.number) + 1)
    return try encoder.encoded(value, at: column, blobs: blobs)
  }
}

extension JoinTable {
  fileprivate var rows: ComparedRows.Source {
    ComparedRows.Source(
      quoted(name),
      columns: [quoted(firstColumn), quoted(secondColumn)],
      keys: 2
    )
  }
}

/// An entity that both stores have, with the properties that both stores have.
private struct Pair {
  let old: EntityLayout
  let new: EntityLayout
  let oldEncoder: ObjectEncoder
  let newEncoder: ObjectEncoder
  /// The columns of each common property in the old and in the new store, in the order of the new
  /// store.
  let columns: [(ColumnIndex, ColumnIndex)]
  /// For each common relationship, the positions of its join table in the old and in the new store.
  let links: [(Int, Int)]

  /// Whether the columns have the same names; their order can differ after columns were renamed.
  var hasSameColumns: Bool { Set(old.columns.map(\.name)) == Set(new.columns.map(\.name)) }

  init(_ old: EntityLayout, of oldRows: ObjectRows, new: EntityLayout, of newRows: ObjectRows) {
    self.old = old
    self.new = new
    oldEncoder = ObjectEncoder(old, layouts: oldRows.layouts)
    newEncoder = ObjectEncoder(new, layouts: newRows.layouts)
    columns = new.columns.enumerated().compactMap { index, column in
      old.column(of: column.property).map { ($0, ColumnIndex(index)) }
    }
    func names(_ rows: ObjectRows, of entity: EntityIndex) -> [String] {
      rows.joins(of: entity).map {
        rows.layouts[$0.owner].entity.relationships[$0.relationship].name
      }
    }
    let before = names(oldRows, of: old.index)
    links = names(newRows, of: new.index).enumerated().compactMap { index, name in
      before.firstIndex(of: name).map { ($0, index) }
    }
  }

  /// The rows of the entity and of its links, which are compared to find the objects that can
  /// differ.
  func compared(_ oldRows: ObjectRows, _ newRows: ObjectRows) -> ComparedRows {
    func source(_ layout: EntityLayout, columns: [ColumnIndex]) -> ComparedRows.Source {
      ComparedRows.Source(
        layout.table,
        columns: ["\"id\""] + columns.map { layout.columns[$0].quoted },
        keys: 1,
        condition: layout.ownCondition
      )
    }
    let rows = ComparedRows.Part(
      left: source(old, columns: columns.map(\.0)),
      right: source(new, columns: columns.map(\.1)),
      keys: 1,
      columns: Int32(columns.count + 1)
    )
    let before = oldRows.joins(of: old.index)
    let after = newRows.joins(of: new.index)
    let joins = links.map { left, right in
      ComparedRows.Part(left: before[left].rows, right: after[right].rows, keys: 2, columns: 2)
    }
    return ComparedRows(parts: [rows] + joins)
  }

  /// Appends an object's values of the common properties.
  func append(
    _ cursor: ObjectCursor,
    to side: inout ChangeSide,
    blobs: Blobs,
    isOld: Bool,
    unknown: [RowKey: [ColumnIndex: Int64]],
    unknownValue: EncodedValue
  ) throws {
    let encoder = isOld ? oldEncoder : newEncoder
    let unknown = unknown[(isOld ? old : new).key(cursor.id)] ?? [:]
    for (left, right) in columns {
      let column = isOld ? left : right
      side.append(
        newEncoder.key(right),
        value: unknown[column] == nil
          ? try cursor.encoded(column, encoder, blobs: blobs) : unknownValue
      )
    }
    for (left, right) in links {
      let links = cursor.links[isOld ? left : right]
      let found = try links.links(of: cursor.id.integer)
      if !found.isEmpty { side.append(links.key, value: links.encoder.list(found)) }
    }
  }
}
