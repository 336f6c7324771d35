import Format
import SQLite

/// Erases the values of deleted objects from a store whose history keeps only tombstones.
final class Erasure {
  private let connection: Connection
  private let blobs: Blobs
  private let layouts: [EntityLayout]
  /// The history mode of the store: which values history keeps of deleted objects.
  private(set) var mode = HistoryMode.full
  private let remnants: ErasedBytes
  /// What remains of the lines from which deletions in the open transaction erased values, without
  /// the lines in ``file``.
  private var restated = RestatedRows()
  /// The details that restate earlier lines; nil if one transaction restates all lines.
  private var file: RestatedFile?

  init(_ connection: Connection, blobs: Blobs, layouts: [EntityLayout]) throws {
    self.connection = connection
    self.blobs = blobs
    self.layouts = layouts
    remnants = ErasedBytes(connection)
    try refresh()
  }

  /// Reads the mode again, because another process may have changed it.
  func refresh() throws {
    mode = try Catalog.historyMode(on: connection)
    try remnants.refresh(mode)
  }

  /// Erases the values of an object from earlier transactions.
  func eraseEarlier(_ key: RowKey, before first: Int64) throws {
    guard mode == .tombstones else { return }
    try remnants.noteDeletion()
    // The object may have changed its entity, but not its family. So all entities of the family are
    // searched.
    let root = layouts[key.entity].ancestors.last ?? key.entity
    let names = layouts[root].family.map { layouts[$0].entity.name }
    let condition = "object = ?1 AND \(isOne(of: names, column: "entity")) AND id < ?2 ORDER BY id"
    let object = key.id.text.map { Value.text($0) } ?? .integer(key.id.integer)
    try erase(condition, [object, .integer(first)], restate: restate) { _, _, _ in true }
  }

  private func restate(
    _ line: RestatedLine,
    of transaction: Transaction,
    digest: Digest
  ) throws {
    if restated.count >= RestatedRows.most { try putAside() }
    restated.add(line, of: transaction, digest: digest)
  }

  /// Moves the restated lines to a file, because a further transaction must restate the next lines.
  private func putAside() throws {
    let file = try file ?? RestatedFile()
    if let details = try restatements(restated).details { try file.append(details) }
    restated = RestatedRows()
    self.file = file
  }

