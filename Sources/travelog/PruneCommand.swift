import ChangeLog
import CommandLineKit
import Pipeline
import Store

extension Travelog {
  static let store = Parameter<String>.positional("STORE", type: .file, help: "The store.")
  static let logsFlag = Parameter<String>.required(
    "logs",
    type: .folder,
    placeholder: "LOGS",
    help: "The folder that the store is exported to."
  )
  static let keep = Parameter<Duration>.flag(
    "keep",
    type: .duration,
    fallback: "30d",
    help: "How much of the history stays, counted back from now."
  )

  static let ignorePartial = Parameter<Bool>.toggle(
    "ignore-partial",
    help: "Delete also what partial logs in the folder have not got yet."
  )

  static let ignoreUnlogged = Parameter<Bool>.toggle(
    "ignore-unlogged",
    help: "Delete also what is older than the first log in the folder, and in no log there."
  )

  static let pruneCommand = Command(
    "prune",
    summary: "Deletes old history from a store, once verified logs have it.",
    discussion:
      "All logs of the store are read again and verified first; nothing goes that they do "
      + "not have. Only the beginning of history goes, and a transaction records that it did. The "
      + "store's file gets smaller. What partial logs in the folder have not got yet, by their tokens"
      + " there, stays too.",
    examples: [
      .init("travelog prune trips.store --logs logs", meaning: "Keep the history of thirty days."),
      .init(
        "travelog prune trips.store --logs logs --keep 1d --dry-run",
        meaning: "See what would go."
      ),
    ],
    parameters: [store, logsFlag, keep, ignorePartial, ignoreUnlogged, dryRun, lockWait],
    exitCodes: [.unreadable, .missing, .locked, .historyGap, .diverged, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    let logs = LogFolder(given[logsFlag])
    let lock = try call.lock(logs, purpose: "travelog prune")
    defer { withExtendedLifetime(lock) {} }
    var request = PruneRequest(store: given[store], logs: logs, keep: given[keep])
    request.ignoresPartial = given[ignorePartial]
    request.ignoresUnlogged = given[ignoreUnlogged]
    request.isDryRun = given[dryRun]
    let (line, tick) = call.tick()
    let result = try prune(request, tick: tick)
    try line.clear()
    if given[json] { try call.answer("prune", result: result) }
    try call.summarize(
      result.through.map { last in
        "\(given[store]): \(given[dryRun] ? "would delete" : "deleted")"
          + " \(counted(result.transactions, noun: "transaction")), up to \(last);"
          + " \(byteCount(result.bytesBefore)) -> \(byteCount(result.bytesAfter))"
      } ?? "\(given[store]): nothing is old enough and exported"
    )
    if !result.heldBy.isEmpty {
      try call.summarize(
        "\(given[store]): kept what partial logs have not got yet"
          + " (\(result.heldBy.joined(separator: "), ("))); export them, or give --ignore-partial"
      )
    }
    return .success
  }
}
