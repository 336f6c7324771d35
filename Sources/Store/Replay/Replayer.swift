import FoundationEssentials
import SQLite

/// Writes transactions that another store recorded: their rows, and their history as it was.
///
/// There is one for each call of ``Store/replay(content:_:)`` or
/// ``Migration/replay(_:to:options:content:_:)``, and all that it writes is one SQL transaction. Delete rules do not run, because what they did stands in the history; foreign keys
/// are not enforced, because a writer that was not ours may have left links to nothing.
public final class Replayer {
  private let writer: Writer
  private let tables: [ReplayTable]
  /// The id of the open transaction and the number of its changes.
  private var open: (id: Int64, count: Int64)?
  private var sequence: Int64 = 0
  private var firstRow: Int64 = 0
  private let format: ChangeFormat
  /// The change that is replayed, where it comes alone.
  private let single = PreparedChanges()
  /// The ids that come next, where the last transaction of this history was replayed just now.
  private var next: (transaction: Int64, change: Int64)?
  /// What has changed the rows already, until the transaction that tells of it comes; nil for
  /// nothing.
  private var migrated: MigrationPlan?
  /// What changes of the open transaction did not find as they expected.
  private var differences: [ReplayDifference] = []
  private var values: ChangeValues
  /// True between the beginning and the end of a snapshot, whose changes are no history.
  private var snapshot: HistoryPoint?
  /// True while a transaction is taken back.
  private var isTakingBack = false

  init(_ writer: Writer, migrated: MigrationPlan? = nil) throws {
    self.writer = writer
    // Where no table changed, the origin may have recorded nothing.
    self.migrated = migrated.flatMap { $0.isTrivial ? nil : $0 }
    let format = ChangeFormat(writer.layouts, writer.joins.map(\.table))
    self.format = format
    values = ChangeValues(decoders: format.decoders, blobs: writer.blobs) {
      throw missingBlob($0, "that is replayed")
    }
    tables = format.decoders.map { ReplayTable(writer.connection, $0) }
  }

  /// Gives a value that is too large for a line, by its SHA-256.
  var content: (String) throws -> LargeValue {
    get { values.content }
    set { values.content = newValue }
  }

  /// Forgets what a write left that failed.
  func reset() {
    content = { throw missingBlob($0, "that is replayed") }
    snapshot = nil
    isTakingBack = false
    open = nil
    next = nil
    migrated = nil
    differences.removeAll()
  }

  /// Begins a transaction, which has to be the one after the store's last.
  ///
  /// - Parameters:
  ///   - id: Its id.
  ///   - count: The number of its changes.
  ///   - first: The first transaction that it stands for, where it fills a gap.
  /// - Throws: ``StoreError/Code/historyGap`` where another transaction has to come next.
  public func begin(_ id: Int64, count: Int64, first: Int64? = nil) throws {
    guard open == nil else { throw misuse("a transaction began inside another") }
    let next: Int64
    (next, firstRow) = try self.next ?? writer.recorder.header.next()
    guard first ?? id == next else {
      throw StoreError(
        .historyGap,
        "Transaction \(id) can't be replayed into the store \(path), whose last is"
          + " \(next - 1): transaction \(next) has to come next.",
        path: path
      )
    }
    open = (id, count)
    sequence = 0
    differences.removeAll()
  }

  /// Replays a change of the transaction.
  public func apply(_ change: Change) throws {
    single.removeAll()
    try single.append(change, format)
    try apply(single, at: 0)
  }

  /// Replays a change of the transaction that was taken apart by the format of the same schema.
  public func apply(_ changes: PreparedChanges, at index: Int) throws {
    guard let open else { throw misuse("a change came outside a transaction") }
    let change = changes.parts[index].change
    guard change.sequence == sequence, sequence < open.count else {
      throw malformed(
        change,
        "it has place \(change.sequence), and \(sequence) of \(open.count) is next"
      )
    }
    try put(changes, index, isHistory: snapshot == nil)
    if snapshot == nil {
      try writer.recorder.row.copy(change, id: firstRow + sequence, transaction: open.id)
    }
    sequence += 1
  }

