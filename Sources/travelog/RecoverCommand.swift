import ChangeLog
import Changes
import CommandLineKit
import Pipeline

extension Travelog {
  static let logsToMend = Parameter<String>.required(
    "to",
    type: .folder,
    placeholder: "LOGS",
    help: "The folder of logs."
  )

  static let recoverCommand = Command(
    "recover",
    summary: "Makes the export of a store go on after history was deleted, or the store restored.",
    discussion: "Where history was deleted before it was exported, the last exported state is made "
      + "from the logs and compared with the state at which the kept history begins; what differs "
      + "is written as one transaction of op gap. Where the store was restored from an older copy, "
      + "a new lineage begins with the state that both have in common; the old one stays as it is. "
      + "The store's own history begins there too: what it kept from before is in the logs of the old "
      + "lineage alone from then on. Where a change of the schema or erased values bar the way back, "
      + "the new lineage, and the history, begin with the state as it is now. Replicas of that one can't follow; make new ones. "
      + "Then the rest is exported as it was recorded.",
    examples: [
      .init("travelog recover trips.store --to logs", meaning: "Do what “export” said is needed.")
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
    let text =
      switch result.remedy {
      case .none: "nothing was in the way"
      case .gap:
        "the gap after transaction \(result.from.transaction), up to"
          + " \(result.resumes.transaction), was filled with \(counted(result.objects, noun: "change"))"
      case .lineage:
        "lineage \(result.resumes.lineage) begins after transaction \(result.resumes.transaction)"
          + " with \(counted(result.objects, noun: "object"))"
      }
    try call.summarize(
      "\(given[store]): \(text);"
        + " exported \(counted(result.export.transactions, noun: "transaction"))"
    )
    return .success
  }
}

/// What `travelog recover --json` says.
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
