import Format
import SQLite

/// Writes history: transactions, each with one change for each object.
///
/// No other code adds transactions. A transaction is open between ``begin()`` and a `close`. Its
/// changes are recorded while rows are written, or are copied from another history.
final class ChangeRecorder {
  private let layouts: [EntityLayout]
  let encoders: [ObjectEncoder]
  let links: [LinkEncoder]
  // Exclusive access is not checked. The check would cost time at each of the many uses of the row,
  // and no other code uses it at the same time.
  @exclusivity(unchecked) var row: ChangeRow
  let header: TransactionRow
  let erasure: Erasure
  let blobs: Blobs

  @exclusivity(unchecked) var touches: Touches
  var drafts: [RowKey: ChangeDraft] = [:]
  /// The transaction that is being written.
  private(set) var transaction: Int64 = 0
  var firstRow: Int64 = 0
  var nextRow: Int64 = 0
  /// The ids of the next transaction and the next change; nil unless the last transaction was just
  /// copied.
  var next: (transaction: Int64, change: Int64)?
  var hasGaps = false

  /// Creates a recorder.
  ///
  /// `other` is a recorder on the same connection, whose ``Erasure`` the new recorder also uses.
  init(
    _ connection: Connection,
    schema: StoreSchema,
    schemaID: Int64,
    blobs: Blobs,
    provenance: Provenance,
    besides other: ChangeRecorder? = nil
  ) throws {
    let layouts = try schema.layouts()
    let joins = joinTables(among: layouts)
    self.blobs = blobs
    self.layouts = layouts
    touches = Touches(entities: layouts.count)
    encoders = layouts.map { ObjectEncoder($0, layouts: layouts) }
    links = joins.map { LinkEncoder($0, layouts: layouts) }
    row = try ChangeRow(connection, blobs: blobs)
    erasure =
      try other?.erasure ?? Erasure(connection, blobs: blobs, layouts: layouts)
    header = try TransactionRow(connection, schemaID: schemaID, provenance: provenance)
  }

  /// The number of changes in the transaction so far.
  var count: Int64 { nextRow - firstRow }

  func begin() throws {
    let next = next
    forget()
    (transaction, firstRow) = try next ?? sealLast()
    nextRow = firstRow
    touches.begin(at: firstRow)
  }

  /// Computes the digest of the last transaction if it has none yet, and returns the next ids.
  ///
  /// Call this function before changes of the last transaction are erased or deleted.
  @discardableResult
  func sealLast() throws -> (transaction: Int64, change: Int64) {
    let next = try header.nextIDs()
    try header.sealLast(next.transaction - 1)
    return next
  }

  /// Discards the state of the open transaction.
  func forget() {
    next = nil
    touches.removeAll()
    drafts.removeAll()
    hasGaps = false
    erasure.begin()
  }

  /// Reads the history mode again, because another process may have changed it.
  func refresh() throws { try erasure.refresh() }

  /// Discards the state of a failed write.
  func abandon() {
    forget()
    erasure.abandon()
  }

  /// Removes erased bytes from the file after a commit.
  func committed() { erasure.committed() }

  func insert(_ key: RowKey, values: [Value]) throws {
    if let touch = try touches.touch(key) {
      // The object was deleted earlier in this transaction, so deletion and insertion together are
      // an update. The draft gets all earlier values from the recorded deletion.
      drafts[key]?.before.removeAll()
      try loadDraft(of: key, touch: touch)
      if erasure.mode == .tombstones {
        // The deletion erased all earlier values, so the update has all values of the object.
        for index in values.indices { drafts[key]?.before[ColumnIndex(index)] = .erased }
      }
      touches.set(Touch(kind: .update, row: touch.row), of: key)
      return
    }
    row.text.removeAll()
    try row.appendAfter(values, encoder: encoders[key.entity])
    try write(.insert, key: key)
  }

