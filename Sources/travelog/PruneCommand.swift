import ChangeLog
import CommandLineKit
import Pipeline

extension Travelog {
  static let store = Parameter<String>.positional("STORE", type: .file, help: "The store.")
  static let logsFlag = Parameter<String>.required(
    "logs",
    type: .folder,
    placeholder: "LOGS",
    help: "The log folder of the store."
  )
  static let keep = Parameter<Duration>.flag(
    "keep",
    type: .duration,
    fallback: "30d",
    help: "How much history to keep, counted back from now."
  )

  static let ignoreFiltered = Parameter<Bool>.toggle(
    "ignore-filtered",
    help: "Also delete transactions that filtered logs do not have yet."
  )

  static let ignoreUnlogged = Parameter<Bool>.toggle(
    "ignore-unlogged",
    help: "Also delete transactions before the first log in the folder."
  )

  static let pruneCommand = Command(
    "prune",
    summary: "Deletes old history from a store after verifying that the logs contain this history.",
    discussion:
      "First, all logs of the store are verified. Then the transactions that are older than "
      + "--keep and in the logs are deleted. Transactions that filtered logs do not have yet are "
      + "kept. A new transaction records the deletion. The store's file becomes smaller.",
    examples: [
      "travelog prune trips.store --logs logs": "Delete history that is older than 30 days.",
      "travelog prune trips.store --logs logs --keep 1d --dry-run": "See what would be deleted.",
    ],
    parameters: [store, logsFlag, keep, ignoreFiltered, ignoreUnlogged, dryRun, lockWait],
    exitCodes: [.unreadable, .missing, .locked, .historyGap, .diverged, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    let logs = LogFolder(given[logsFlag])
    let lock = try call.lock(logs, purpose: "travelog prune")
    defer { withExtendedLifetime(lock) {} }
    var request = PruneRequest(store: given[store], logs: logs, keep: given[keep])
    request.ignoresFiltered = given[ignoreFiltered]
    request.ignoresUnlogged = given[ignoreUnlogged]
    request.isDryRun = given[dryRun]
    let (line, tick) = call.tick()
    let result = try prune(request, tick: tick)
    try line.clear()
    if given[json] { try call.answer("prune", result: result) }
    try call.summarize(result, of: given[store])
    return .success
  }
}