  /// Writes the row of a change.
  private func put(_ changes: PreparedChanges, _ index: Int, isHistory: Bool) throws {
    let part = changes.parts[index]
    if !changes.refusals.isEmpty, let refusal = changes.refusals[index] {
      throw malformed(part.change, refusal.message)
    }
    do {
      if isHistory { try values.keep(part.change) }
      try write(part, changes)
    } catch let error as CanonicalEncodingError {
      throw malformed(part.change, error.message)
    }
  }

  /// Writes the row of a change that takes one of a transaction back, which is history already.
  func takeBack(_ change: Change, of transaction: Int64) throws {
    if let open, open.id != transaction { try endTakingBack() }
    open = (transaction, 0)
    isTakingBack = true
    single.removeAll()
    try single.append(change, format)
    try put(single, 0, isHistory: false)
  }

  /// Ends what takes a transaction back.
  func endTakingBack() throws {
    guard let open else { return }
    self.open = nil
    isTakingBack = false
    guard differences.isEmpty else { throw mismatch(open.id) }
    try writer.putParkedRowsBack()
  }

  /// Ends the transaction.
  ///
  /// Its digest is taken as it is: whoever read the lines has checked it.
  ///
  /// - Throws: ``StoreError/Code/replayMismatch`` with all differences where rows were not as the
  ///   changes expected.
  public func end(_ transaction: Transaction) throws {
    guard let open, snapshot == nil, open.id == transaction.id, open.count == transaction.count
    else {
      throw misuse("transaction \(transaction.id) ended, and did not begin")
    }
    guard sequence == transaction.count else {
      throw misuse("transaction \(transaction.id) ended before its last change")
    }
    self.open = nil
    var transaction = transaction
    if migrated != nil, transaction.operation != .migration {
      throw misuse(
        "transaction \(transaction.id) is the first under a schema with other tables, and is no"
          + " migration"
      )
    }
    guard differences.isEmpty else { throw mismatch(transaction.id) }
    migrated = nil
    try writer.putParkedRowsBack()
    transaction.firstChange = firstRow
    next = nil
    try writer.recorder.header.insert(transaction)
    if writer.recorder.header.follow(transaction) {
      next = (transaction.id + 1, firstRow + transaction.count)
    }
  }

  /// Begins the snapshot that an empty replica begins with: the state of its origin at a point.
  ///
  /// - Parameters:
  ///   - point: The point, after which history is to go on.
  ///   - count: The number of its objects, each an insertion to be applied.
  /// - Throws: ``StoreError/Code/misuse`` where the replica has contents, or another lineage.
  public func begin(snapshot point: HistoryPoint, count: Int64) throws {
    guard open == nil else { throw misuse("a snapshot began inside a transaction") }
    let rows = HistoryRows(writer.connection)
    let range = try rows.range()
    guard range.oldest == nil, range.base.transaction == 0, try isEmpty() else {
      throw misuse("a snapshot is to come into a new replica, and this one has contents")
    }
    guard range.base.lineage == point.lineage else {
      throw misuse(
        "the snapshot is of lineage \(point.lineage), and the replica of \(range.base.lineage)"
      )
    }
    snapshot = point
    open = (point.transaction, count)
    sequence = 0
    differences.removeAll()
  }

  /// Ends the snapshot; the next transaction is the one after its point.
  public func endSnapshot() throws {
    guard let open, let point = snapshot else {
      throw misuse("a snapshot ended, and did not begin")
    }
    guard sequence == open.count else {
      throw misuse("a snapshot of \(open.count) objects ended after \(sequence)")
    }
    self.open = nil
    snapshot = nil
    guard differences.isEmpty else { throw mismatch(point.transaction) }
    try writer.putParkedRowsBack()
    try HistoryRows.setBase(point, on: writer.connection)
  }

  /// True where no table of the schema has a row.
  private func isEmpty() throws -> Bool {
    for table in Set(writer.layouts.map(\.table)) {
      let any = try writer.connection.prepare("SELECT 1 FROM \(table) LIMIT 1")
      if try any.step() { return false }
    }
    return true
  }

  /// Fails where the transaction did not come that changed tables ask for.
  func finish() throws {
    guard let migrated else { return }
    throw misuse(
      "version \(migrated.to.version) of the schema has other tables, and the migration to it was"
        + " not replayed"
    )
  }

