import ChangeLog
import CommandLineKit
import Pipeline
import Store

extension Travelog {
  static let record = Parameter<Bool>.toggle(
    "record",
    help: "Record what rows and history differ in, as a transaction of op gap."
  )

  static let knownLogs = Parameter<String?>.optional(
    "logs",
    type: .folder,
    placeholder: "LOGS",
    help: "Logs of the store, which tell of what was deleted from its history."
  )

  static let checkCommand = Command(
    "check",
    summary: "Compares a store's rows, history, constraints and catalog with each other.",
    discussion: "Every digest is made anew, and what history says of each object is compared with "
      + "its row. What a program changed past the triggers is found; with --record it becomes part "
      + "of history, so that logs give the store again. Where history was pruned, --logs brings "
      + "what it does not tell any more.",
    examples: [
      .init("travelog check trips.store", meaning: "Find what contradicts each other."),
      .init("travelog check trips.store --record", meaning: "Record what no trigger could see."),
      .init("travelog check trips.store --logs logs", meaning: "The same after a prune."),
    ],
    parameters: [store, knownLogs, record],
    exitCodes: [
      .found, .unreadable, .missing, .locked, .diverged, .partialLog, .interrupted, .terminated,
    ]
  ) { call in
    let given = call.arguments
    let path = given[store]
    var request = CheckRequest(store: path)
    request.logs = given[knownLogs].map { LogFolder($0) }
    request.author = given[record] ? Author() : nil
    var findings: [String] = []
    var count = 0
    let (line, tick) = call.tick()
    let result = try check(request, tick: tick) { finding in
      count += 1
      let text = "\(finding)"
      if given[json] {
        if findings.count < 1000 { findings.append(text) }
      } else {
        try line.clear()
        try call.output.writeLine("\(call.output.style.red(finding.name)): \(text)")
      }
    }
    try line.clear()
    if given[json] {
      try call.answer(
        CheckAnswer(
          store: path,
          findings: count,
          messages: findings,
          unknown: result.unknown,
          recorded: result.recorded
        )
      )
    } else if count == 0, !given[quiet] {
      try call.output.writeLine(
        "\(call.output.style.green("ok")): rows, history, constraints and catalog of \(path) agree"
          + (result.unknown == 0 ? "" : ", as far as history reaches")
      )
    }
    if !result.isComplete {
      try call.warn(
        "The tables of \(path) are not those of its schema, so that rows were not compared with"
          + " history, and nothing was recorded."
      )
    }
    if result.unknown > 0 {
      try call.warn(
        "The history of \(path) does not tell all of \(counted(result.unknown, noun: "object")), whose rows"
          + " were not compared with what is not known."
          + (request.logs == nil ? " Logs that reach further back do: --logs LOGS." : "")
      )
    }
    if let transaction = result.recorded {
      try call.summarize("\(path): what differed is transaction \(transaction) now")
    }
    return count == 0 ? .success : .found
  }
}

extension CheckFinding {
  /// The kind of finding, in a word.
  fileprivate var name: String {
    switch self {
    case .integrity: "integrity"
    case .danglingReference: "reference"
    case .structure: "structure"
    case .missingTransactions, .strayChanges, .changeCount: "history"
    case .digest: "digest"
    case .row: "row"
    case .blobCount, .missingBlob, .alteredBlob, .strayBlob: "value"
    }
  }
}

/// What `travelog check --json` says.
struct CheckAnswer: Codable {
  var schema = 1
  var type = "check"
  let store: String
  let findings: Int
  let messages: [String]
  let unknown: Int64
  let recorded: Int64?
}