  func update(
    _ key: RowKey,
    columns: [ColumnIndex],
    before: [Value],
    after: [Value]
  ) throws {
    let encoder = encoders[key.entity]
    if let touch = try touches.touch(key) {
      try loadDraft(of: key, touch: touch)
      guard touch.kind == .update else { return }
      for (column, value) in zip(columns, before) where drafts[key]?.before[column] == nil {
        drafts[key]?.before[column] = try encoder.encoded(value, at: column, blobs: blobs)
      }
      return
    }
    row.text.removeAll()
    try row.appendChanges(columns, from: before, to: after, encoder: encoder)
    try write(.update, key: key)
  }

  /// Records that an object and the links that it owned were deleted.
  func delete(
    _ key: RowKey,
    values: [Value],
    links: [JoinIndex: [Int64]]
  ) throws {
    let touch = try touches.touch(key)
    if let touch {
      if touch.kind == .insert {
        // The object was also inserted in this transaction, so nothing is recorded.
        try row.remove(id: touch.row)
        touches.remove(key)
        drafts[key] = nil
        hasGaps = true
        return
      }
      try loadDraft(of: key, touch: touch)
    }
    for (join, targets) in links {
      for target in targets {
        drafts[key, default: ChangeDraft()].note(join, target: target, isLinked: false)
      }
    }
    row.text.removeAll()
    let encoder = encoders[key.entity]
    let draft = drafts[key]
    let isErasing = erasure.mode == .tombstones
    for (index, value) in values.enumerated() {
      let column = ColumnIndex(index)
      if isErasing,
        !erasure.mode.keeps(layouts[key.entity].columns[column], of: layouts[key.entity].entity)
      {
        row.text.before.append(encoder.key(column), value: .erased)
      } else if let first = draft?.before[column] {
        row.text.before.append(encoder.key(column), value: first)
      } else {
        try row.text.before.append(value, at: column, encoder: encoder, blobs: blobs)
      }
    }
    if let draft { appendLinks(of: draft) }
    row.text.changed.removeAll(keepingCapacity: true)
    try eraseEarlier(key)
    if let touch, touch.row != 0 {
      try row.replace(id: touch.row, kind: .delete)
      touches.set(Touch(kind: .delete, row: touch.row), of: key)
    } else {
      try write(.delete, key: key)
    }
  }

  /// Erases the values of a deleted object from earlier transactions, if history keeps only
  /// tombstones.
  func eraseEarlier(_ key: RowKey) throws { try erasure.eraseEarlier(key, before: firstRow) }

  /// Erases values of an object from history, and calls `restate` with what remains of each line that
  /// contained them, in the order of the lines.
  func erase(
    _ object: ObjectID,
    restate: (Restatement) throws -> Void,
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws {
    // The digest of the last transaction must be computed before its values are erased.
    try sealLast()
    try erasure.erase(object, restate: restate, where: erases)
  }

  /// Erases from a replica the values that its origin erased from the same lines.
  func erase(
    _ restatements: [Restatement],
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws { try erasure.erase(restatements, where: erases) }

  /// Remembers that captured foreign changes may have left deleted values in the file.
  func noteForeignChanges() throws { try erasure.noteForeignChanges() }

  /// Records a change exactly as another history contains it, byte for byte.
  func copy(_ change: Change, of transaction: Int64) throws {
    try row.copy(change, id: nextRow, transaction: transaction)
    nextRow += 1
  }

  /// Records that a link was added or removed, as a change of the object that owns the join table.
  func link(_ key: RowKey, join: JoinIndex, target: Int64, isLinked: Bool) throws {
    if let touch = try touches.touch(key) {
      try loadDraft(of: key, touch: touch)
    } else {
      touches.set(Touch(kind: .update, row: 0), of: key)
      drafts[key] = ChangeDraft()
    }
    drafts[key]?.note(join, target: target, isLinked: isLinked)
  }

  func write(_ kind: ChangeKind, key: RowKey) throws {
    try row.insert(
      id: nextRow,
      kind: kind,
      transaction: transaction,
      sequence: nextRow - firstRow,
      entity: encoders[key.entity],
      object: key.id
    )
    touches.set(Touch(kind: kind, row: nextRow), of: key)
    nextRow += 1
    try touches.makeRoom(before: nextRow)
  }
}
