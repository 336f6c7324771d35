import ChangeLog
import CommandLineKit
import Format
import Pipeline

extension Travelog {
  static let maximumLag = Parameter<Duration?>.optional(
    "max-lag",
    type: .duration,
    help: "Fail if a transaction has waited longer than this for export."
  )
  static let statusLogs = Parameter<String?>.optional(
    "logs",
    type: .folder,
    placeholder: "LOGS",
    help: "The log folder of the store."
  )
  static let prometheus = Parameter<String?>.optional(
    "prometheus",
    type: .file,
    help: "Also write metrics for Prometheus' textfile collector."
  )

  static let statusCommand = Command(
    "status",
    summary: "Shows how far a store is exported, and whether the next export can continue.",
    discussion: "Without --logs, the output describes only the store. If there are filtered logs, "
      + "the output has a line for each filter. The exit status and --max-lag refer only to the "
      + "unfiltered logs.",
    examples: [
      "travelog status trips.store": "Describe a store without its logs.",
      "travelog status trips.store --logs logs": "Show how far the store is exported.",
      "travelog status trips.store --logs logs --max-lag 2h --quiet":
        "For monitoring: fail if the export is late.",
    ],
    parameters: [store, statusLogs, token, maximumLag, prometheus],
    exitCodes: [.found, .unreadable, .missing, .locked, .historyGap, .diverged]
  ) { call in
    let given = call.arguments
    let aboutLogs = [
      ("--token", given[token] != nil), ("--max-lag", given[maximumLag] != nil),
      ("--prometheus", given[prometheus] != nil),
    ]
    if given[statusLogs] == nil, let (flag, _) = aboutLogs.first(where: \.1) {
      throw CommandError(.usage) {
        "\(flag) is about logs, and the command line does not name a log folder.\nGive --logs LOGS."
      }
    }
    let status = try status(
      of: given[store],
      logs: given[statusLogs].map { LogFolder($0) },
      token: given[token]
    )
    if let path = given[prometheus], let logs = status.logs {
      try writeMetrics(prometheusText(of: status, logs: logs), to: path)
    }
    if given[json] {
      try answer(status, call: call)
    } else if !given[quiet] {
      try call.output.show(text(of: status, style: call.output.style))
    }
    let isCaptured = status.uncaptured?.isEmpty ?? true
    if !isCaptured {
      try call.warn(
        status.isReplica
          ? "A program changed rows of this replica. To list them: "
            + shellLine(["travelog", "check", given[store], "--logs", "LOGS"])
            + "\nTo create a new replica: travelog import LOGS --into NEW"
          : "No trigger captured some changes of the tables. To record them: "
            + shellLine(["travelog", "check", given[store], "--record"])
            + "\nA program may disable triggers, as Chromium does. Then each export records what differs,"
            + " but not what was in between."
      )
    }
    guard let logs = status.logs else { return isCaptured ? .success : .found }
    let health = exitCode(of: logs, maximumLag: given[maximumLag])
    let code = health == .success && !isCaptured ? .found : health
    // The table on a terminal already contains the message. With --json or --quiet there is no
    // table, so the message is written here.
    if code != .success, given[json] || given[quiet], let message = logs.message {
      try call.warn(visible([message, logs.hint].compactMap(\.self).joined(separator: " ")))
    }
    return code
  }

  private static func exitCode(of logs: Status.Logs, maximumLag: Duration?) -> ExitCode {
    switch logs.health {
    case .expired: .historyGap
    case .diverged: .diverged
    case .logsMissing: .missing
    case .notExported: .found
    case .ok: maximumLag.map { logs.lag > $0 } ?? false ? .found : .success
    }
  }

  private static func answer(_ status: Status, call: Call) throws {
    let whole = Joined(first: TypeHead(type: "status"), second: status)
    guard let logs = status.logs else { return try call.answer(whole) }
    try call.answer(Joined(first: whole, second: logs))
  }

