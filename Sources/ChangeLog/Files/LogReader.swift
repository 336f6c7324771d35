import Format
import Glibc

/// Reads one log from the first byte to the last, and verifies everything in the log.
///
/// A caller that reaches the end has read a complete log. Every line has its canonical form, every
/// transaction has the right digest, and the trailer has the right counts and digest. Only the end
/// shows that the file is complete, so a caller must apply nothing before the end.
package final class LogReader {
  package let path: String
  package let header: LogHeader
  /// The id of the last transaction that was read or omitted, and the digest before the next one.
  package private(set) var end: HistoryPoint
  /// The trailer of the log; nil until the whole log is read.
  package private(set) var trailer: LogTrailer?

  private let descriptor: Int32
  var buffer: LineBuffer
  /// Splits changes into their values, according to the schema in the header.
  ///
  /// A caller that checks the values itself uses this object too.
  package let format: ChangeFormat
  let schemaDigest: String
  /// The file to which lines are added, and what its rows say about this log.
  var arrow: (file: ArrowFile, place: LineColumns.Place)?
  private var erasing: ErasureCheck
  private let scanner = TransactionScanner()
  private var expected: Int64
  private var transactions: Int64 = 0
  private var changes: Int64 = 0
  /// Whether all changes of the open transaction so far are inserts.
  private var hasOnlyInserts = true
  /// The transaction that confirms the remaining values of the last transaction; nil if no value
  /// was erased, or if nothing confirms the remaining values.
  package var restatedBy: HistoryPoint? { erasing.restatedBy }
  /// Whether values, digests and the trailer are verified; set before the first transaction is read.
  ///
  /// A caller that also reads the log with another reader needs to verify it only once.
  package var isVerifying = true
  /// Whether the first transaction contains the whole state of the store.
  package private(set) var beginsWithSnapshot = false
  /// Whether reading started after the beginning of the log.
  ///
  /// If reading starts inside the log, the reader does not know the line numbers, and can't check
  /// the counts and the digest in the trailer.
  package private(set) var isInside = false
  /// The number of bytes that were read from the file until now.
  package var bytesRead: Int64 { buffer.bytesRead + bytesReadBefore }
  private var bytesReadBefore: Int64 = 0

  /// Opens a log and reads its header.
  ///
  /// - Parameters:
  ///   - path: The path of the log.
  ///   - acceptsUnfinishedErasures: Whether a transaction may still have the values that an
  ///     interrupted erasure should have removed.
  ///   - erasures: Returns the erasure records of the log's lineage. If a transaction has no record,
  ///     it must have its original lines.
  /// - Throws: ``LogError``.
  package init(
    path: String,
    acceptsUnfinishedErasures: Bool = false,
    erasures: (LogHeader) throws -> Erasures = { Erasures(store: $0.store, lineage: $0.lineage) }
  ) throws {
    self.path = path
    descriptor = try openFile(path)
    do {
      buffer = LineBuffer(try GzipReader(descriptor: descriptor, path: path), path: path)
    } catch {
      close(descriptor)
      throw error
    }
    do {
      let parsed = try buffer.withHeader {
        try LogHeader(line: UnsafeRawBufferPointer(rebasing: $0.dropLast()), path: path)
      }
      guard let parsed else { throw emptyFile(path) }
      header = parsed
      format = try ChangeFormat(header.schema, acceptsRedacted: !header.partial.isEmpty)
      schemaDigest = SHA256.digest(of: Array(try header.schema.json().utf8)).description
      erasing = ErasureCheck(try erasures(header), acceptsUnfinished: acceptsUnfinishedErasures)
    } catch {
      buffer.finish()
      close(descriptor)
      throw error
    }
    expected = header.first
    end = HistoryPoint(
      lineage: header.lineage,
      transaction: header.first - 1,
      digest: header.previous
    )
    scanner.isFiltered = !header.partial.isEmpty
  }

  deinit {
    buffer.finish()
    close(descriptor)
  }

  /// Reads the next transaction, and calls `body` with each of its changes.
  ///
  /// - Parameters:
  ///   - checksValues: Whether to refuse values that are not canonical. A replay refuses such values
  ///     itself.
  ///   - body: Receives a change, the id of its transaction, and the number of changes in the
  ///     transaction. The bytes of the change are valid only during the call.
  ///   - copy: Receives the line of each change after `body`. The bytes of the line are valid only
  ///     during the call.
  ///   - omitted: Receives a line that replaces omitted lines or an omitted transaction in a filtered
  ///     log, and what it replaces.
  /// - Returns: The transaction, or nil at the end of the log.
  /// - Throws: ``LogError``, and errors of the closures.
  package func next(
    checksValues: Bool = true,
    _ body: (Change, _ transaction: Int64, _ count: Int64) throws -> Void = { _, _, _ in },
    copy: (UnsafeRawBufferPointer) throws -> Void = { _ in },
    omitted: (Omission, UnsafeRawBufferPointer) throws -> Void = { _, _ in }
  ) throws -> Transaction? {
    guard trailer == nil else { return nil }
    // The threads that read ahead start when the first transaction is requested.
    if buffer.number == 1 { try begin() }
    while let line = try buffer.next() {
      let text = UnsafeRawBufferPointer(rebasing: line.dropLast())
      var parts = LineParts(text)
      if parts.has(#"{"kind":"change","#) {
        try readChange(text, checksValues: checksValues, body)
        try writeToArrow(text)
        try copy(line)
      } else if parts.has(#"{"kind":"transaction","#) {
        let transaction = try readTransaction(text)
        try writeToArrow(text)
        return transaction
      } else if parts.has(#"{"kind":"omitted","#) {
        try omitted(readOmission(text), line)
        try writeToArrow(text)
      } else {
        try readTrailer(text)
        return nil
      }
    }
    throw LogError(.incomplete, path, line: buffer.number, transaction: expected - 1) {
      "The log \(path) has no trailer: the lines after line \(buffer.number) are missing. The last"
        + " complete transaction is \(expected - 1)."
    }
  }

  private func begin() throws {
    try buffer.begin(after: isVerifying ? header.previous : nil)
    // The first digests belong to a transaction whose changes were skipped, so they are ignored.
    if isInside, isVerifying { _ = buffer.digests() }
  }

  /// Starts reading inside the log, as near to a transaction as the members file allows; nothing
  /// may have been read before.
  ///
  /// The result is false if the members file has no entry for the transaction. In that case the log
  /// is read from its beginning.
  ///
  /// At the position of an entry, there must be the closing line of an earlier transaction.
  /// Everything after this line is verified as usual, except the counts and the digest in the
  /// trailer. An error may contain a wrong line number, because only reading from the beginning
  /// gives the right number.
  package func goInside(before transaction: Int64) -> Bool {
    var status = stat()
    guard buffer.number == 1, !isInside, fstat(descriptor, &status) == 0,
      let entry = LogMembers.entry(before: transaction, in: path, size: Int64(status.st_size))
    else { return false }
    let place = lseek(descriptor, 0, SEEK_CUR)
    guard place >= 0, lseek(descriptor, off_t(entry.offset), SEEK_SET) == entry.offset else {
      return false
    }
    // A wrong entry in the members file does not mean that the log is damaged. The log is then read
    // from its beginning.
    if let lines = try? lines(at: entry) {
      bytesReadBefore = bytesRead
      buffer = lines
      expected = entry.transaction + 1
      isInside = true
    } else {
      lseek(descriptor, place, SEEK_SET)
    }
    return isInside
  }

  /// The lines after the closing line that an entry describes; nil if another line is at the
  /// position of the entry.
  private func lines(at entry: LogMembers.Entry) throws -> LineBuffer? {
    let lines = LineBuffer(try GzipReader(descriptor: descriptor, path: path), path: path)
    guard try lines.skip(entry.begins), let line = try lines.next() else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: line.dropLast())
    let closed = try TransactionScanner().transaction(text, isAlone: true)
    guard closed.id == entry.transaction, closed.schema == schemaDigest else { return nil }
    return lines
  }

  /// The facts about the transaction whose changes are being read: id, time, author, schema and
  /// number of changes; nil between transactions.
  ///
  /// - Throws: ``LogError`` if a program altered the lines of the transaction.
  package func opening() throws -> Transaction? {
    var transaction = try accepted(scanner.opened)
    transaction?.schema = schemaDigest
    return transaction
  }

  private func readChange(
    _ text: UnsafeRawBufferPointer,
    checksValues: Bool,
    _ body: (Change, Int64, Int64) throws -> Void
  ) throws {
    let change = try accepted { () throws(Refusal) in try scanner.change(text) }
    // A gap has a higher id than the next transaction would have. Only the last line of a gap shows
    // that the transaction is a gap, so a higher id is accepted here.
    guard let open = scanner.open, open.id >= expected else {
      throw damaged("the next transaction must be \(expected)")
    }
    // The transaction's digest does not cover the values that remain in a hidden line. Such a line
    // is refused unless it marks a value as hidden.
    guard !change.isHidden || change.hasHiddenValues else {
      throw damaged("the values are hidden, but no value is marked as erased or left out")
    }
    if checksValues, isVerifying {
      do throws(CanonicalEncodingError) {
        try format.check(change)
      } catch {
        throw damaged(error.message)
      }
    }
    if change.kind != .insert { hasOnlyInserts = false }
    erasing.take(change)
    try body(change, open.id, open.count)
    changes += 1
  }

  private func readTransaction(_ text: UnsafeRawBufferPointer) throws -> Transaction {
    let transaction = try accepted { () throws(Refusal) in try scanner.transaction(text) }
    guard transaction.follows(expected) else {
      throw damaged("the next transaction must be \(expected)")
    }
    guard transaction.schema == schemaDigest else {
      throw damaged("the transaction has another schema than the header of the log")
    }
    if transaction.operation == .snapshot {
      guard hasOnlyInserts, transaction.id == header.first || scanner.isFiltered else {
        throw damaged("a snapshot must be the first transaction and have only inserts")
      }
      beginsWithSnapshot = true
    }
    guard ![.mark, .erase].contains(transaction.operation) || transaction.count == 0 else {
      throw damaged("a transaction about other transactions must not have changes")
    }
    hasOnlyInserts = true
    if isVerifying { try checkDigests(of: transaction) }
    go(past: transaction.id, digest: transaction.chainDigest)
    transactions += 1
    return transaction
  }

  private func go(past transaction: Int64, digest: Digest?) {
    expected = transaction + 1
    guard let digest else { return }
    end = HistoryPoint(lineage: header.lineage, transaction: transaction, digest: digest)
  }

  private func readOmission(_ text: UnsafeRawBufferPointer) throws -> Omission {
    let omission = try accepted { () throws(Refusal) in try scanner.omission(text) }
    // A gap is never omitted, so the id of an omitted transaction must follow the id before it.
    let isNext = omission.transaction == expected
    guard isNext || omission.lines != nil && omission.transaction > expected else {
      throw damaged("the next transaction must be \(expected)")
    }
    guard omission.lines == nil else { return omission }
    go(past: omission.transaction, digest: isVerifying ? try digests().transaction : nil)
    return omission
  }

  /// The digests of the transaction whose closing line was just read, or of the omitted transaction
  /// whose replacement was just read.
  private func digests() throws -> LineDigests { try accepted(buffer.digests().get) }

  /// Throws if the lines of a transaction do not match its digest, or if values were erased and no
  /// record confirms the remaining values.
  private func checkDigests(of transaction: Transaction) throws {
    let found = try digests()
    guard found.transaction == transaction.digest else {
      let digests = (found: found.transaction, expected: transaction.digest)
      throw alteredTransaction(transaction.id, digests, path: path, line: buffer.number)
    }
    try erasing.check(found, of: transaction.id, path: path, line: buffer.number)
  }

  private func readTrailer(_ text: UnsafeRawBufferPointer) throws {
    guard scanner.open == nil else {
      throw damaged("the transaction before the trailer is not closed")
    }
    guard let digest = isVerifying ? buffer.digestBeforeTrailer() : header.previous else {
      throw damaged("there are lines after the trailer, or the line is not a trailer")
    }
    var right = LogTrailer(
      last: expected - 1,
      transactions: transactions,
      changes: changes,
      digest: digest
    )
    // If lines were skipped or not verified, the counts and the digest of all lines are not known.
    // So those in the trailer are accepted.
    if isInside || !isVerifying {
      try accepted { () throws(Refusal) in try right.takeTotals(of: text) }
    }
    guard right.line().dropLast().elementsEqual(text) else {
      throw damaged(
        "the line should be the trailer with last: \(expected - 1), transactions: \(transactions),"
          + " changes: \(changes) and digest: \(right.digest)"
      )
    }
    guard try buffer.next() == nil else { throw damaged("there are lines after the trailer") }
    trailer = right
  }

  /// Calls a function; if the function refuses the bytes of a line, throws the error that the log
  /// is damaged.
  func accepted<Result>(_ body: () throws(Refusal) -> Result) throws -> Result {
    do throws(Refusal) {
      return try body()
    } catch {
      throw damaged(error.message)
    }
  }

  func damaged(_ detail: String) -> LogError {
    LogError(.damaged, path, line: buffer.number, transaction: expected) {
      "Line \(buffer.number) of the log \(path) was damaged or altered: \(detail). The last sound"
        + " transaction is \(expected - 1)."
    }
  }
}
