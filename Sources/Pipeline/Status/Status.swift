import ChangeLog
import Format
import FoundationEssentials
import Store

package struct Status: Codable, Hashable, Sendable {
  /// Whether the next export can continue.
  package enum Health: String, Codable, Hashable, Sendable {
    case ok
    /// The store was never exported.
    case notExported = "not-exported"
    /// The next transactions to export were deleted from history.
    case expired
    /// The history of the store differs from the history in the logs.
    case diverged
    /// Logs that the token requires are missing.
    case logsMissing = "logs-missing"
  }

  package var store: String
  package var identifier: String
  /// Whether the store is a replica, to which only `import` writes.
  package var isReplica: Bool
  package var head: HistoryPoint
  /// The time of the last transaction; nil if the history has no transactions.
  package var headTime: String?
  /// The oldest transaction in history; nil if the history has no transactions.
  package var oldest: Int64?
  /// The state of the logs that are not filtered; nil if no log folder was given.
  package var logs: Logs?
  /// Whether the store records that it was exported before, to any log folder.
  package var wasExported: Bool
  /// The number of changes in history.
  package var changes: Int64
  /// The size of the store's file in bytes.
  package var storeBytes: Int64
  package var filtered: [Filtered] = []
  /// The tables of an adopted file whose changes are not recorded; nil if the store is not an
  /// adopted file.
  package var unrecorded: [String]?
  /// The number of captured changes of an adopted file that are not in the history yet; nil if there
  /// are none.
  package var unsealed: Int64?
  /// The tables and columns of an adopted file that are left out; nil if there are none.
  package var leftOut: [String]?
  /// The tables of an adopted file whose rows changed in a way that no trigger captured, or of its
  /// replica with changes that no import made; nil for a store of the library.
  package var uncaptured: [String]?

  /// The database that a history file follows; nil for another store.
  package var database: String?
  /// When the database was last read.
  package var read: String?
  package var readAgeSeconds: Double?
  /// Whether the origin is a store of Core Data or SwiftData, whose history has no values; nil if not.
  package var hasUnknownValues: Bool?
  /// What is unusual about the model of this store, in words; nil if it is not followed.
  package var model: [String]?
  /// The last transaction that the app deleted before it was read; nil if there is none.
  package var purged: Int64?

  private enum CodingKeys: String, CodingKey {
    case database, read, readAgeSeconds, model, purged
    case hasUnknownValues = "unknownValues"
    case store, identifier, head, headTime, oldest, wasExported, changes, storeBytes, filtered
    case unrecorded, unsealed, leftOut, uncaptured
    case isReplica = "replica"
  }

  /// The state of logs of one kind.
  package struct Logs: Codable, Hashable, Sendable {
    /// The last transaction that an export has written to the logs or left out; nil if the token
    /// does not contain this point.
    package var exported: HistoryPoint?
    /// The time of the oldest transaction after ``exported``; nil if no transaction follows.
    package var waitingSince: String?
    /// The age of the oldest transaction after ``exported``.
    package var lagSeconds: Double
    /// The number of transactions after ``exported``.
    package var lagTransactions: Int64
    package var files: Int
    package var bytes: Int64
    package var health = Health.ok
    /// The error that the next export would report; nil if the export would succeed.
    package var message: String?
    package var hint: String?

    package var lag: Duration { .seconds(lagSeconds) }

    private enum CodingKeys: String, CodingKey {
      case health, message, hint, exported, waitingSince, lagTransactions, lagSeconds, files
      case bytes = "logBytes"
    }
  }

  /// The state of filtered logs of one kind.
  package struct Filtered: Codable, Hashable, Sendable {
    /// What the filter leaves out, in words.
    package var words: String
    package var logs: Logs

    private enum CodingKeys: String, CodingKey { case words = "filter" }

    init(words: String, logs: Logs) {
      self.words = words
      self.logs = logs
    }

    package init(from decoder: any Decoder) throws {
      words = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .words)
      logs = try Logs(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(words, forKey: .words)
      try logs.encode(to: encoder)
    }
  }
}

