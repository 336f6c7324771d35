import ChangeLog
import Format

// These methods read the logs of a chain to their ends.
extension LogChain {
  /// Throws if a log has other transactions than its name says.
  ///
  /// The caller must have read the log to its end.
  func checkEnd(_ reader: LogReader, file: LogFolder.File) throws {
    guard let trailer = reader.trailer, trailer.last == file.range.upperBound else {
      throw LogError(.damaged, file.path) {
        "The log \(file.path) ends with transaction \(reader.trailer?.last ?? 0), but its name says"
          + " \(file.range.upperBound).\nRename the file to its original name."
      }
    }
    guard folder.partial == nil, reader.beginsWithSnapshot,
      reader.header.previous != beginning.digest,
      !snapshots.contains(file)
    else { return }
    let id = reader.header.first
    throw LogError(.damaged, file.path, transaction: id) {
      "The log \(file.path) contains the whole state of the store as transaction \(id); only the"
        + " first log of a lineage may contain a whole state."
    }
  }

  /// Reads the rest of a log, and throws if the log has other transactions than its name says.
  ///
  /// `first` receives the first transaction of the log. It is not called if reading began inside
  /// the log, or if the first transaction was omitted: then the day of the transaction is not
  /// known.
  func readToEnd(
    _ reader: LogReader,
    file: LogFolder.File,
    change: (Change, _ transaction: Int64) throws -> Void,
    omission: (Omission) throws -> Void = { _ in },
    first: (Transaction) throws -> Void,
    _ body: (Transaction) throws -> Void
  ) throws {
    var isFirst = !reader.isInside
    while let transaction = try reader.next(
      { next, id, _ in try change(next, id) },
      omitted: { omitted, _ in
        if omitted.lines == nil { isFirst = false }
        try omission(omitted)
      }
    ) {
      if isFirst { try first(transaction) }
      isFirst = false
      try body(transaction)
    }
    try checkEnd(reader, file: file)
  }

  /// The point at which reading starts: a known point, a snapshot, or the beginning of the lineage.
  func origin(after known: HistoryPoint?) throws -> HistoryPoint {
    if let known { return known }
    guard let first = files.first?.range.lowerBound else {
      return try snapshotPoint(snapshots.last) ?? beginning
    }
    guard try !beginsLineage() else { return beginning }
    return try snapshotPoint(snapshots.last { $0.range.upperBound < first }) ?? beginning
  }

  /// Reads a snapshot, and returns the point whose state the snapshot contains; nil if no file is
  /// given.
  func snapshotPoint(_ file: LogFolder.File?) throws -> HistoryPoint? {
    guard let file else { return nil }
    let reader = try open(file, after: nil)
    while try reader.next() != nil {}
    try checkEnd(reader, file: file)
    return HistoryPoint(
      lineage: lineage,
      transaction: reader.header.first,
      digest: reader.header.previous
    )
  }

  /// Whether the chain proves a snapshot: a transaction after the given point names the snapshot's
  /// digest.
  ///
  /// Logs are read only up to the transaction that proves the snapshot, because an import verifies
  /// all logs later.
  func provesSnapshot(_ file: LogFolder.File, at point: HistoryPoint) throws -> Bool {
    let snapshot = try open(file, after: nil)
    guard let digest = try snapshot.next(checksValues: false)?.digest else { return false }
    let wanted = Mark(.snapshot, transaction: point.transaction, digest: digest)
    var end = point
    for file in files where file.range.upperBound > point.transaction {
      let isInside = file.range.lowerBound <= point.transaction
      let reader = try open(file, after: isInside ? nil : end)
      if isInside { _ = reader.goInside(before: point.transaction) }
      while let transaction = try reader.next(checksValues: false) {
        if transaction.id == point.transaction, transaction.chainDigest != point.digest {
          return false
        }
        if transaction.id > point.transaction, transaction.mark == wanted { return true }
        end = transaction.point(inLineage: lineage) ?? end
      }
    }
    return false
  }

  /// Reads all logs, or the logs after a point, and returns the point of the last transaction.
  ///
  /// If a compaction merged the logs around the given point, the merged log is read from its
  /// beginning.
  func verifiedEnd(after known: HistoryPoint?) throws -> HistoryPoint {
    var end = try origin(after: known)
    var isInside = files.contains {
      $0.range.contains(end.transaction) && $0.range.upperBound > end.transaction
    }
    for file in files where file.range.upperBound > end.transaction {
      let reader = try open(file, after: isInside ? nil : end)
      isInside = false
      while let transaction = try reader.next() {
        guard let point = transaction.point(inLineage: lineage) else { continue }
        end = point
        if let known, end.transaction == known.transaction {
          try check(known, point: end, file: file)
        }
      }
      try checkEnd(reader, file: file)
    }
    return end
  }

  /// Throws if a transaction in a log has the id of a known point, but another digest.
  private func check(
    _ known: HistoryPoint,
    point: HistoryPoint,
    file: LogFolder.File
  ) throws {
    guard known.digest != point.digest else { return }
    throw LogError(.damaged, file.path, transaction: point.transaction) {
      "Transaction \(point.transaction) in the log \(file.path) does not have the digest from the"
        + " token: the log belongs to another history."
    }
  }
}
