import Changes
import SQLite

/// Writes history: transactions, each with one change for each object.
///
/// No other code adds transactions. A transaction is open between ``begin()`` and a `close`. Its
/// changes are recorded while rows are written, or are copied from another history.
final class ChangeRecorder {
  private let layouts: [EntityLayout]
  private let encoders: [ObjectEncoder]
  private let links: [LinkEncoder]
  // Exclusive access is not checked. The check would cost time at each of the many uses of the row,
  // and no other code uses it at the same time.
  @exclusivity(unchecked) private var row: ChangeRow
  private let header: TransactionRow
  private let erasure: Erasure
  private let blobs: Blobs

  @exclusivity(unchecked) private var touches: Touches
  private var drafts: [RowKey: ChangeDraft] = [:]
  /// The transaction that is being written.
  private(set) var transaction: Int64 = 0
  private var firstRow: Int64 = 0
  private var nextRow: Int64 = 0
  /// The ids of the next transaction and the next change; nil unless the last transaction was just
  /// copied.
  private var next: (transaction: Int64, change: Int64)?
  private var hasGaps = false

  /// Creates a recorder.
  ///
  /// `other` is a recorder on the same connection, whose ``Erasure`` the new recorder also uses.
  /// `sealed` is the sealed history before the history of the connection; nil if the connection has
  /// the whole history.
  init(
    _ connection: Connection,
    schema: StoreSchema,
    schemaID: Int64,
    blobs: Blobs,
    provenance: Provenance,
    besides other: ChangeRecorder? = nil,
    after sealed: SealedLines? = nil
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
      try other?.erasure ?? Erasure(connection, blobs: blobs, layouts: layouts, after: sealed)
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

  /// Records that an object was inserted.
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

  /// Records that some values of an object changed.
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

  /// Erases values of an object from history, and returns what remains of the lines that contained
  /// them.
  func erase(
    _ object: ObjectID,
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws -> [Restatement] {
    // The digest of the last transaction must be computed before its values are erased.
    try sealLast()
    return try erasure.erase(object, where: erases)
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

  /// Writes the remaining changes, and returns the number of changes in the transaction.
  ///
  /// `current` returns the present values of an object. For foreign changes, `stamp` has the time
  /// and the seed that were captured.
  func finish(
    _ author: Author,
    operation: TransactionOperation = .recorded,
    stamp: Provenance.Stamp? = nil,
    current: (RowKey) throws -> [Value]?
  ) throws -> Int {
    for (key, draft) in try drafts.sorted(by: { try order(of: $0.key) < order(of: $1.key) }) {
      guard let touch = try touches.touch(key), touch.kind != .delete else { continue }
      guard let values = try current(key) else { continue }
      try settle(key, touch: touch, draft: draft, values: values)
    }
    if hasGaps { nextRow = try header.closeGaps(from: firstRow) }
    touches.removeFile()
    if count > 0 { try close(author, operation: operation, stamp: stamp) }
    return Int(count)
  }

  /// Closes the open transaction, whose changes must all be written.
  ///
  /// If its deletions erased values from too many lines for its details, further transactions
  /// restate the rest of the lines.
  func close(
    _ author: Author,
    operation: TransactionOperation,
    details: String? = nil,
    stamp: Provenance.Stamp? = nil
  ) throws {
    try header.insert(
      transaction,
      author: author,
      firstRow: firstRow,
      count: count,
      operation: operation,
      details: details ?? erasure.takeDetails(),
      stamp: stamp
    )
    try restateRest(author, stamp: stamp)
  }

  /// Records, in further transactions, the erased lines that no transaction restates yet.
  private func restateRest(_ author: Author, stamp: Provenance.Stamp?) throws {
    while let details = try erasure.takeDetails() {
      let next = try sealLast()
      try header.insert(
        next.transaction,
        author: author,
        firstRow: next.change,
        count: 0,
        operation: .erase,
        details: details,
        stamp: stamp
      )
    }
  }

  /// Closes a transaction without changes.
  ///
  /// If the details name a snapshot, `stamp` is the stamp of the snapshot.
  func mark(
    _ author: Author,
    operation: TransactionOperation,
    details: String,
    stamp: Provenance.Stamp?
  ) throws {
    var stamp = stamp
    stamp?.time = currentTime()
    try header.insert(
      transaction,
      author: author,
      firstRow: firstRow,
      count: 0,
      operation: operation,
      details: details,
      stamp: stamp,
      // In the mode `tombstones`, the seed is not kept. With it, values that are deleted later
      // could be guessed from the snapshot's digests.
      keepsSeed: stamp != nil && erasure.mode == .full
    )
  }

  /// Closes a copied transaction with the properties that it has in the other history.
  func close(_ transaction: Transaction) throws {
    var transaction = transaction
    transaction.firstChange = firstRow
    try header.insert(transaction)
    if header.follow(transaction) { next = (transaction.id + 1, nextRow) }
  }

  private func order(of key: RowKey) throws -> (Int64, RowKey) {
    let row = try touches.touch(key)?.row ?? 0
    return (row == 0 ? Int64.max : row, key)
  }

  private func settle(
    _ key: RowKey,
    touch: Touch,
    draft: ChangeDraft,
    values: [Value]
  ) throws {
    let encoder = encoders[key.entity]
    row.text.removeAll()
    if touch.kind == .insert {
      try row.appendAfter(values, encoder: encoder)
      appendLinks(of: draft)
      row.text.changed.removeAll(keepingCapacity: true)
      try row.replace(id: touch.row, kind: .insert)
      return
    }
    for (column, first) in draft.before.sorted(by: { $0.key < $1.key }) {
      let now = try encoder.encoded(values[column], at: column, blobs: blobs)
      guard now != first else { continue }
      let name = encoder.key(column)
      row.text.appendChanged(name)
      row.text.before.append(name, value: first)
      row.text.after.append(name, value: now)
    }
    appendLinks(of: draft)
    if row.text.before.isEmpty, row.text.after.isEmpty {
      if touch.row != 0 {
        try row.remove(id: touch.row)
        hasGaps = true
      }
    } else if touch.row != 0 {
      try row.replace(id: touch.row, kind: .update)
    } else {
      try write(.update, key: key)
    }
  }

  /// Adds removed links to `before`, and added links to `after`.
  private func appendLinks(of draft: ChangeDraft) {
    for (join, targets) in draft.links.sorted(by: { $0.key < $1.key }) {
      let changes = targets.filter { $0.value.before != $0.value.now }.sorted { $0.key < $1.key }
      guard !changes.isEmpty else { continue }
      let encoder = links[join]
      let (before, now) = (changes.filter(\.value.before), changes.filter(\.value.now))
      row.text.appendChanged(encoder.key)
      row.text.before.append(encoder.key, value: encoder.list(before.map(\.key)))
      row.text.after.append(encoder.key, value: encoder.list(now.map(\.key)))
    }
  }

  private func write(_ kind: ChangeKind, key: RowKey) throws {
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

  /// Creates a draft from a change that is already written, because the object changes again.
  private func loadDraft(of key: RowKey, touch: Touch) throws {
    guard drafts[key] == nil || drafts[key]?.before.isEmpty == true else { return }
    var draft = drafts[key] ?? ChangeDraft()
    if touch.kind != .insert, touch.row != 0 {
      let before = try row.valuesBefore(id: touch.row)
      let encoder = encoders[key.entity]
      for index in 0..<encoder.count {
        let column = ColumnIndex(index)
        draft.before[column] = before[Array(encoder.key(column))]
      }
    }
    drafts[key] = draft
  }
}