/// Describes a store, compares it with its logs if a log folder is given, and changes neither.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func status(of path: String, logs: LogFolder?, token: String? = nil) throws -> Status {
  if let logs { try useAppleHistory(of: path, in: logs) }
  let store = try readableStore(path)
  if let logs, !logs.exists { throw missingFolder(logs) }
  let identifier = store.identifier
  return try store.read { reader in
    let range = try reader.historyRange()
    var status = Status(
      store: path,
      identifier: identifier,
      isReplica: store.isReplica,
      head: range.head,
      headTime: try reader.transaction(range.head.transaction)?.time,
      oldest: range.oldest,
      logs: try logs.map { logs in
        try Status.Logs(
          ExportRequest(store: path, logs: logs, token: token),
          store: store,
          reader: reader
        )
      },
      wasExported: try reader.remembersExport(filter: nil),
      changes: try reader.changeCount(),
      storeBytes: size(of: path) + size(of: path + "-wal")
    )
    for filtered in try logs.map({ try FilteredLogs.all(of: identifier, in: $0) }) ?? [] {
      status.filtered.append(
        Status.Filtered(
          words: filtered.words,
          logs: try Status.Logs(
            ExportRequest(store: path, logs: filtered.folder),
            store: store,
            reader: reader
          )
        )
      )
    }
    status.unrecorded = try store.unrecordedTables()
    let unsealed = try store.capturesChanges ? reader.unshownChanges() : 0
    if unsealed > 0 { status.unsealed = unsealed }
    if !store.leftOutNames.isEmpty { status.leftOut = store.leftOutNames }
    if let followed = try reader.followedDatabase() {
      status.database = followed.path
      status.read = followed.time
      status.readAgeSeconds = followed.age
    }
    if store.schema.hasUnknownValues == true { status.hasUnknownValues = true }
    if let facts = try reader.appleFacts() {
      status.model = facts.model
      status.purged = facts.purged > 0 ? facts.purged : nil
    }
    if store.schema.belongsToProgram { status.uncaptured = try store.uncapturedTables() }
    return status
  }
}

extension Status.Logs {
  /// Determines what the next export would do.
  fileprivate init(_ request: ExportRequest, store: Store, reader: Reader) throws {
    let (logs, identifier) = (request.logs, store.identifier)
    let token = try request.readTokenState(of: identifier)
    let end = try logs.end(of: identifier)
    let files = try logs.lineages(of: identifier).flatMap {
      try logs.files(of: identifier, lineage: $0)
    }
    let head = try reader.historyRange().head
    // Without a token, the names of the logs show the last exported transaction.
    let known = token.point.map { ($0.lineage, $0.transaction) } ?? end ?? (head.lineage, 0)
    let last = known.0 == head.lineage ? known.1 : 0
    exported = token.point
    waitingSince = try reader.transaction(last + 1)?.time
    lagSeconds = waitingSince.map(age) ?? 0
    lagTransactions = max(0, head.transaction - last)
    self.files = files.count
    bytes = files.reduce(0) { $0 + size(of: $1.path) }
    do {
      try request.checkLogs(token, end: end, reader: reader)
      if var point = token.point, end != nil || point.transaction > 0 {
        if let end, logs.partial == nil, point.lineage < end.lineage {
          // The next export does not use a token of an earlier lineage.
          point = try LogChain(logs, store: identifier, lineage: end.lineage)
            .verifiedEnd(after: nil)
        }
        try request.checkContinuation(of: identifier, after: point, reader: reader)
      }
      describe(token, end: end, request: request)
    } catch let error as PipelineError {
      health =
        switch error.code {
        case .historyExpired: .expired
        case .historyDiverged: .diverged
        default: .logsMissing
        }
      message = error.message
      hint = error.hint
    }
  }

  private mutating func describe(
    _ token: ExportRequest.TokenState,
    end: (lineage: Int64, transaction: Int64)?,
    request: ExportRequest
  ) {
    let run =
      request.logs.partial == nil
      ? "Run “travelog export \(request.store) --to \(request.logs.path)”."
      : "Run “travelog export” with this filter again."
    if end == nil, token.point == nil {
      health = .notExported
      message = "\(request.store) was not exported to \(request.logs.path) yet."
      hint = run
    } else if let damage = token.damage {
      message = "The token \(token.path) can't be read: \(damage)"
      hint = "The next export rebuilds the token from the logs."
    } else if token.point == nil {
      message = "The token \(token.path) is missing."
      hint = "The next export rebuilds the token from the logs."
    } else if let waitingSince {
      message =
        (lagTransactions == 1
          ? "1 transaction of \(request.store) is not exported yet"
          : "\(lagTransactions) transactions of \(request.store) are not exported yet")
        + "; the oldest has waited since \(waitingSince)."
      hint = run
    }
  }
}

/// The age of a transaction in seconds.
private func age(_ time: String) -> Double {
  // If the time does not have the form that history uses, the age is unknown.
  guard let seconds = secondsSince1970(ofTime: time) else { return 0 }
  return Double(max(0, currentMilliseconds() - Int64(seconds) * 1000)) / 1000
}

extension Reader {
  fileprivate func changeCount() throws -> Int64 {
    try connection.integer(
      "SELECT sum(changes) FROM \(connection.tables.transaction) WHERE state <> 'deleted'"
    ) ?? 0
  }
}
