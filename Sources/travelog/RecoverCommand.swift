import ChangeLog
import CommandLineKit
import Format
import Pipeline

extension Travelog {
  static let logsToMend = Parameter<String>.required(
    "to",
    type: .folder,
    placeholder: "LOGS",
    help: "The log folder."
  )

  static let recoverCommand = Command(
    "recover",
    summary: "Resumes exporting after history was deleted or the store was restored from a backup.",
    discussion: "If history was deleted before its export, a gap is written to the logs: one "
      + "transaction with the difference between the last exported state and the state at which "
      + "the remaining history begins. If the store was restored from an older copy, a new lineage "
      + "begins with the last state that the store and the logs have in common. If this state "
      + "can't be computed because of a migration or erased values, the new lineage begins with "
      + "the present state of the store, and replicas must be created again. The logs of the old "
      + "lineage do not change, and the store no longer keeps the history before the new lineage. "
      + "At the end, the remaining transactions are exported.",
    examples: [
      "travelog recover trips.store --to logs":
        "Run this if “export” fails and its message suggests “recover”."
    ],
    parameters: [store, logsToMend, token, lockWait],
    exitCodes: [
      .unreadable, .missing, .locked, .schemaMismatch, .diverged, .interrupted, .terminated,
    ]
  ) { call in
    let given = call.arguments
    let logs = LogFolder(given[logsToMend])
    let lock = try call.lock(logs, purpose: "travelog recover")
    defer { withExtendedLifetime(lock) {} }
    var request = RecoverRequest(store: given[store], logs: logs)
    request.token = given[token]
    let (line, tick) = call.tick()
    let result = try recover(request, tick: tick)
    try line.clear()
    if given[json] { try call.answer(RecoverAnswer(result, store: given[store])) }
    try call.summarize(result, of: given[store])
    return .success
  }
}

/// The answer of `travelog recover --json`.
struct RecoverAnswer: Codable {
  var schema = 1
  var type = "recover"
  let store: String
  let remedy: String
  let from: HistoryPoint
  let resumes: HistoryPoint
  let objects: Int64
  let file: String?
  let to: HistoryPoint
  let transactions: Int64

  init(_ result: RecoverResult, store: String) {
    self.store = store
    remedy = result.remedy.rawValue
    from = result.from
    resumes = result.resumes
    objects = result.objects
    file = result.file
    to = result.export.to
    transactions = result.export.transactions
  }
}
