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
  /// How the whole logs stand.
  public var logs: Logs
  /// The number of changes that history has.
  public var changes: Int64
  /// The bytes of the store's file.
  public var storeBytes: Int64
  /// The last time that the logs were found whole.
  public var verified: VerificationRecord?
  /// How the logs stand that have something left out.
  public var partials: [Partial] = []

  /// How far a store is in logs of one kind.
  public struct Logs: Hashable, Sendable {
    /// The last transaction that was exported, or looked at; nil where nothing was.
    public var exported: HistoryPoint?
    /// When the oldest transaction after it was written; nil where there is none.
    public var waitingSince: String?
    /// How long that one waits.
    public var lag: Duration
    /// The number of transactions after it.
    public var lagTransactions: Int64
    /// The number of logs.
    public var files: Int
    /// The bytes of the logs.
    public var bytes: Int64
    /// Whether the next export can go on.
    public var health: Health
  }

  /// How a store and its logs with something left out stand to each other.
  public struct Partial: Hashable, Sendable {
    /// What was left out, in words.
    public var words: String
    /// How the logs stand.
    public var logs: Logs
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
    var status = Status(
      store: path,
      identifier: identifier,
      head: range.head,
      headTime: try reader.transaction(range.head.transaction)?.time,
      oldest: range.oldest,
      logs: try Status.Logs(reader, files, after: point, end),
      changes: try reader.changeCount(),
      storeBytes: size(of: path) + size(of: path + "-wal"),
      verified: try VerificationRecord(logs, store: identifier)
    )
    for partial in try PartialLogs.all(of: identifier, in: logs) {
      status.partials.append(
        Status.Partial(
          words: partial.words,
          // Such logs may end before the token, where there was nothing more for them.
          logs: try Status.Logs(reader, partial.files, after: partial.exported, (.max, .max))
        )
      )
    }
    return status
  }
}

extension Status.Logs {
  /// Tells what waits for its export after a point; the end is that of the logs.
  fileprivate init(
    _ reader: Reader,
    _ files: [LogFolder.File],
    after point: HistoryPoint?,
    _ end: (lineage: Int64, transaction: Int64)?
  ) throws {
    let head = try reader.historyRange().head
    let last = point?.lineage == head.lineage ? point?.transaction ?? 0 : 0
    exported = point
    waitingSince = try reader.transaction(last + 1)?.time
    lag = waitingSince.map(age) ?? .zero
    lagTransactions = max(0, head.transaction - last)
    self.files = files.count
    bytes = files.reduce(0) { $0 + size(of: $1.path) }
    health = try Pipeline.health(reader, point, end)
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
