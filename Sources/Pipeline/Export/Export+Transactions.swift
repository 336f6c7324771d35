import ChangeLog
import Format
import Store

extension Export {
  /// Exports the transactions that follow the last exported transaction.
  func exportTransactions(through last: Int64, tick: Tick) throws {
    let first = result.to.transaction
    guard last > first else { return }
    progress.total = last - first
    let cursor = try reader.history(after: first, through: last)
    var previous = result.to.digest
    while var transaction = try cursor.nextTransaction() {
      transaction.digest = try transaction.digest ?? reader.point(transaction.id).digest
      guard let digest = transaction.chainDigest else { continue }
      let shown =
        try filtered.map { try $0.shownChanges(of: transaction, reader: reader) }
        ?? transaction.count
      if !request.isDryRun {
        try prepareLog(for: transaction, after: previous)
        try write(transaction, isShown: shown != nil, after: previous, cursor: cursor, tick: tick)
        try tree?.append(transaction)
      }
      previous = digest
      result.to = HistoryPoint(
        lineage: store.lineage,
        transaction: transaction.id,
        digest: digest
      )
      if let shown {
        result.transactions += 1
        result.changes += shown
      }
      try progress.countTransaction(tick)
    }
    try finishLog()
  }

  /// Begins a new log if the transaction can't be appended to the open log.
  private func prepareLog(for transaction: Transaction, after previous: Digest) throws {
    if let log, schema == transaction.schema, log.estimatedSize < request.maximumFileSize {
      return
    }
    try finishLog()
    guard let definition = schemas[transaction.schema] else {
      throw missingSchema("\(transaction.schema)", at: request.store)
    }
    let header = LogHeader(
      store: store.identifier,
      lineage: store.lineage,
      first: result.to.transaction + 1,
      previous: previous,
      schema: definition,
      partial: request.filter.words
    )
    schema = transaction.schema
    log = try LogWriter(
      request.stream.map { .stream($0, name: "standard output") }
        ?? .day(String(transaction.time.prefix(10)), request.logs),
      header: header,
      level: request.level
    )
  }

  private func write(
    _ transaction: Transaction,
    isShown: Bool,
    after previous: Digest,
    cursor: HistoryCursor,
    tick: Tick
  ) throws {
    guard let log else { return }
    func written(_ change: Change) throws {
      if !change.large.isEmpty { try copyLargeValues(of: change) }
      progress.changes += 1
      guard progress.changes & 0xfff == 0 else { return }
      progress.bytes = result.plainBytes + log.sizes.plain
      try tick(progress)
    }
    let lines = TransactionLines(transaction)
    if let filtered {
      let writing = FilteredLines(filtered: filtered, reader: reader, path: request.store)
      guard isShown else {
        return try writing.omit(transaction, after: previous, cursor: cursor, to: log)
      }
      try writing.write(transaction, cursor: cursor, to: log, written)
      return try log.close(transaction, lines: lines)
    }
    var erased =
      transaction.state == .erased ? TransactionDigest(transaction, after: previous) : nil
    while let change = try cursor.nextChange() {
      try log.append(change, lines: lines)
      erased?.take(change)
      try written(change)
    }
    try log.close(transaction, lines: lines)
    guard let erased, let digest = transaction.digest else { return }
    do throws(ProofError) {
      guard let remaining = try erased.close(lines).remaining else { return }
      records.append(
        ErasureRecord(
          time: currentTime(),
          reason: "erased in the store before it was exported",
          transaction: transaction.id,
          operation: transaction.operation,
          digest: digest,
          lines: remaining
        )
      )
    } catch {
      throw unreadableTransaction(transaction.id, error.message, at: request.store)
    }
  }

  /// Ends a log, and writes the erasure records of its transactions.
  private func finish(_ log: LogWriter) throws -> String {
    guard !records.isEmpty else { return try log.finish() }
    let (identifier, lineage) = (store.identifier, store.lineage)
    var erasures =
      try self.erasures
      ?? (request.stream != nil
        ? Erasures(store: identifier, lineage: lineage)
        : Erasures(
          path: request.logs.erasures(of: identifier, lineage: lineage),
          store: identifier,
          lineage: lineage
        ))
    let path = try log.finish(&erasures, adding: records)
    self.erasures = erasures
    records.removeAll()
    return path
  }

  private func copyLargeValues(of change: Change) throws {
    guard request.stream == nil else {
      values += change.largeReferences.filter { streamed.insert($0.digest).inserted }
      return
    }
    for value in change.largeReferences where !request.logs.blobs.contains(value.digest) {
      try request.logs.blobs.write(reader.largeValue(value.digest), digest: value.digest)
    }
  }

  private func finishLog() throws {
    guard let log else { return }
    self.log = nil
    result.files.append(try finish(log))
    if let stream = request.stream { try writeValues(to: stream) }
    result.plainBytes += log.sizes.plain
    result.compressedBytes += log.sizes.compressed
    try tree?.finish()
    // The token is written after each log, so the next run need not verify this log if this run is
    // interrupted.
    try moveToken()
  }

  /// Writes the large values of a log to the stream, after the lines of the log.
  private func writeValues(to stream: Int32) throws {
    for value in values {
      try LogWriter.write(
        reader.largeValue(value.digest),
        digest: value.digest,
        size: value.size,
        level: request.level,
        to: stream,
        name: "standard output"
      )
    }
    values.removeAll()
  }
}
