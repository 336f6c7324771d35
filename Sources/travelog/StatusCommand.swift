import ChangeLog
import CommandLineKit
import Pipeline
import Store

extension Travelog {
  static let maximumLag = Parameter<Duration?>.optional(
    "max-lag",
    .duration,
    help: "Fail where a transaction waits longer than this for its export."
  )
  static let prometheus = Parameter<String?>.optional(
    "prometheus",
    .file,
    help: "Write the figures for Prometheus' textfile collector too."
  )

  static let statusCommand = Command(
    "status",
    summary: "Tells how far a store is exported, and whether the next export can go on.",
    discussion:
      "Partial logs have a line each, with a lag of their own; the exit status and --max-lag"
      + " are about the whole logs alone.",
    examples: [
      .init("travelog status trips.store --logs logs", "See how it stands."),
      .init(
        "travelog status trips.store --logs logs --max-lag 2h --quiet",
        "Fail where the export is behind; fit for monitoring."
      ),
    ],
    parameters: [store, logsFlag, token, maximumLag, prometheus],
    exitCodes: [.found, .unreadable, .missing, .historyGap, .diverged]
  ) { call in
    let given = call.arguments
    let status = try status(
      of: given[store],
      logs: LogFolder(given[logsFlag]),
      token: given[token]
    )
    if let path = given[prometheus] {
      try writeMetrics(prometheusText(of: status), to: path)
    }
    if given[json] {
      try call.answer(StatusAnswer(status))
    } else if !given[quiet] {
      try call.output.write(text(of: status, call.output.style))
    }
    switch status.health {
    case .expired: return .historyGap
    case .diverged: return .diverged
    case .logsMissing: return .missing
    case .notExported: return .found
    case .ok: return given[maximumLag].map { status.lag > $0 } ?? false ? .found : .success
    }
  }

  private static func text(of status: Status, _ style: Style) -> String {
    let exported =
      status.exported.map { "transaction \($0.transaction)" } ?? "nothing"
    func waiting(_ transactions: Int64, _ since: String?) -> String {
      transactions == 0
        ? "none" : "\(grouped(transactions)) transactions" + (since.map { ", since \($0)" } ?? "")
    }
    let lag = waiting(status.lagTransactions, status.waitingSince)
    let verified =
      status.verified.map { "\($0.time), up to transaction \($0.transaction)" } ?? "never"
    let health =
      status.health == .ok ? style.green("ok") : style.red(status.health.rawValue)
    let rows = [
      ["store", status.identifier + ", lineage \(status.head.lineage)"],
      [
        "head",
        "transaction \(status.head.transaction)" + (status.headTime.map { " of \($0)" } ?? ""),
      ],
      ["digest", status.head.digest.description],
      [
        "history",
        status.oldest.map {
          "from transaction \($0), \(grouped(status.changes)) changes,"
            + " \(byteCount(status.storeBytes)) with the rows"
        } ?? "none",
      ],
      ["exported", exported],
      ["lag", lag],
      ["logs", "\(grouped(Int64(status.files))) files, \(byteCount(status.logBytes))"],
      ["verified", verified],
      ["health", health],
    ]
    return columns(
      rows
        + status.partials.map { partial in
          let lag = waiting(partial.lagTransactions, partial.waitingSince)
          let health = partial.health == .ok ? "" : ", \(style.red(partial.health.rawValue))"
          return [
            "partial",
            "\(partial.words): up to transaction \(partial.exported?.transaction ?? 0), lag \(lag),"
              + " \(grouped(Int64(partial.files))) files, \(byteCount(partial.logBytes))\(health)",
          ]
        }
    )
  }
}

/// What `travelog status --json` says.
struct StatusAnswer: Codable {
  var schema = 1
  var type = "status"
  let store: String
  let identifier: String
  let health: String
  let head: PointAnswer
  let headTime: String?
  let oldest: Int64?
  let exported: PointAnswer?
  let waitingSince: String?
  let lagTransactions: Int64
  let lagSeconds: Double
  let changes: Int64
  let storeBytes: Int64
  let files: Int
  let logBytes: Int64
  let verified: VerificationRecord?
  let partials: [PartialStatusAnswer]

  init(_ status: Status) {
    store = status.store
    identifier = status.identifier
    health = status.health.rawValue
    head = PointAnswer(status.head)
    headTime = status.headTime
    oldest = status.oldest
    exported = status.exported.map { PointAnswer($0) }
    waitingSince = status.waitingSince
    lagTransactions = status.lagTransactions
    lagSeconds = status.lag.seconds
    changes = status.changes
    storeBytes = status.storeBytes
    files = status.files
    logBytes = status.logBytes
    verified = status.verified
    partials = status.partials.map { PartialStatusAnswer($0) }
  }
}

/// What `travelog status --json` says of partial logs.
struct PartialStatusAnswer: Codable {
  let partial: String
  let health: String
  let exported: PointAnswer?
  let waitingSince: String?
  let lagTransactions: Int64
  let lagSeconds: Double
  let files: Int
  let logBytes: Int64

  init(_ status: Status.Partial) {
    partial = status.words
    health = status.health.rawValue
    exported = status.exported.map { PointAnswer($0) }
    waitingSince = status.waitingSince
    lagTransactions = status.lagTransactions
    lagSeconds = status.lag.seconds
    files = status.files
    logBytes = status.logBytes
  }
}
