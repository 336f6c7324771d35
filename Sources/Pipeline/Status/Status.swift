import ChangeLog
import Changes
import FoundationEssentials
import Store

/// How a store and its logs stand to each other.
package struct Status: Hashable, Sendable {
  /// Whether the next export can go on.
  package enum Health: String, Hashable, Sendable {
    /// It can.
    case ok
    /// Nothing was exported yet.
    case notExported = "not-exported"
    /// What comes next was deleted from history.
    case expired
    /// The store's history is another one than that of the logs.
    case diverged
    /// Logs that the token speaks of are not there.
    case logsMissing = "logs-missing"
  }

  /// The store's file.
  package var store: String
  /// The store's identifier.
  package var identifier: String
  /// The last transaction of the store.
  package var head: HistoryPoint
  /// When that was; nil if there is none.
  package var headTime: String?
  /// The oldest transaction in history; nil if there is none.
  package var oldest: Int64?
  /// How the whole logs stand.
  package var logs: Logs
  /// The number of changes that history has.
  package var changes: Int64
  /// The bytes of the store's file.
  package var storeBytes: Int64
  /// The last time that the logs were found whole.
  package var verified: VerificationRecord?
  /// How the logs stand that have something left out.
  package var partials: [Partial] = []

  /// How far a store is in logs of one kind.
  package struct Logs: Hashable, Sendable {
    /// The last transaction that was exported, or looked at; nil if the token does not say so.
    package var exported: HistoryPoint?
    /// When the oldest transaction after it was written; nil if there is none.
    package var waitingSince: String?
    /// How long that one waits.
    package var lag: Duration
    /// The number of transactions after it.
    package var lagTransactions: Int64
    /// The number of logs.
    package var files: Int
    /// The bytes of the logs.
    package var bytes: Int64
    /// Whether the next export can go on.
    package var health = Health.ok
    /// What is wrong, or what the next export would report, in a sentence; nil if it would report
    /// nothing.
    package var message: String?
    /// What to do about it.
    package var hint: String?
  }

  /// How a store and its logs with something left out stand to each other.
  package struct Partial: Hashable, Sendable {
    /// What was left out, in words.
    package var words: String
    /// How the logs stand.
    package var logs: Logs
  }
}

/// Tells how a store and its logs stand to each other, without changing either.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
package func status(of path: String, logs: LogFolder, token: String? = nil) throws -> Status {
  let store = try readableStore(path)
  guard logs.exists else { throw missingFolder(logs) }
  let identifier = store.identifier
  return try store.read { reader in
    let range = try reader.historyRange()
    var status = Status(
      store: path,
      identifier: identifier,
      head: range.head,
      headTime: try reader.transaction(range.head.transaction)?.time,
      oldest: range.oldest,
      logs: try Status.Logs(
        ExportRequest(store: path, logs: logs, token: token),
        store: store,
        reader: reader
      ),
      changes: try reader.changeCount(),
      storeBytes: size(of: path) + size(of: path + "-wal"),
      verified: try VerificationRecord(logs, store: identifier)
    )
    for partial in try PartialLogs.all(of: identifier, in: logs) {
      status.partials.append(
        Status.Partial(
          words: partial.words,
          logs: try Status.Logs(
            ExportRequest(store: path, logs: partial.folder),
            store: store,
            reader: reader
          )
        )
      )
    }
    return status
  }
}

extension Status.Logs {
  /// Looks at what the next export of a request would do.
  fileprivate init(_ request: ExportRequest, store: Store, reader: Reader) throws {
    let (logs, identifier) = (request.logs, store.identifier)
    let token = try request.readTokenState(of: identifier)
    let end = try logs.end(of: identifier)
    let files = try logs.lineages(of: identifier).flatMap {
      try logs.files(of: identifier, lineage: $0)
    }
    let head = try reader.historyRange().head
    // Without a token the names of the logs say how far they reach.
    let known = token.point.map { ($0.lineage, $0.transaction) } ?? end ?? (head.lineage, 0)
    let last = known.0 == head.lineage ? known.1 : 0
    exported = token.point
    waitingSince = try reader.transaction(last + 1)?.time
    lag = waitingSince.map(age) ?? .zero
    lagTransactions = max(0, head.transaction - last)
    self.files = files.count
    bytes = files.reduce(0) { $0 + size(of: $1.path) }
    do {
      try request.checkLogs(token, end: end, reader: reader)
      if let point = token.point, end != nil || point.transaction > 0 {
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

  /// Describes what the next export would do.
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
      hint = "The next export rebuilds it from the logs."
    } else if token.point == nil {
      message = "The token \(token.path) is missing."
      hint = "The next export rebuilds it from the logs."
    } else if let waitingSince {
      message =
        (lagTransactions == 1
          ? "1 transaction of \(request.store) is not exported yet"
          : "\(lagTransactions) transactions of \(request.store) are not exported yet")
        + "; the oldest is of \(waitingSince)."
      hint = run
    }
  }
}

/// How long ago a time of history is.
private func age(_ time: String) -> Duration {
  // Times of history have one form; one that has not is of no age.
  let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  guard let date = try? style.parse(time) else { return .zero }
  return .milliseconds(max(0, Int64(-date.timeIntervalSinceNow * 1000)))
}

extension Reader {
  /// The number of changes that history has.
  fileprivate func changeCount() throws -> Int64 {
    let count = try connection.prepare(
      "SELECT coalesce(sum(changes), 0) FROM history_transaction"
        + " WHERE state <> 'deleted'"
    )
    return try count.step() ? count.int64(at: 0) : 0
  }
}