  /// Erases values of an object from history, and calls `restate` with what remains of each line that
  /// contained them, in the order of the lines.
  func erase(
    _ object: ObjectID,
    restate: (Restatement) throws -> Void,
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws {
    try HistoryRows.forgetMarkSeeds(on: connection)
    let id = object.text.map { Value.text($0) } ?? .integer(object.integer)
    let lineage = try HistoryRows(connection).base().lineage
    try erase("object = ?1 ORDER BY id", [id]) { line, transaction, digest in
      try restate(
        Restatement(
          lineage: lineage,
          transaction: transaction.id,
          operation: transaction.operation,
          digest: digest,
          lines: [line]
        )
      )
    } where: {
      try erases($0, $1, $2)
    }
  }

  private func restatements(_ rows: RestatedRows) throws -> [Restatement] {
    rows.restatements(lineage: try HistoryRows(connection).base().lineage)
  }

  /// Erases from a replica the values that its origin erased from the same lines.
  ///
  /// The origin may have erased an earlier value of an object from a line, and kept a present value
  /// in it. The digest of the remaining values shows which values the origin erased.
  func erase(
    _ restatements: [Restatement],
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws {
    let rows = HistoryRows(connection)
    // A replica has no seeds of snapshots, so none are removed here.
    try connection.execute("PRAGMA secure_delete = ON")
    var hasErased = false
    for one in restatements {
      guard let transaction = try rows.transaction(one.transaction),
        transaction.digest == one.digest
      else { continue }
      for line in one.lines where line.sequence < transaction.count {
        let row = Value.integer(transaction.firstChange + line.sequence)
        try erase(
          "id = ?1",
          [row],
          remaining: line,
          restate: { _, _, _ in hasErased = true },
          where: erases
        )
      }
    }
    if hasErased { try FreeSpace.note(.erased, on: connection) }
  }

  /// Erases values from the changes that an SQL condition selects; `values` are its parameters.
  ///
  /// `restate` gets what remains of each line that lost values, with the line's transaction and its
  /// digest.
  private func erase(
    _ condition: String,
    _ values: [Value],
    remaining line: RestatedLine? = nil,
    restate: (RestatedLine, Transaction, Digest) throws -> Void,
    where erases: (Transaction, Change, ToldValue) throws -> Bool
  ) throws {
    let rows = HistoryRows(connection)
    let reading = try rows.changes(where: condition)
    for (index, value) in values.enumerated() { try reading.bind(Int32(index + 1), value) }
    defer { reading.reset() }
    while try reading.step() {
      var change = try rows.change(at: reading)
      let id = reading.int64(at: 9)
      guard let transaction = try rows.transaction(id) else {
        throw rows.damaged("transaction \(id) is missing")
      }
      var gone = try change.toldValues.filter {
        try !$0.isErased && erases(transaction, change, $0)
      }
      guard !gone.isEmpty else { continue }
      let (leaf, salt) = try HiddenRow(connection, transaction).hide(change)
      if let line {
        guard let chosen = change.erased(gone, salt: salt, leaving: line.values) else { continue }
        gone = chosen
      }
      let left = try leaf.withUnsafeBytes {
        change.leaf = $0
        return try write(change, id: reading.int64(at: 11), without: gone, salt: salt)
      }
      guard let digest = transaction.digest else {
        throw rows.damaged("transaction \(id) is missing")
      }
      try restate(RestatedLine(sequence: change.sequence, values: left), transaction, digest)
    }
  }

  /// Replaces a change by the same change without the erased values, and returns the digest of the
  /// values that remain.
  private func write(
    _ change: Change,
    id: Int64,
    without gone: [ToldValue],
    salt: Seed
  ) throws -> Digest {
    try change.without(gone) { erased in
      let old = digests(in: change.large)
      var kept = digests(in: erased.large)
      for digest in old {
        if let index = kept.firstIndex(of: digest) {
          kept.remove(at: index)
        } else {
          try blobs.count(digest, history: -1)
        }
      }
      let writing = try connection.cached(
        """
        UPDATE \(connection.tables.change)
        SET before = ?2, after = ?3, special = ?4, large = ?5, leaf = ?6
          WHERE id = ?1
        """
      )
      try writing.bind(1, id)
      try bind(writing, 2, Array(erased.before))
      try bind(writing, 3, Array(erased.after))
      try bind(writing, 4, Array(erased.special))
      try bind(writing, 5, Array(erased.large))
      try bind(writing, 6, Array(change.leaf))
      try writing.run()
      return erased.valuesDigest(salt: salt)
    }
  }

  private func bind(_ statement: Statement, _ index: Int32, _ text: [UInt8]) throws {
    if text.isEmpty { return try statement.bindNull(index) }
    try text.withUnsafeBytes { try statement.bind(index, text: $0) }
  }

  /// Remembers that captured foreign changes may have left deleted values in the file.
  func noteForeignChanges() throws {
    if mode == .tombstones { try remnants.noteForeignChanges() }
  }

  /// The details of the next transaction that restates lines from which deletions erased values;
  /// nil if no line is left.
  func takeDetails() throws -> String? {
    if let details = try file?.next() { return details }
    guard restated.count > 0 else { return nil }
    defer { begin() }
    return try restatements(restated).details
  }

  /// Forgets the lines from which the last transaction erased values.
  func begin() {
    restated = RestatedRows()
    file = nil
  }

  /// Discards the state of a failed write.
  func abandon() { remnants.abandon() }

  /// Removes erased bytes from the file after a commit.
  func committed() { remnants.remove() }
}

extension Change {
  /// Calls `body` with a copy of the change that lacks some values.
  func without<Result>(
    _ gone: [ToldValue],
    _ body: (Change) throws -> Result
  ) rethrows -> Result {
    try withErased(
      { value in gone.contains { $0.key == value.key && $0.isAfter == value.isAfter } },
      body
    )
  }

  /// Finds the values in `wanted` that were erased: without them, the values of the change have the
  /// given digest.
  ///
  /// If no choice of values gives this digest, the result is all of `wanted`, or nil if the line
  /// already has erased values.
  fileprivate func erased(
    _ wanted: [ToldValue],
    salt: Seed,
    leaving digest: Digest
  ) -> [ToldValue]? {
    // The origin may have kept or erased each of these values, so all combinations are tried. A
    // line never has more than 12 such values.
    let present = wanted.indices.filter { wanted[$0].isAfter }.prefix(12)
    for choice in 0..<1 << present.count {
      let kept = Set(present.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element))
      let gone = wanted.indices.filter { !kept.contains($0) }.map { wanted[$0] }
      if without(gone, { $0.valuesDigest(salt: salt) }) == digest { return gone }
    }
    return isHidden ? nil : wanted
  }
}
