import ChangeLog
import CommandLineKit
import Pipeline

extension Travelog {
  static let logs = Parameter<String>.positional("LOGS", type: .folder, help: "The folder of logs.")
  static let sources = Parameter<[String]>.positionals(
    "LOGS",
    type: .file,
    isRequired: true,
    help: "The folder of logs, or a flat copy of it; logs in any order; - for standard input."
  )
  static let into = Parameter<String>.required(
    "into",
    type: .file,
    placeholder: "STORE",
    help: "The replica, which is made where there is none."
  )
  static let origin = Parameter<String?>.optional(
    "store",
    type: .text,
    placeholder: "UUID",
    help: "The store whose logs are meant, where there are those of several."
  )
  static let fromSnapshot = Parameter<Bool>.toggle(
    "from-snapshot",
    help: "Make a new replica from the newest snapshot, without the history before it."
  )

  static let importCommand = Command(
    "import",
    summary: "Replays logs into a replica.",
    discussion: "Each log is verified from its first byte to its last before anything of it is "
      + "applied. A transaction is applied whole or not at all, and one that is there already is "
      + "passed over, so that a run which was stopped is made good by the next. "
      + "A new replica is made of the latest lineage, or, up to a point that lies before it, of the "
      + "one that it parted from; one that is there stays in its lineage, and the run ends with 14 "
      + "where the logs go on in another. A replica that is already past --until is refused, because an "
      + "import never goes back: name a new file. The folder of a lineage, LOGS/store=UUID/lineage=N, names "
      + "that one.",
    examples: [
      .init(
        "travelog import logs --into copy.store",
        meaning: "Make a replica, or bring one up to date."
      ),
      .init(
        "ssh host travelog export trips.store --to - | travelog import - --into copy.store",
        meaning: "The same, through a pipe."
      ),
      .init(
        "travelog import logs --into monday.store --until 2026-11-02T08:00Z",
        meaning: "Restore the state of a point in time."
      ),
    ],
    parameters: [sources, into, until, origin, fromSnapshot, dryRun],
    exitCodes: [
      .unreadable, .missing, .locked, .schemaMismatch, .diverged, .differs, .partialLog,
      .interrupted, .terminated,
    ]
  ) { call in
    let given = call.arguments
    let source = try LogSource(given[sources])
    defer { withExtendedLifetime(source) {} }
    guard !source.isEmpty else {
      try checkIsNotPast(given[until], store: given[into])
      try call.summarize("\(given[into]): there is nothing new")
      return .success
    }
    var request = ImportRequest(logs: source.folder, store: given[into])
    if let store = source.store, let named = given[origin], named != store {
      throw TravelogError.otherStore(store, named: named)
    }
    request.origin = given[origin] ?? source.store
    request.lineage = source.lineage
    request.until = given[until]
    request.fromSnapshot = given[fromSnapshot]
    request.isDryRun = given[dryRun]
    let (line, tick) = call.tick()
    var result: ImportResult?
    let time = try ContinuousClock().measure {
      do {
        result = try source.naming { try importLogs(request, tick: tick) }
      } catch {
        try line.clear()
        throw failure(error, into: given[into])
      }
    }
    try line.clear()
    guard let result else { return .failure }
    if result.danglingLinks > 0 {
      try call.warn(
        "\(result.danglingLinks) links in \(given[into]) lead to nothing, as they do in the store"
          + " that the logs are of: a program that does not check links wrote them."
      )
    }
    if given[json] { try call.answer("import", result: result) }
    try call.summarize(
      "\(given[into]): \(given[dryRun] ? "would import" : "imported")"
        + " \(counted(result.transactions, noun: "transaction")),"
        + " \(counted(result.changes, noun: "change"))"
        + " in \(time.formatted()); now at transaction \(result.to.transaction)"
    )
    return .success
  }
}

/// The error of an import, with how far the replica has come.
private func failure(_ error: any Error, into path: String) -> any Error {
  guard var described = describe(error),
    // Without a replica that can be read, there is nothing to add.
    let last = try? lastTransaction(of: path), last > 0
  else { return error }
  described.hint = (described.hint.map { $0 + " " } ?? "") + "\(path) is at transaction \(last)."
  return described
}
