import CommandLineKit
import FoundationEssentials
import Store

extension Travelog {
  static let record = Parameter<Bool>.toggle(
    "record",
    help: "Record what rows and history differ in, as a transaction of op gap."
  )

  static let checkCommand = Command(
    "check",
    summary: "Compares a store's rows, history, constraints and catalog with each other.",
    discussion: "Every digest is made anew, and what history says of each object is compared with "
      + "its row. What a program changed past the triggers is found; with --record it becomes part "
      + "of history, so that logs give the store again.",
    examples: [
      .init("travelog check trips.store", "Find what contradicts each other."),
      .init("travelog check trips.store --record", "Record what no trigger could see."),
    ],
    parameters: [store, record],
    exitCodes: [.found, .unreadable, .missing, .locked]
  ) { call in
    let given = call.arguments
    let path = given[store]
    let opened = try Store.open(
      .file(URL(fileURLWithPath: path)),
      options: Options(isReadOnly: !given[record])
    )
    var findings: [String] = []
    var count = 0
    let transaction = try opened.check(recording: given[record] ? Author() : nil) { finding in
      count += 1
      let text = "\(finding)"
      if given[json] {
        if findings.count < 1000 { findings.append(text) }
      } else {
        try call.output.writeLine("\(call.output.style.red(finding.name)): \(text)")
      }
    }
    if given[json] {
      try call.answer(
        CheckAnswer(store: path, findings: count, messages: findings, recorded: transaction)
      )
    } else if count == 0, !given[quiet] {
      try call.output.writeLine(
        "\(call.output.style.green("ok")): rows, history, constraints and catalog of \(path) agree"
      )
    }
    if let transaction {
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
  let recorded: Int64?
}
