import Format
import SQLite

/// Writes the rows of another store's changes, and collects the differences between rows and the
/// values that changes expect.
final class ReplayRows {
  enum Purpose {
    /// The changes are also recorded as history.
    case history
    /// The changes are the objects of a snapshot, with which an empty replica begins.
    case snapshot
    /// The changes were made by a migration, and are only compared with the rows.
    case comparison
  }

  private let writer: Writer
  private let tables: [ReplayTable]
  /// The tables of an adopted file; nil in a store.
  private let adopted: AdoptedReplay?
  var values: ChangeValues
  /// The transaction whose changes are written.
  var transaction: Int64 = 0
  private let unknown: UnknownValues
  private var hasUnknown = false
  // Exclusive access is not checked, because the purpose is read for every row, and does not change
  // while rows are written.
  @exclusivity(unchecked) var purpose = Purpose.history
  /// The expected values that rows did not have.
  @exclusivity(unchecked) private(set) var differences: [ReplayDifference] = []

  init(_ writer: Writer, decoders: [ObjectDecoder]) {
    self.writer = writer
    tables = zip(writer.tables, decoders).map { ReplayTable($0, decoder: $1) }
    adopted = writer.connection.tablePrefix == nil ? nil : AdoptedReplay(writer)
    unknown = UnknownValues(writer.connection, layouts: writer.layouts)
    values = ChangeValues(decoders: decoders, blobs: writer.blobs) {
      throw missingInReplay($0)
    }
  }

  /// Reads whether values are unknown; an earlier transaction may have been rolled back.
  func begin() throws { hasUnknown = try !unknown.isEmpty }

  /// Writes the rows that had to wait until the end of their transaction.
  func finish() throws { try adopted?.finish { differences.append($0) } }

  /// Completes the tables of an adopted file at the end of a SQL transaction.
  func complete() throws { try adopted?.complete(writer.schema) }

  /// Forgets the state of the last SQL transaction.
  func reset() {
    purpose = .history
    forgetDifferences()
    adopted?.reset()
  }

  func forgetDifferences() {
    if !differences.isEmpty { differences.removeAll() }
  }

  func write(_ part: PreparedChanges.Part, changes: PreparedChanges) throws {
    guard purpose != .snapshot || part.change.kind == .insert else {
      throw CanonicalEncodingError(message: "a snapshot contains only insertions")
    }
    guard purpose != .comparison else { return try compare(part, changes: changes) }
    let isWritten =
      try adopted == nil && part.isPlain && writer.parked.isEmpty && differences.isEmpty
      && (!hasUnknown || part.change.kind == .insert)
      && tables[part.entity].staysInRow(part, changes: changes)
      && writePlainly(part, changes: changes)
    if !isWritten { try writeSlowly(part, changes: changes) }
    try writeLinks(part, changes: changes)
  }

  /// Writes a row with one statement that has the expected values as its condition.
  ///
  /// The result is false if a single statement can't write the row.
  private func writePlainly(
    _ part: PreparedChanges.Part,
    changes: PreparedChanges
  ) throws -> Bool {
    let table = tables[part.entity]
    do {
      switch part.change.kind {
      case .insert:
        try table.insert(part, changes: changes)
        return true
      case .update:
        return try part.columnsAfter == 0 || table.update(part, changes: changes)
      case .delete:
        return try table.delete(part, changes: changes)
      }
    } catch let error as SQLiteError
      where error.code == SQLiteError.constraintUnique
      || error.code == SQLiteError.constraintPrimaryKey
      || error.code == SQLiteError.constraintRowID
    {
      return false
    }
  }