  private var path: String { writer.connection.path }

  // MARK: Rows

  private func write(_ part: PreparedChanges.Part, _ changes: PreparedChanges) throws {
    guard snapshot == nil || part.change.kind == .insert else {
      throw CanonicalEncodingError(message: "a snapshot has nothing but insertions")
    }
    if migrated != nil { return try compare(part, changes) }
    let isWritten =
      try part.isPlain && writer.parked.isEmpty && differences.isEmpty
      && tables[part.entity].staysInRow(part, changes) && writePlainly(part, changes)
    if !isWritten { try writeSlowly(part, changes) }
    try writeLinks(part, changes)
  }

  /// Writes a row with what it expects as a condition; false where that can't be done.
  private func writePlainly(
    _ part: PreparedChanges.Part,
    _ changes: PreparedChanges
  ) throws -> Bool {
    let table = tables[part.entity]
    do {
      switch part.change.kind {
      case .insert:
        try table.insert(part, changes)
        return true
      case .update:
        return try part.columnsAfter == 0 || table.update(part, changes)
      case .delete:
        return try table.delete(part, changes)
      }
    } catch let error as SQLiteError
      where error.code == SQLiteError.constraintUnique
      || error.code == SQLiteError.constraintPrimaryKey
      || error.code == SQLiteError.constraintRowID
    {
      return false
    }
  }

  /// Reads the row, compares it with what is expected, and writes it value by value.
  private func writeSlowly(_ part: PreparedChanges.Part, _ changes: PreparedChanges) throws {
    let (change, entity) = (part.change, part.entity)
    let before = changes.members[part.before].prefix(part.columnsBefore)
    let after = changes.members[part.after].prefix(part.columnsAfter)
    let key = RowKey(entity: entity, id: change.object)
    let row = try writer.current(key)
    let old: [Value?]
    let new: [Value?]
    if part.isPlain {
      old = before.indices.map { Value(changes.values[$0]) }
      new = after.indices.map { Value(changes.values[$0]) }
    } else {
      old = try values.values(before, .before, change, entity)
      new = try values.values(after, .after, change, entity)
    }
    // An object of which nothing is known is deleted later. It can't be made again before that, so
    // that it is left out, and nobody expects to find it.
    let isErased = old.contains { $0 == nil } || new.contains { $0 == nil }
    let isKnown = new.isEmpty || new.contains { $0 != nil }
    if change.kind == .insert {
      guard row == nil else { return note(key, nil, expected: nil, found: "there") }
      if isKnown, differences.isEmpty { try insert(key, after, new) }
      return
    }
    guard let row else {
      // Links alone are written of an object that was left out too.
      let isOfLinks = change.kind == .update && after.isEmpty
      guard isErased || isOfLinks else { return note(key, nil, expected: "there", found: nil) }
      if change.kind == .update, !isOfLinks, isKnown, differences.isEmpty {
        try insert(key, after, new)
      }
      return
    }
    // What an object had that was erased when it was deleted is not known, also where the
    // tombstone tells it: the changes that led there were erased with the rest.
    if change.kind != .delete || !isErased { try compare(row, with: old, before, key) }
    guard differences.isEmpty else { return }
    if change.kind == .delete { return try writer.replayDelete(key, row) }
    let columns = writer.layouts[entity].columns
    let values = zip(after, new).map { member, value in
      value ?? columns[member.index].placeholder(for: key.id)
    }
    if !values.isEmpty { try writer.replayUpdate(key, after.map(\.index), before: row, values) }
  }

  /// Makes the row of an object, with placeholders where values are not known.
  private func insert(
    _ key: RowKey,
    _ members: ArraySlice<ObjectDecoder.Member>,
    _ values: [Value?]
  ) throws {
    var row = writer.layouts[key.entity].columns.map { $0.placeholder(for: key.id) }
    for (member, value) in zip(members, values) {
      if let value { row[member.index] = value }
    }
    try writer.replayInsert(key, row)
  }

