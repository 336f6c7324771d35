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
    try recording.begin()
    progress.setModel(model, apple)
    let last = apple.snapshot.lastCommit
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
    try recordDifferences(rows, changes)
    recording.noteCertain()
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
    var place: Int64 = 0
    var count = 0
    if let history = try AppleHistory(apple.store, after: areOldRead ? nil : newest) {
      while let transaction = try history.next() {
        oldest = oldest ?? transaction.number
        last = transaction.number
        var digest = AppleDigest(transaction)
        let isNew = newest.map { transaction.number > $0 } ?? true
        while let change = try history.nextChange() {
          digest.add(change, in: apple.store.model)
          guard isNew, let entity = change.entity, let kind = change.kind else { continue }
          try changes.add(
            objects.isKnown(change) ? ResolvedChanges.Kind(kind) : .unread,
            place,
            entity: entity,
            id: change.id,
            columns: objects.touched(by: change, entity)
          )
          place += 1
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
    try changes.finish(counts: objects.counts) { entity, id in
      try objects.row(entity, id) != nil
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
    var details = AppleDetails(before: progress.purged + 1)
    details.noteModel(&progress)
    try recording.record(.difference, details: details) {
      try changes.forEachEarlier { earlier in
        let place = objects.places[earlier.entity]
        let key = RowKey(entity: place.entity, id: ObjectID(earlier.id))
        guard try writer.current(key) == nil else { return }
        let row = earlier.resolved.isEmpty ? nil : try objects.row(earlier.entity, earlier.id)
        try recording.insert(key, place, objects) { try objects.value($0, row, earlier.resolved) }
      }
    }
  }

  private func recordTransactions(_ changes: ResolvedChanges) throws {
    guard let history = try AppleHistory(apple.store, after: newest) else { return }
    var place: Int64 = 0
    while let transaction = try history.next() {
      try recording.record(transaction, schema: recording.schema) { details in
        details.noteModel(&progress)
        while let change = try history.nextChange() {
          for reason in change.unread {
            details.noteUnread(change, recording.sequence, reason: objects.text(reason))
          }
          guard let entity = change.entity, let kind = change.kind else { continue }
          let resolved = try changes.resolved(after: place)
          place += 1
          try record(change, kind, entity, resolved, details: &details)
        }
      }
    }
  }

  private func record(
    _ change: AppleChange,
    _ kind: AppleChange.Kind,
    _ entity: Int,
    _ resolved: ColumnSet?,
    details: inout AppleDetails
  ) throws {
    let place = objects.places[entity]
    let key = RowKey(entity: place.entity, id: ObjectID(change.id))
    guard recording.isFirst(key) else {
      return details.noteUnread(change, nil, reason: "another change of the object precedes it")
    }
    if case .candidates(let names, let count) = change.toMany {
      details.noteToMany(names, count: count, recording.sequence)
    }
    let present = try writer.current(key)
    let row = resolved == nil ? nil : try objects.row(entity, change.id)
    func after(_ column: Int) throws -> EncodedValue? {
      guard let resolved else { return nil }
      let value = try objects.value(place.place(column), row, resolved)
      if value != nil { details.values = isExact ? .recorded : .resolved }
      return value
    }
    switch kind {
    case .insert:
      guard present == nil else {
        return details.noteUnread(change, nil, reason: "the object is there already")
      }
      try recording.insert(key, place, objects) { try after($0.column) }
    case .update:
      if !objects.isKnown(change) { recording.noteUncertain(key) }
      let columns = objects.columns(of: change, entity)
      try recording.update(key, place, columns, present: present, after: after)
    case .delete:
      var kept: [Int: EncodedValue] = [:]
      for value in change.tombstone {
        guard let column = place.columns[value.attribute] else { continue }
        kept[column] = try objects.encoded(
          apple.mapping.value(value, of: entity),
          place.place(column)
        )
      }
      guard present != nil || place.columnCount > 0 else {
        return details.noteUnread(change, nil, reason: "the object is not there")
      }
      try recording.delete(key, place, present: present, kept: kept)
    }
  }

  // MARK: What history does not explain

  private func recordDifferences(_ rows: AppleCommit?, _ changes: ResolvedChanges) throws {
    let comparison = try AppleComparison(objects, writer)
    let found = try rows.map { try comparison.find(in: $0) } ?? comparison.find()
    if rows == nil {
      progress.rows = found.total
      progress.unknownRows = found.unknown
    }
    let vanished = try changes.vanished().filter {
      try writer.current(objects.key($0.entity, $0.id)) == nil
    }
    guard !found.isEmpty || !vanished.isEmpty else { return }
    var details = AppleDetails(
      rows: found.rowCount + vanished.count,
      properties: found.propertyCount
    )
    details.noteModel(&progress)
    try recording.record(.difference, details: details) {
      // Objects that history has, but of which no value was ever known.
      for object in vanished {
        let place = objects.places[object.entity]
        let key = objects.key(object.entity, object.id)
        try recording.delete(key, place, present: nil, kept: [:])
      }
      try comparison.write(found, to: recording)
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