  /// Reads a row, compares it with the expected values, and writes the new values.
  private func writeSlowly(_ part: PreparedChanges.Part, changes: PreparedChanges) throws {
    let (change, entity) = (part.change, part.entity)
    let before = changes.members[part.before].prefix(part.columnsBefore)
    let after = changes.members[part.after].prefix(part.columnsAfter)
    let key = RowKey(entity: entity, id: change.id)
    let row = try writer.current(key)
    var old: [Value?]
    let new: [Value?]
    if part.isPlain {
      old = before.indices.map { Value(changes.values[$0]) }
      new = after.indices.map { Value(changes.values[$0]) }
    } else {
      old = try values.values(before, side: .before, change: change, of: entity)
      new = try values.values(after, side: .after, change: change, of: entity)
    }
    let isErased = old.contains { $0 == nil } || new.contains { $0 == nil }
    if change.kind == .insert {
      guard row == nil else { return note(key, property: nil, expected: nil, found: "there") }
      if mayWrite { try insert(key, members: after, values: new) }
      return
    }
    guard let row else {
      // An earlier version left out the objects whose values are all erased.
      let isOfLinks = change.kind == .update && after.isEmpty
      let isLeftOut = change.kind == .delete && writer.schema.hasUnknownValues == true
      guard isErased || isOfLinks || isLeftOut else {
        return note(key, property: nil, expected: "there", found: nil)
      }
      if change.kind == .update, !isOfLinks, mayWrite {
        try insert(key, members: after, values: new)
      }
      return
    }
    let hasGenerated = writer.tables[entity].hasGenerated
    if hasUnknown, change.kind == .delete || hasGenerated {
      // The origin can have kept a value that nobody knew before, for which the row has a
      // placeholder; and SQLite computes other columns from a placeholder.
      let placeholders = try Set(unknown.properties(of: key))
      let attributes = writer.layouts[entity].entity.attributes
      for (place, member) in before.enumerated() where !placeholders.isEmpty {
        let property = writer.layouts[entity].columns[member.index].property
        let isComputed =
          hasGenerated
          && attributes.contains { $0.name == property && $0.isGenerated == true }
        if isComputed || change.kind == .delete && placeholders.contains(property) {
          old[place] = nil
        }
      }
    }
    // If values of an object are erased, its row contains placeholders. They can differ from the
    // values in the tombstone, so a deletion is not compared. Where values are unknown, a change that
    // nobody can read can have preceded it.
    if change.kind != .delete || !isErased && writer.schema.hasUnknownValues != true {
      let found = try writer.differences(of: row, from: old, members: before, key: key)
      differences += found
      guard found.isEmpty else { return }
    }
    guard mayWrite else { return }
    if change.kind == .delete {
      if hasUnknown { try unknown.removeAll(of: key) }
      if let adopted { return try adopted.delete(key, before: row) }
      return try writer.replayDelete(key, row: row)
    }
    try noteKnown(after, values: new, of: key)
    let columns = writer.layouts[entity].columns
    let values = zip(after, new).map { member, value in
      // A placeholder could violate a constraint of the program.
      value
        ?? (adopted == nil
          ? columns[member.index].placeholder(for: key.id.placeholderNumber) : row[member.index])
    }
    guard !values.isEmpty else { return }
    let changed = after.map { ColumnIndex($0.index) }
    if let adopted {
      return try adopted.update(key, columns: changed, before: row, values: values)
    }
    try writer.replayUpdate(key, columns: changed, before: row, values: values)
  }

  /// Whether rows can be written; after a difference, the transaction of a store fails.
  ///
  /// The rows of an adopted file can differ from its history until a later transaction records its
  /// tables again, so its other rows are written.
  private var mayWrite: Bool { adopted != nil || differences.isEmpty }

  /// Inserts an object, with placeholders for erased values.
  private func insert(
    _ key: RowKey,
    members: ArraySlice<ObjectDecoder.Member>,
    values: [Value?]
  ) throws {
    var row = writer.layouts[key.entity].columns.map {
      $0.placeholder(for: key.id.placeholderNumber)
    }
    for (member, value) in zip(members, values) {
      if let value { row[member.index] = value }
    }
    if let adopted {
      try adopted.insert(key, values: row)
    } else {
      try writer.replayInsert(key, values: row)
    }
    let known = Set(zip(members, values).filter { $0.1 != nil }.map { ColumnIndex($0.0.index) })
    try addUnknown(row.indices.map { ColumnIndex($0) }.filter { !known.contains($0) }, of: key)
  }

  private func addUnknown(_ columns: [ColumnIndex], of key: RowKey) throws {
    guard !columns.isEmpty else { return }
    hasUnknown = true
    try unknown.add(columns, of: key, transaction: transaction)
  }

