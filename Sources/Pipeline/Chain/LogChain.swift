import ChangeLog
import Format

/// A trusted point in a history; only the logs after this point are verified.
package struct TrustedPosition: Hashable, Sendable {
  /// The trusted transaction: the last one that is not verified again.
  package let transaction: Int64
  package let digest: Digest

  package init(transaction: Int64, digest: Digest) {
    self.transaction = transaction
    self.digest = digest
  }
}

/// The logs of one lineage in order; each log must continue the previous log.
struct LogChain {
  let folder: LogFolder
  let store: String
  let lineage: Int64
  let files: [LogFolder.File]
  /// Logs that an interrupted compaction has merged into larger logs, but has not removed.
  ///
  /// The larger logs are used instead.
  let covered: [LogFolder.File]
  let snapshots: [LogFolder.File]
  let erasures: Erasures
  private let acceptsUnfinishedErasures: Bool

  init(_ folder: LogFolder, store: String, lineage: Int64) throws {
    try folder.checkErasing(store)
    let path = folder.erasures(of: store, lineage: lineage)
    let erasures = try Erasures(path: path, store: store, lineage: lineage)
    try self.init(folder, store: store, lineage: lineage, erasures: erasures)
  }

  /// If `acceptsUnfinishedErasures` is true, transactions may contain values that an interrupted
  /// erasure has not removed yet.
  init(
    _ folder: LogFolder,
    store: String,
    lineage: Int64,
    erasures: Erasures,
    acceptsUnfinishedErasures: Bool = false
  ) throws {
    var erasures = erasures
    erasures.restated = RestatedTransactions(folder, store: store)
    self.erasures = erasures
    self.acceptsUnfinishedErasures = acceptsUnfinishedErasures
    self.folder = folder
    self.store = store
    self.lineage = lineage
    var files: [LogFolder.File] = []
    var covered: [LogFolder.File] = []
    // Logs are sorted by their first transactions. If two logs begin with the same transaction, the
    // shorter log is first.
    for file in try folder.files(of: store, lineage: lineage) {
      while let last = files.last, last.range != file.range,
        file.range.contains(last.range.lowerBound), file.range.contains(last.range.upperBound)
      {
        covered.append(files.removeLast())
      }
      if let last = files.last, last.range != file.range,
        last.range.upperBound >= file.range.upperBound
      {
        covered.append(file)
      } else {
        files.append(file)
      }
    }
    self.files = files
    self.covered = covered
    snapshots = try folder.snapshots(of: store, lineage: lineage)
  }

  /// The point before the first transaction of the lineage.
  ///
  /// A later lineage continues the state after a transaction of an earlier lineage.
  var beginning: HistoryPoint {
    HistoryPoint(
      lineage: lineage,
      transaction: lineage > 0 ? (files.first?.range.lowerBound ?? 1) - 1 : 0,
      digest: TransactionDigest.beginning(ofStore: store, lineage: lineage)
    )
  }

  /// Whether the first log contains the lineage's first transaction.
  ///
  /// If history was deleted before its export, the logs begin with a snapshot within the lineage,
  /// and the value is false.
  func beginsLineage() throws -> Bool {
    guard let file = files.first else { return false }
    // The first transaction of a later lineage can have any id. So the digest before the log is
    // compared.
    guard lineage > 0 else { return file.range.lowerBound == 1 }
    return try open(file, after: nil).header.previous == beginning.digest
  }

  /// Opens a log, and throws unless the log continues the given point; if the point is nil, any
  /// beginning is accepted.
  func open(_ file: LogFolder.File, after point: HistoryPoint?) throws -> LogReader {
    let reader = try LogReader(
      path: file.path,
      acceptsUnfinishedErasures: acceptsUnfinishedErasures
    ) { _ in erasures }
    let header = reader.header
    guard header.store == store, header.lineage == lineage else {
      throw misplaced(header, path: file.path)
    }
    guard header.partial.isEmpty || folder.partial != nil else {
      throw LogError(.filtered, file.path, line: 1) {
        "The log \(file.path) is filtered (\(header.partial)), so it can't be a part of a whole"
          + " history.\nMove the filtered log out of the folder."
      }
    }
    guard header.first == file.range.lowerBound else {
      throw LogError(.damaged, file.path, line: 1) {
        "The log \(file.path) begins with transaction \(header.first), but its name says"
          + " \(file.range.lowerBound).\nRename the file to its original name."
      }
    }
    guard let point else { return reader }
    guard header.first == point.transaction + 1 else {
      throw gap(file, point: point)
    }
    guard header.previous == point.digest else {
      throw LogError(.damaged, file.path, line: 1, transaction: header.first) {
        "The log \(file.path) does not follow transaction \(point.transaction): the log belongs to"
          + " another history."
      }
    }
    return reader
  }

  /// The logs with transactions after a trusted position.
  ///
  /// If no log has transactions after the trusted position, the result is the log that contains the
  /// position.
  func files(after position: TrustedPosition?) -> [LogFolder.File] {
    guard let id = position?.transaction else { return files }
    let later = files.filter { $0.range.upperBound > id }
    return later.isEmpty ? files.filter { $0.range.contains(id) } : later
  }

  func has(_ position: TrustedPosition) throws -> Bool {
    let (id, digest) = (position.transaction, position.digest)
    guard let file = files(after: position).first else { return false }
    let reader = try open(file, after: nil)
    guard file.range.lowerBound <= id else {
      return file.range.lowerBound == id + 1 && reader.header.previous == digest
    }
    _ = reader.goInside(before: id)
    while let transaction = try reader.next(checksValues: false), transaction.id <= id {
      if transaction.id == id { return transaction.chainDigest == digest }
    }
    return false
  }

  /// The error for a log that does not begin where the previous log ends.
  func gap(_ file: LogFolder.File, point: HistoryPoint) -> LogError {
    let first = file.range.lowerBound
    return LogError(.gap, file.path, transaction: first) {
      guard first > point.transaction + 1 else {
        let repeated = first...max(first, min(point.transaction, file.range.upperBound))
        return
          "The log \(file.path) repeats \(rangeText(repeated).lowercased()) of the previous log."
          + "\nMove one of these two logs out of the folder."
      }
      let missing = point.transaction + 1...first - 1
      return "The log \(file.path) does not follow transaction \(point.transaction):"
        + " \(rangeText(missing).lowercased()) \(missing.count == 1 ? "is" : "are") missing."
        + "\nRestore the missing logs."
    }
  }
}

/// The error for a log that is in the folder of other logs, or has the name of another log.
func misplaced(_ header: LogHeader, path: String) -> LogError {
  LogError(.damaged, path, line: 1) {
    "The log \(path) is in the wrong folder or has the wrong name: it begins with transaction"
      + " \(header.first) of lineage \(header.lineage) of the store \(header.store)"
      + (header.partial.isEmpty ? "." : " and is filtered (\(header.partial)).")
      + "\nMove the log to its own folder, under its original name."
  }
}

extension Transaction {
  /// The point after the transaction; nil if the transaction has no digest.
  func point(inLineage lineage: Int64) -> HistoryPoint? {
    chainDigest.map { HistoryPoint(lineage: lineage, transaction: id, digest: $0) }
  }
}

extension LogFolder {
  /// The last transaction of a store's latest lineage, according to the names of the logs.
  func end(of store: String) throws -> (lineage: Int64, transaction: Int64)? {
    for lineage in try lineages(of: store).reversed() {
      let files = try files(of: store, lineage: lineage) + snapshots(of: store, lineage: lineage)
      if let last = files.map(\.range.upperBound).max() { return (lineage, last) }
    }
    return nil
  }
}