  private static func text(of status: Status, style: Style) -> String {
    func waiting(_ logs: Status.Logs) -> String {
      guard logs.lagTransactions > 0 else { return "none" }
      return counted(logs.lagTransactions, noun: "transaction")
        + (logs.waitingSince.map { ", since \($0)" } ?? "")
    }
    func size(_ logs: Status.Logs) -> String {
      "\(counted(Int64(logs.files), noun: "file")), \(byteCount(logs.bytes))"
    }
    func sentences(_ logs: Status.Logs) -> [[String]] {
      [logs.message, logs.hint].compactMap { $0.map { ["", visible($0)] } }
    }
    func unfiltered(_ logs: Status.Logs) -> [[String]] {
      let exported =
        logs.exported.map { "transaction \($0.transaction)" }
        ?? (logs.files == 0 ? "nothing" : "unknown, because there is no token")
      let health = logs.health
      return [
        ["exported", exported],
        ["lag", waiting(logs)],
        ["logs", size(logs)],
        ["health", health == .ok ? style.green("ok") : style.red(health.rawValue)],
      ]
    }
    let withoutLogs = [
      [
        "exported",
        (status.wasExported ? "at least once" : "no export is recorded")
          + "; to compare with the logs, use --logs LOGS",
      ]
    ]
    let role =
      status.isReplica
      ? [["replica", "only import writes to it, until promote makes it independent"]] : []
    let followed = status.database.map {
      [
        ["database", visible($0)],
        ["read", "\(status.read ?? ""), \(Int(status.readAgeSeconds ?? 0)) seconds ago"],
      ]
    }
    let rows =
      [["store", status.identifier + ", lineage \(status.head.lineage)"]] + role + (followed ?? [])
      + [
        [
          "head",
          "transaction \(status.head.transaction)" + (status.headTime.map { " of \($0)" } ?? ""),
        ],
        ["digest", status.head.digest.description],
        [
          "history",
          status.oldest.map {
            "from transaction \($0), \(counted(status.changes, noun: "change")),"
              + " \(byteCount(status.storeBytes)) with the rows"
          } ?? "none",
        ],
      ]
    var origin: [[String]] = []
    if status.hasUnknownValues == true {
      let known =
        "from the present rows, unless a later change names the property; others are unknown"
      origin.append(["values", known])
    }
    if let purged = status.purged {
      origin.append(["deleted", "by the app: its transactions up to \(purged)"])
    }
    let model = status.model ?? []
    if !model.isEmpty {
      origin.append([
        "model",
        "\(counted(Int64(model.count), noun: "rule")) that the rows break or the file lacks",
      ])
    }
    origin += model.prefix(20).map { ["", visible($0)] }
    if model.count > 20 { origin.append(["", "and \(model.count - 20) more, with --json"]) }
    let uncaptured = (status.uncaptured ?? []).map {
      [status.isReplica ? "changed" : "not captured", "table " + visible($0)]
    }
    let unrecorded = status.unrecorded ?? []
    let missing =
      unrecorded.isEmpty
      ? [] : [["unrecorded", "table " + visible(unrecorded.joined(separator: ", "))]]
    return columns(
      rows + origin + (status.logs.map(unfiltered) ?? withoutLogs) + missing
        + (status.unsealed.map {
          [["captured", "\(counted($0, noun: "change")) not in the history yet"]]
        } ?? [])
        + (status.leftOut.map { [["left out", visible($0.joined(separator: ", "))]] } ?? [])
        + uncaptured
        + (status.logs.map(sentences) ?? [])
        + status.filtered.flatMap { filtered in
          let logs = filtered.logs
          let health = logs.health == .ok ? "" : ", \(style.red(logs.health.rawValue))"
          return [
            [
              "filtered",
              "\(visible(filtered.words)): up to transaction \(logs.exported?.transaction ?? 0),"
                + " lag \(waiting(logs)), \(size(logs))\(health)",
            ]
          ] + sentences(logs)
        }
    )
  }
}