  /// Compares what a migration left with what the origin recorded of it.
  private func compare(_ part: PreparedChanges.Part, _ changes: PreparedChanges) throws {
    guard part.change.kind == .update, part.columnsAfter == part.after.count else {
      throw CanonicalEncodingError(message: "a migration only puts values into rows")
    }
    let key = RowKey(entity: part.entity, id: part.change.object)
    let after = changes.members[part.after]
    let values = try values.values(after, .after, part.change, part.entity)
    guard let row = try writer.current(key) else {
      // What was erased was left out.
      if !values.contains(where: { $0 == nil }) { note(key, nil, expected: "there", found: nil) }
      return
    }
    try compare(row, with: values, after, key)
  }

  /// Notes where a row is not as members say.
  private func compare(
    _ row: [Value],
    with values: [Value?],
    _ members: ArraySlice<ObjectDecoder.Member>,
    _ key: RowKey
  ) throws {
    for (member, value) in zip(members, values) {
      // An erased value is not known, so that anything may be there.
      guard let value, !writer.isSame(row[member.index], value, member.index, key.entity) else {
        continue
      }
      note(
        key,
        writer.layouts[key.entity].columns[member.index].property,
        expected: String(decoding: member.value, as: UTF8.self),
        found: try writer.shown(row[member.index], member.index, key.entity)
      )
    }
  }

  // MARK: Links

  private func writeLinks(_ part: PreparedChanges.Part, _ changes: PreparedChanges) throws {
    guard part.columnsBefore < part.before.count || part.columnsAfter < part.after.count else {
      return
    }
    let change = part.change
    let before = changes.members[part.before].dropFirst(part.columnsBefore)
    let after = changes.members[part.after].dropFirst(part.columnsAfter)
    let decoder = tables[part.entity].decoder
    let key = RowKey(entity: part.entity, id: change.object)
    let indexes = Set(before.map(\.index) + after.map(\.index))
    for index in indexes.sorted() {
      let statements = writer.joins[decoder.joins[index - decoder.columnCount]]
      let old = try before.first { $0.index == index }.map { try decoder.links($0) } ?? [:]
      let new = try after.first { $0.index == index }.map { try decoder.links($0) } ?? [:]
      guard old != new else {
        throw CanonicalEncodingError(message: "links are listed that did not change")
      }
      for (target, link) in old {
        let found = try statements.link(change.object, target)
        guard found == link else {
          note(
            key,
            statements.table.logName(writer.layouts),
            expected: "linked to \(target)",
            found: found == nil ? nil : "linked at another position"
          )
          continue
        }
        if new[target] == nil { try statements.remove(change.object, target) }
      }
      for (target, link) in new {
        let found = old[target] == nil ? try statements.link(change.object, target) : nil
        // A foreign writer may have left the links of an object that it deleted.
        if isTakingBack, found == link { continue }
        if found != nil {
          note(
            key,
            statements.table.logName(writer.layouts),
            expected: nil,
            found: "linked to \(target)"
          )
          continue
        }
        try statements.set(change.object, target, link)
      }
    }
  }

  // MARK: Errors

  private func note(_ key: RowKey, _ property: String?, expected: String?, found: String?) {
    differences.append(
      ReplayDifference(
        entity: writer.layouts[key.entity].entity.name,
        object: key.id,
        property: property,
        expected: expected,
        found: found
      )
    )
  }

  private func mismatch(_ id: Int64) -> StoreError {
    let list = differences.prefix(20).map { "\n- \($0)" }.joined()
    let more = differences.count > 20 ? "\n- and \(differences.count - 20) more" : ""
    return StoreError(
      .replayMismatch,
      "Transaction \(id) can't be replayed or taken back in the store \(path), because what it changed is not"
        + " there as it was:\(list)\(more)\nThe store was changed by something else; make a new"
        + " replica from the logs.",
      path: path,
      replayDifferences: differences
    )
  }

  private func malformed(_ change: Change, _ what: String) -> StoreError {
    StoreError(
      .damaged,
      "Change \(change.sequence) of transaction \(open?.id ?? 0), of"
        + " \(String(decoding: change.entity, as: UTF8.self)) \(change.object), can't be replayed:"
        + " \(what).",
      path: path
    )
  }

  private func misuse(_ what: String) -> StoreError {
    StoreError(.misuse, "Replaying into the store \(path) went wrong: \(what).", path: path)
  }
}
