import AppleStores
import Format
import SQLite

/// Writes what is new in a store of Apple's frameworks into its history file.
///
/// Each transaction of the store becomes a transaction, whose values are those that somebody recorded.
/// Then the tables are compared with those of the store, and what history does not explain becomes one
/// more transaction.
final class AppleReading {
  let apple: AppleDatabase
  let writer: Writer
  let objects: AppleObjects
  private let recording: AppleRecording
  private let acceptsGap: Bool
  private let model: String
  /// Whether the model is another one than at the last reading.
  private let isMigrated: Bool
  private var progress: AppleProgress
  /// The last transaction that was read before; nil if there is none.
  private var newest: Int64?
  /// Whether the history file has changes, so that it can have rows.
  private var isContinued = false
  /// Whether the rows are those right after the transaction that is recorded.
  private var isExact = false

  /// Prepares to read; the history file has the schema of the store, and its lock is held.
  init(
    _ apple: AppleDatabase,
    into connection: Connection,
    location: Location,
    progress: AppleProgress,
    acceptsGap: Bool = false
  ) throws {
    self.apple = apple
    self.progress = progress
    self.acceptsGap = acceptsGap
    model = try apple.modelDigest()
    isMigrated = progress.model != nil && progress.model != model
    writer = try Writer(
      connection,
      catalog: Catalog(on: connection),
      location: location,
      provenance: .system
    )
    objects = try AppleObjects(apple, writer)
    recording = try AppleRecording(writer)
  }

  /// Reads the states of the log from a commit on, and returns what the next reading must know.
  func run(from first: Int) throws -> AppleProgress {
    try writer.beginRows()
    progress.setModel(model, apple)
    progress.damagedLog = apple.snapshot.damagedLog
    let last = apple.snapshot.lastCommit
    let leaves = AppleLeaves(objects, writer)
    if isMigrated { try leaves.forget() }
    if apple.state.view.commit != first { try apple.show(apple.state(at: first)) }
    try read(nil)
    if first < last {
      for commit in first + 1...last {
        let next = try apple.state(at: commit)
        var rows = try AppleCommit(apple, next, objects)
        try apple.show(next)
        try rows.finish(objects)
        if !rows.isEmpty { try read(rows) }
      }
      try leaves.note()
    }
    try raiseSequences()
    try writer.blobs.prepareToCommit()
    return progress
  }

  /// Reads what is new in the shown state, which differs from the one before only in some rows; nil if
  /// all rows can differ.
  private func read(_ rows: AppleCommit?) throws {
    let changes = try ResolvedChanges()
    newest = try AppleTransactions(on: writer.connection).last()
    let areOldRead = try rows.map { try !$0.onlyAddsHistory(after: newest, apple) } ?? true
    let count = try findResolved(changes, areOldRead: areOldRead)
    try recordEarlier(changes)
    // The rows before and after a transaction of its own are known.
    isExact = rows != nil && count == 1
    try recordTransactions(changes)
    try recordDifferences(changes, rows)
  }

  func committed() { writer.committed() }
  func abandon() { writer.abandon() }

  // MARK: The first pass

  /// Throws if a history file belongs to another store.
  static func checkIdentifier(of apple: AppleDatabase, on connection: Connection) throws {
    let (known, found) = try (Catalog(on: connection).identifier, apple.identifier())
    guard known != found else { return }
    throw StoreError(.otherStore, at: apple.path) {
      "\(apple.path) is another store: its UUID is \(found), and that of \(connection.path) is"
        + " \(known).\nName the file whose history this is, or another folder."
    }
  }