  /// Notes which values of a changed row are unknown, and which are known again.
  private func noteKnown(
    _ members: ArraySlice<ObjectDecoder.Member>,
    values: [Value?],
    of key: RowKey
  ) throws {
    guard hasUnknown || values.contains(where: { $0 == nil }) else { return }
    let pairs = zip(members, values).map { (column: ColumnIndex($0.index), isKnown: $1 != nil) }
    try addUnknown(pairs.filter { !$0.isKnown }.map(\.column), of: key)
    if hasUnknown { try unknown.remove(pairs.filter(\.isKnown).map(\.column), of: key) }
  }

  /// Compares a row after the migration with the change that the origin recorded.
  private func compare(_ part: PreparedChanges.Part, changes: PreparedChanges) throws {
    guard part.change.kind == .update, part.columnsAfter == part.after.count else {
      throw CanonicalEncodingError(message: "a migration only puts values into rows")
    }
    let key = RowKey(entity: part.entity, id: ObjectID(part.change.object))
    let after = changes.members[part.after]
    let values = try values.values(after, side: .after, change: part.change, of: part.entity)
    guard let row = try writer.current(key) else {
      // An earlier version left out the objects whose values are all erased.
      if !values.contains(where: { $0 == nil }) {
        note(key, property: nil, expected: "there", found: nil)
      }
      return
    }
    differences += try writer.differences(of: row, from: values, members: after, key: key)
    try noteKnown(after, values: values, of: key)
  }

  // MARK: Links

  private func writeLinks(_ part: PreparedChanges.Part, changes: PreparedChanges) throws {
    let before = part.before.dropFirst(part.columnsBefore)
    let after = part.after.dropFirst(part.columnsAfter)
    // An update has the same relationships before and after; an insertion or a deletion has only
    // one side.
    let all = before.isEmpty ? after : before
    guard !all.isEmpty else { return }
    let decoder = tables[part.entity].decoder
    let key = RowKey(entity: part.entity, id: ObjectID(part.change.object))
    for offset in 0..<all.count {
      let index = changes.members[all.lowerBound + offset].index
      try writeLinks(
        key,
        join: writer.joins[decoder.joins[index - decoder.columnCount]],
        from: before.isEmpty ? [] : changes.list(part.lists + offset),
        to: after.isEmpty ? [] : changes.list(part.lists + before.count + offset)
      )
    }
  }

  /// Changes the links of one relationship; the old and the new list must be in ascending order.
  ///
  /// If the links before the change are unknown, the new list has all links of the object. If those
  /// after it are unknown, the object keeps its links until they are known again.
  private func writeLinks(
    _ key: RowKey,
    join: JoinStatements,
    from old: ArraySlice<Int64>?,
    to new: ArraySlice<Int64>?
  ) throws {
    guard let new else { return }
    guard let old else {
      let present = try join.targets(of: key.id.integer)
      let (gone, came) = (Set(present).subtracting(new), Set(new).subtracting(present))
      return try change(links: key, join: join, from: gone.sorted()[...], to: came.sorted()[...])
    }
    guard old != new else {
      throw CanonicalEncodingError(message: "a listed relationship has no changed links")
    }
    try change(links: key, join: join, from: old, to: new)
  }

  private func change(
    links key: RowKey,
    join: JoinStatements,
    from old: ArraySlice<Int64>,
    to new: ArraySlice<Int64>
  ) throws {
    var (old, new) = (old, new)
    while let target = [old.first, new.first].compactMap(\.self).min() {
      let wasLinked = old.first == target
      let isLinked = new.first == target
      if wasLinked { old.removeFirst() }
      if isLinked { new.removeFirst() }
      guard wasLinked != isLinked else {
        throw CanonicalEncodingError(message: "a listed link was neither added nor removed")
      }
      try writeLink(key, join: join, target: target, isLinked: isLinked)
    }
  }

  private func writeLink(
    _ key: RowKey,
    join: JoinStatements,
    target: Int64,
    isLinked: Bool
  ) throws {
    let id = key.id.integer
    let isAsExpected = try isLinked ? join.add(id, target: target) : join.remove(id, target: target)
    guard !isAsExpected else { return }
    let name = join.table.logName(writer.layouts)
    if !isLinked {
      note(key, property: name, expected: "linked to \(target)", found: nil)
    } else {
      note(key, property: name, expected: nil, found: "linked to \(target)")
    }
  }

  private func note(_ key: RowKey, property: String?, expected: String?, found: String?) {
    differences.append(writer.difference(key, property: property, expected: expected, found: found))
  }
}
