import CommandLineKit
import Format
import Pipeline

extension Travelog {
  static let logs = Parameter<String>.positional("LOGS", type: .folder, help: "The log folder.")
  static let sources = Parameter<[String]>.positionals(
    "LOGS",
    type: .file,
    isRequired: true,
    help: "A log folder, logs in any order, or - for standard input."
  )
  static let into = Parameter<String>.required(
    "into",
    type: .file,
    placeholder: "STORE",
    help: "The replica; created if it does not exist."
  )
  static let origin = Parameter<String?>.optional(
    "store",
    type: .text,
    placeholder: "UUID",
    help: "The store to use, if the folder has logs of several stores."
  )
  static let fromSnapshot = Parameter<Bool>.toggle(
    "from-snapshot",
    help: "Create the replica from the newest snapshot, without earlier history."
  )

  static let importCommand = Command(
    "import",
    summary: "Verifies logs and applies them to a replica.",
    discussion: "Each log is verified completely before its first transaction is applied. Each "
      + "transaction is applied as a whole. Transactions that the replica already has are "
      + "skipped, so the next run completes an interrupted import. A new replica follows the "
      + "latest lineage, unless --until names a point before that lineage began. An existing "
      + "replica stays in its lineage; if the logs continue in another lineage, the exit status "
      + "is 14. With --head, only logs that the digest or checkpoint proves are applied. An import never removes transactions, and refuses a replica with transactions "
      + "after --until. LOGS can also be a folder without subfolders that contains all logs, or the "
      + "folder of one lineage, LOGS/store=UUID/lineage=N.",
    examples: [
      "travelog import logs --into copy.store": "Create or update a replica.",
      "ssh host travelog export trips.store --to - | travelog import - --into copy.store":
        "Import logs through a pipe.",
      "travelog import logs --into monday.store --until 2026-11-02T08:00Z":
        "Restore the state at a point in time.",
    ],
    parameters: [
      sources, into, until, origin, fromSnapshot, heads, publicKey, allowUnproven, dryRun,
    ],
    exitCodes: [
      .unreadable, .missing, .locked, .schemaMismatch, .diverged, .differs, .filteredLog,
      .unproven, .interrupted, .terminated,
    ]
  ) { call in
    let given = call.arguments
    let source = try LogSource(given[sources])
    defer { withExtendedLifetime(source) {} }
    guard !source.isEmpty else {
      try checkIsNotPast(given[until], store: given[into])
      try call.summarize("\(given[into]): no new transactions")
      return .success
    }
    var request = ImportRequest(logs: source.folder, store: given[into])
    if let store = source.store, let named = given[origin], named != store {
      throw CommandError(.usage) {
        "The path names the store \(store), but --store names \(quotedValue(named))."
          + "\nLeave out --store, or name the log folder."
      }
    }
    request.origin = given[origin] ?? source.store
    request.lineage = source.lineage
    request.until = given[until]
    request.fromSnapshot = given[fromSnapshot]
    request.allowsUnproven = given[allowUnproven]
    let trusted = try trustedHeads(
      given[heads],
      requiring: CheckpointRequirements(keys: given[publicKey])
    )
    request.isDryRun = given[dryRun]
    let (line, tick) = call.tick()
    var result: ImportResult?
    let time = try ContinuousClock().measure {
      do {
        result = try source.naming {
          guard !trusted.digests.isEmpty || !trusted.checkpoints.isEmpty else {
            return try importLogs(request, tick: tick)
          }
          return try importProvenLogs(
            request,
            heads: trusted.digests,
            checkpoints: trusted.checkpoints,
            tick: tick
          )
        }
      } catch {
        try line.clear()
        throw failure(error, into: given[into])
      }
    }
    try line.clear()
    guard let result else { return .failure }
    if given[json] { try call.answer("import", result: result) }
    try call.summarize(result, into: given[into], time: time)
    if result.hasErasedBytes {
      throw CommandError(.locked) {
        "\(given[into]) has all transactions of the logs, but its file may still contain bytes of"
          + " erased values, because another program is reading it."
          + "\nRun the import again when the other program has finished."
      }
    }
    return .success
  }
}

/// The error of an import, with a sentence about the replica's last transaction.
private func failure(_ error: any Error, into path: String) -> any Error {
  guard var described = describe(error),
    // If the replica can't be read, the error is not changed.
    let last = try? lastTransaction(of: path), last > 0,
    !described.message.contains("is at transaction")
  else { return error }
  described.message += " \(path) is at transaction \(last)."
  return described
}
