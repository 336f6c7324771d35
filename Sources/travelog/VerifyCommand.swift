import ChangeLog
import Changes
import CommandLineKit
import Pipeline
import Store

extension Travelog {
  static let headDigest = Parameter<Digest?>.optional(
    "head",
    type: .digest,
    help: "The digest that the last transaction must have, as it was written down elsewhere."
  )

  static let against = Parameter<String?>.optional(
    "against",
    type: .file,
    placeholder: "STORE",
    help: "Replay the logs too, and compare every row with this store's."
  )

  static let verifyCommand = Command(
    "verify",
    summary: "Proves that logs are whole and unaltered.",
    discussion: "Every digest is made anew from the bytes. What is wrong is said with file, line "
      + "and transaction, and what to do about it. That the last log is the last one, only the "
      + "token, --head or --against can tell; the answer says whether one did.",
    examples: [
      .init("travelog verify logs", meaning: "Verify all logs in a folder."),
      .init("travelog verify logs --head 5f2c…", meaning: "Verify up to a digest that is known."),
      .init(
        "travelog verify logs --against trips.store",
        meaning: "Prove that they give the store."
      ),
    ],
    parameters: [sources, origin, token, headDigest, against],
    exitCodes: [.found, .unreadable, .missing, .interrupted, .terminated]
  ) { call in
    let given = call.arguments
    let source = try LogSource(given[sources], acceptsDamage: true)
    defer { withExtendedLifetime(source) {} }
    var request = VerifyRequest(logs: source.folder)
    request.store = given[origin]
    request.token = given[token]
    request.head = given[headDigest]
    request.against = given[against]
    request.includesPartial = true
    request.failures = source.failures
    let (line, tick) = call.tick()
    let results = try source.naming { try verify(request, tick: tick) }
    try line.clear()
    for var result in results {
      result.notices = result.notices.map { $0.naming(source.naming) }
      result.findings = result.findings.map { $0.naming(source.naming) }
      for notice in result.notices { try call.warn("\(notice)") }
      if given[json] {
        try call.answer(VerifyAnswer(result))
      } else if !given[quiet] || !result.findings.isEmpty {
        try call.output.write(text(of: result, style: call.output.style))
      }
    }
    return results.allSatisfy(\.findings.isEmpty) ? .success : .found
  }

  private static func text(of result: Verification, style: Style) -> String {
    guard !result.store.isEmpty else {
      return result.findings.map { "\(style.red($0.kind.rawValue)): \($0)\n" }.joined()
    }
    var lines = ["store \(result.store), lineage \(result.lineage)"]
    if result.partial != nil { lines[0] += ", partial: \(result.words)" }
    lines += result.findings.map { "  \(style.red($0.kind.rawValue)): \($0)" }
    let range =
      result.partial != nil
      ? "\(counted(result.transactions, noun: "transaction")) up to \(result.to.transaction)"
        + " \(result.transactions == 1 ? "is" : "are") sound"
      : result.to.transaction > result.from.transaction
        ? transactionsText(result.from.transaction + 1, to: result.to.transaction)
        : result.snapshots > 0
          ? "the state after transaction \(result.to.transaction) is sound"
          : "no transaction is sound"
    lines.append(
      "  \(result.findings.isEmpty ? style.green("ok") : style.red("damaged")): \(range),"
        + " \(counted(result.changes, noun: "change")) in \(counted(Int64(result.files), noun: "log"))"
        + (result.snapshots > 0 ? " and \(counted(Int64(result.snapshots), noun: "snapshot"))" : "")
    )
    if result.snapshotObjects > 0 {
      lines.append("  objects in snapshots: \(result.snapshotObjects)")
    }
    lines.append("  head: \(result.to.digest)")
    if let digest = result.erasures {
      lines.append(
        "  erased: values of \(counted(result.erased, noun: "transaction")); records: \(digest)"
      )
    }
    let unexported = result.unexported ?? 0
    if unexported > 0 {
      lines.append(
        "  \(counted(unexported, noun: "later transaction")) of the store"
          + " \(unexported == 1 ? "is" : "are") not exported yet"
      )
    }
    if unexported == 0 || result.end != .none { lines.append("  \(endText(result))") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func transactionsText(_ first: Int64, to last: Int64) -> String {
    first == last
      ? "transaction \(first) is sound" : "transactions \(first) to \(last) are sound"
  }

  private static func endText(_ result: Verification) -> String {
    guard result.partial == nil else {
      return
        "each log is sound by itself; what is left out, and whether one is missing, they can't tell"
    }
    return switch result.end {
    case .token: "the token says that this is the end"
    case .head: "the digest that was given says that this is the end"
    case .store: "replaying the logs gives the store, which says that this is the end"
    case .lineage: "the next lineage says that this is the end"
    case .none:
      "nothing tells that this is the end: logs after it may be missing; give --head or --against"
    }
  }
}

/// What `travelog verify --json` says of one lineage.
struct VerifyAnswer: Codable {
  struct FindingAnswer: Codable {
    let kind: String
    let message: String
    let path: String
    let line: Int
    let transaction: Int64
  }

  var schema = 1
  var type = "verify"
  let store: String
  let lineage: Int64
  let partial: String?
  let isSound: Bool
  let from: HistoryPoint
  let to: HistoryPoint
  let files: Int
  let snapshots: Int
  let snapshotObjects: Int64
  let transactions: Int64
  let changes: Int64
  let erased: Int64
  let erasures: String?
  let end: String
  let unexported: Int64?
  let notices: [String]
  let findings: [FindingAnswer]

  init(_ result: Verification) {
    store = result.store
    lineage = result.lineage
    partial = result.partial.map { _ in result.words }
    isSound = result.findings.isEmpty
    from = result.from
    to = result.to
    files = result.files
    snapshots = result.snapshots
    snapshotObjects = result.snapshotObjects
    transactions = result.transactions
    changes = result.changes
    erased = result.erased
    erasures = result.erasures?.description
    end = result.end.rawValue
    unexported = result.unexported
    notices = result.notices.map(\.description)
    findings = result.findings.map {
      FindingAnswer(
        kind: $0.kind.rawValue,
        message: $0.description,
        path: $0.path,
        line: $0.line,
        transaction: $0.transaction
      )
    }
  }
}

extension CommandLineKit.ValueType where Value == Digest {
  /// A SHA-256 in hexadecimal digits.
  static let digest = CommandLineKit.ValueType(
    placeholder: "DIGEST",
    forms: "64 hexadecimal digits"
  ) {
    Digest(hexadecimal: $0.lowercased())
  }
}
