public import ChangeLog
import FoundationEssentials
public import Store

/// How a store and its logs stand to each other.
public struct Status: Hashable, Sendable {
  /// Whether the next export can go on.
  public enum Health: String, Hashable, Sendable {
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
  public var store: String
  /// The store's identifier.
  public var identifier: String
  /// The last transaction of the store.
  public var head: HistoryPoint
  /// When that was; nil where there is none.
  public var headTime: String?
  /// The oldest transaction in history; nil where there is none.
  public var oldest: Int64?
  /// The last transaction that was exported; nil where nothing was.
  public var exported: HistoryPoint?
  /// When the oldest transaction that is not exported was written; nil where all are.
  public var waitingSince: String?
  /// How long that one waits.
  public var lag: Duration
  /// The number of transactions that are not exported.
  public var lagTransactions: Int64
  /// The number of changes that history has.
  public var changes: Int64
  /// The bytes of the store's file.
  public var storeBytes: Int64
  /// The number of logs, and their bytes.
  public var files: Int
  /// The bytes of the logs.
  public var logBytes: Int64
  /// The last time that the logs were found whole.
  public var verified: VerificationRecord?
  /// Whether the next export can go on.
  public var health: Health
  /// How the logs stand that have something left out.
  public var partials: [Partial] = []

  /// How a store and its logs with something left out stand to each other.
  public struct Partial: Hashable, Sendable {
    /// What was left out, in words.
    public var words: String
    /// The last transaction that was looked at; nil where nothing was.
    public var exported: HistoryPoint?
    /// When the oldest transaction that was not looked at was written; nil where all were.
    public var waitingSince: String?
    /// How long that one waits.
    public var lag: Duration
    /// The number of transactions that were not looked at.
    public var lagTransactions: Int64
    /// The number of logs, and their bytes.
    public var files: Int
    /// The bytes of the logs.
    public var logBytes: Int64
    /// Whether the next export can go on.
    public var health: Health
  }
}

/// Tells how a store and its logs stand to each other, without changing either.
///
/// - Throws: ``PipelineError``, ``LogError`` or ``StoreError``.
public func status(of path: String, logs: LogFolder, token: String? = nil) throws -> Status {
  let store = try Store.open(
    .file(URL(fileURLWithPath: path)),
    options: Options(isReadOnly: true)
  )
  let identifier = store.identifier
  let point = try readToken(token ?? logs.token(of: identifier))?.points[identifier]
  let end = try logs.end(of: identifier)
  let files = try logs.lineages(of: identifier).flatMap {
    try logs.files(of: identifier, lineage: $0)
  }
  return try store.read { reader in
    let range = try reader.historyRange()
    let lag = try Lag(reader, after: point)
    var status = Status(
      store: path,
      identifier: identifier,
      head: range.head,
      headTime: try reader.transaction(range.head.transaction)?.time,
      oldest: range.oldest,
      exported: point,
      waitingSince: lag.since,
      lag: lag.time,
      lagTransactions: lag.transactions,
      changes: try reader.changeCount(),
      storeBytes: size(of: path) + size(of: path + "-wal"),
      files: files.count,
      logBytes: files.reduce(0) { $0 + size(of: $1.path) },
      verified: try VerificationRecord(logs, store: identifier),
      health: try health(reader, point, end)
    )
    for partial in try PartialLogs.all(of: identifier, in: logs) {
      let lag = try Lag(reader, after: partial.exported)
      status.partials.append(
        Status.Partial(
          words: partial.words,
          exported: partial.exported,
          waitingSince: lag.since,
          lag: lag.time,
          lagTransactions: lag.transactions,
          files: partial.files.count,
          logBytes: partial.files.reduce(0) { $0 + size(of: $1.path) },
          // Such logs may end before the token, where there was nothing more for them.
          health: try health(reader, partial.exported, (.max, .max))
        )
      )
    }
    return status
  }
}

/// What waits for its export.
private struct Lag {
  let transactions: Int64
  /// When the oldest one was written.
  let since: String?
  /// How long that one waits.
  let time: Duration

  init(_ reader: Reader, after point: HistoryPoint?) throws {
    let head = try reader.historyRange().head
    let exported = point?.lineage == head.lineage ? point?.transaction ?? 0 : 0
    since = try reader.transaction(exported + 1)?.time
    time = since.map(age) ?? .zero
    transactions = max(0, head.transaction - exported)
  }
}

private func health(
  _ reader: Reader,
  _ point: HistoryPoint?,
  _ end: (lineage: Int64, transaction: Int64)?
) throws -> Status.Health {
  guard let point else { return end == nil ? .notExported : .ok }
  if point.transaction > 0, (point.lineage, point.transaction) > end ?? (-1, 0) {
    return .logsMissing
  }
  do {
    try reader.checkContinuation(after: point)
    return .ok
  } catch let error as StoreError where error.code == .historyExpired {
    return .expired
  } catch let error as StoreError where error.code == .historyDiverged {
    return .diverged
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
