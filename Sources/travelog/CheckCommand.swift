import ChangeLog
import CommandLineKit
import Format
import Pipeline
import Store

extension Travelog {
  static let record = Parameter<Bool>.toggle(
    "record",
    help: "Record the differences as a new transaction."
  )

  static let knownLogs = Parameter<String?>.optional(
    "logs",
    type: .folder,
    placeholder: "LOGS",
    help: "The log folder of the store; supplies what its history lacks."
  )

  static let checkCommand = Command(
    "check",
    summary: "Compares a store's rows, constraints and catalog with its history.",
    discussion:
      "Recomputes every digest, and compares each row with the history of its object. This "
      + "comparison finds changes that bypassed the triggers. With --record, a new transaction "
      + "records these changes; when it is exported, the logs match the store again. If history "
      + "was pruned from the store, --logs supplies the pruned part. The history of an adopted file, "
      + "and of its replica, does not have the rows of the adoption; --logs supplies these rows.",
    examples: [
      "travelog check trips.store": "Find contradictions between the rows and the history.",
      "travelog check trips.store --record": "Record changes that bypassed the triggers.",
      "travelog check trips.store --logs logs": "Check a pruned store or an adopted file.",
    ],
    parameters: [store, knownLogs, record],
    exitCodes: [
      .found, .unreadable, .missing, .locked, .diverged, .filteredLog, .interrupted, .terminated,
    ]
  ) { call in
    let given = call.arguments
    let path = given[store]
    var request = CheckRequest(store: path)
    request.logs = given[knownLogs].map { LogFolder($0) }
    request.author = given[record] ? Author() : nil
    var findings: [String] = []
    var count = 0
    var isUnlisted = false
    let (line, tick) = call.tick()
    let result = try check(request, tick: tick) { finding in
      count += 1
      if case .rows = finding { isUnlisted = true }
      let text = "\(finding)"
      if given[json] {
        if findings.count < 1000 { findings.append(text) }
      } else {
        try line.clear()
        try call.output.showLine("\(call.output.style.red(finding.name)): \(visible(text))")
      }
    }
    try line.clear()
    let unrecorded = try readableStore(path).unrecordedTables() ?? []
    if given[json] {
      try call.answer(
        CheckAnswer(
          store: path,
          findings: count,
          messages: findings,
          unknown: result.unknown,
          recorded: result.recorded,
          violations: result.violations,
          unrecorded: unrecorded
        )
      )
      try call.warn(findings: findings, of: count)
    } else if count == 0, !given[quiet] {
      try call.output.showLine(
        "\(call.output.style.green("ok")): rows, history,"
          + (result.violations.isEmpty ? " constraints" : "")
          + " and catalog of \(visible(path)) agree"
          + (result.unknown == 0 ? "" : ", as far as the history reaches back")
          + (unrecorded.isEmpty ? "" : "; not recorded: \(visible(listText(unrecorded)))")
      )
    }
    if isUnlisted {
      try call.warn(
        "The history of \(path) does not have all rows. To list the rows that differ, run “travelog"
          + " check \(path) --logs LOGS”."
      )
    }
    try call.summarize(result, of: path, logs: given[knownLogs])
    return count == 0 ? .success : .found
  }
}

extension CheckFinding {
  fileprivate var name: String {
    switch self {
    case .integrity: "integrity"
    case .danglingReference: "reference"
    case .structure: "structure"
    case .missingTransactions, .strayChanges, .changeCount: "history"
    case .digest: "digest"
    case .row, .rows: "row"
    case .blobCount, .missingBlob, .alteredBlob, .strayBlob: "value"
    }
  }
}

/// The answer of `travelog check --json`.
struct CheckAnswer: Codable {
  var schema = 1
  var type = "check"
  let store: String
  let findings: Int
  let messages: [String]
  let unknown: Int64
  let recorded: Int64?
  let violations: [String]
  let unrecorded: [String]
}