  /// Reads the transactions, and finds which changes have the values of the rows.
  ///
  /// If the old transactions are read too, they are compared with what was read before.
  ///
  /// - Returns: The number of new transactions.
  private func findResolved(_ changes: ResolvedChanges, areOldRead: Bool) throws -> Int {
    let known = AppleTransactions(on: writer.connection)
    var oldest: Int64?
    var last: Int64?
    var count = 0
    var start = newest
    if areOldRead {
      let part = try AppleHistoryPart.read(apple, since: isMigrated ? nil : progress.history)
      progress.history = part?.now
      start = part?.same
      if start != nil {
        oldest = try apple.store.connection.integer("SELECT min(Z_PK) FROM ATRANSACTION")
        last = start
      }
    }
    if let history = try AppleHistory(apple.store, after: start) {
      while let transaction = try history.next() {
        oldest = oldest ?? transaction.number
        last = transaction.number
        var digest = AppleDigest(transaction)
        let isNew = newest.map { transaction.number > $0 } ?? true
        while let change = try history.nextChange() {
          digest.add(change, in: apple.store.model)
          guard isNew, let entity = change.entity, let kind = change.kind else { continue }
          try changes.add(objects.touch(of: change, kind, entity, in: transaction.number))
        }
        if isNew {
          try known.add(digest, transaction.number)
          count += 1
        } else if try !known.agrees(digest, transaction.number, isMigrated: isMigrated) {
          throw otherHistory(transaction)
        }
      }
      // Changes without a transaction follow the last one.
      if areOldRead { progress.lostChanges = 0 }
      while try history.nextChange() != nil { progress.lostChanges += 1 }
    }
    if areOldRead { try checkContinuation(oldest: oldest, last: last) }
    let changeTable = writer.connection.tables.change
    isContinued = try writer.connection.hasRow("SELECT 1 FROM \(changeTable) LIMIT 1")
    try changes.finish(counts: objects.counts) { entity, id in
      try objects.find(entity, id)
    } isKnown: { entity, id in
      try present(RowKey(entity: objects.places[entity].entity, id: ObjectID(id))) != nil
    }
    return count
  }

  private func checkContinuation(oldest: Int64?, last: Int64?) throws {
    guard let newest else {
      progress.purged = oldest.map { $0 - 1 } ?? 0
      return
    }
    // The app may have deleted all transactions.
    let highest = try max(last ?? 0, apple.store.highestTransaction())
    guard highest >= newest else {
      throw StoreError(.historyDiverged, at: apple.path) {
        "\(apple.path) is an older copy: its history ends with transaction \(highest), and"
          + " transaction \(newest) was read before.\nName the newer copy."
      }
    }
    let oldest = oldest ?? highest + 1
    guard oldest <= newest + 1 || acceptsGap else {
      throw StoreError(.historyExpired, at: apple.path) {
        "The history of \(apple.path) begins with transaction \(oldest), and only those up to"
          + " \(newest) were read before: the app deleted the others."
          + "\nTo continue with a gap: travelog recover \(apple.path) --to LOGS"
      }
    }
    if oldest > newest + 1 { progress.purged = oldest - 1 }
  }

  private func otherHistory(_ transaction: AppleTransaction) -> StoreError {
    StoreError(.historyDiverged, at: apple.path) {
      "\(apple.path) has another history: transaction \(transaction.number) had another time, author or"
        + " other changes when it was read before."
        + "\nThe store was replaced or restored. Make a new history, in another folder."
    }
  }

  // MARK: The transactions

  /// Records the objects that existed before the first change that history has of them.
  private func recordEarlier(_ changes: ResolvedChanges) throws {
    guard try changes.hasEarlier() else { return }
    try recording.record(.difference) {
      try changes.forEachEarlier { earlier in
        let place = objects.places[earlier.entity]
        let key = RowKey(entity: place.entity, id: ObjectID(earlier.id))
        try withValues(earlier.entity, earlier.id, earlier.resolved, isInsertion: true) { append in
          try recording.insert(key, place, after: append)
        }
      }
      var details = AppleDetails(before: progress.purged + 1)
      details.noteModel(&progress)
      return details
    }
  }

  private func recordTransactions(_ changes: ResolvedChanges) throws {
    guard let history = try AppleHistory(apple.store, after: newest) else { return }
    try recording.begin()
    var place: Int64 = 0
    while let transaction = try history.next() {
      try recording.record(transaction, schema: recording.schema) { details in
        details.noteModel(&progress)
        while let change = try history.nextChange() {
          for reason in change.unread {
            details.noteUnread(change, recording.sequence, reason: objects.text(reason))
          }
          guard let entity = change.entity, let kind = change.kind else { continue }
          let resolution = try changes.resolution(at: place)
          place += 1
          let touch = objects.touch(of: change, kind, entity, in: transaction.number)
          try record(change, touch, resolution, changes, details: &details)
        }
      }
    }
  }

  private func record(
    _ change: AppleChange,
    _ touch: ResolvedChanges.Touch,
    _ resolution: ResolvedChanges.Resolution?,
    _ changes: ResolvedChanges,
    details: inout AppleDetails
  ) throws {
    let entity = touch.entity
    let place = objects.places[entity]
    let key = RowKey(entity: place.entity, id: ObjectID(change.id))
    guard recording.isFirst(key) else {
      return details.noteUnread(change, nil, reason: "another change of the object precedes it")
    }
    if case .candidates(let names, let count) = change.toMany {
      details.noteToMany(names, count: count, recording.sequence)
    }
    var present: (row: [Value], known: ColumnSet)?
    if let row = try self.present(key) {
      let known = try changes.takeUnmentioned(touch, count: place.count)
      present = (row, try recording.known(known, of: key, place))
    }
    if change.kind == .insert, resolution?.isRefused == true {
      return details.noteUnread(change, nil, reason: "the object is there already")
    }
    var hasResolved = false
    let isInsertion = change.kind == .insert
    try withValues(entity, change.id, resolution?.columns, isInsertion: isInsertion) { append in
      func after(_ column: Int, _ side: inout ChangeSide) throws -> Bool {
        let isKnown = try append(column, &side)
        hasResolved = hasResolved || isKnown
        return isKnown
      }
      switch change.kind {
      case .insert: try recording.insert(key, place, after: after)
      case .update:
        try recording.update(key, place, touch.named, present: present, after: after)
      case .delete:
        var kept: [Int: EncodedValue] = [:]
        for value in change.tombstone {
          guard let column = place.columns[value.attribute] else { continue }
          kept[column] = try objects.encoded(
            apple.mapping.value(value, of: entity),
            place.place(column)
          )
        }
        try recording.delete(key, place, present: present, kept: kept)
      case nil: break
      }
    }
    if hasResolved { details.values = isExact ? .recorded : .resolved }
  }

  /// The values of the row before the reading.
  private func present(_ key: RowKey) throws -> [Value]? {
    isContinued ? try writer.current(key) : nil
  }

  /// Calls the closure with a function that appends the present values of an object, as far as they
  /// are resolved.
  private func withValues(
    _ entity: Int,
    _ id: Int64,
    _ resolved: ColumnSet?,
    isInsertion: Bool,
    _ body: (AppleRecording.Appending) throws -> Void
  ) throws {
    let place = objects.places[entity]
    if let resolved, !resolved.isEmpty {
      let isThere = try objects.find(entity, id) { values in
        try body { column, side in
          guard resolved.contains(column) else { return false }
          return try objects.append(
            column,
            of: id,
            place,
            isInsertion: isInsertion,
            value: values.value(column),
            to: &side
          )
        }
      }
      if isThere { return }
    }
    try body { _, _ in false }
  }

  // MARK: What history does not explain

  private func recordDifferences(_ changes: ResolvedChanges, _ rows: AppleCommit?) throws {
    let comparison = try AppleComparison(objects, writer, recording, changes)
    try recording.record(.difference) {
      let found = try comparison.write(rows?.ids, isContinued: isContinued || rows != nil)
      if rows == nil {
        progress.rows = found.total
        // Rows in unchanged pages are not read again.
        if !isContinued || found.unknown > 0 { progress.unknownRows = found.unknown }
      }
      var details = AppleDetails(rows: found.rows, properties: found.properties)
      if found.rows > 0 { details.noteModel(&progress) }
      return details
    }
  }

  /// Gives the tables the highest ids that the store ever gave to objects.
  private func raiseSequences() throws {
    for key in apple.store.keys {
      guard let entity = apple.store.model.index(numbered: key.number),
        apple.store.model.entities[entity].root == entity, key.highest > 0
      else { continue }
      try writer.raiseSequence(objects.places[entity].entity, to: key.highest)
    }
  }
}
