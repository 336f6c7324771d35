import ChangeLog
import CommandLineKit
import Format
import Pipeline

extension Travelog {
  static let heads = Parameter<[String]>.repeated(
    "head",
    type: .file,
    placeholder: "DIGEST|FILE",
    help: "A digest or checkpoint that the logs must contain, or a file of digests."
  )
  static let after = Parameter<TrustedPosition?>.optional(
    "after",
    type: .position,
    help: "Verify only the transactions after this trusted transaction."
  )
  static let erasures = Parameter<[Digest]>.repeated(
    "erasures",
    type: .digest,
    help: "The digest that the last erasure record must have."
  )
  static let replay = Parameter<Bool>.toggle(
    "replay",
    help: "Also compare proven snapshots with a replay of the logs."
  )
  static let allowUnproven = Parameter<Bool>.toggle(
    "allow-unproven",
    help: "Accept the logs even if a part of them is not proven."
  )

  static let arrow = Parameter<String?>.optional(
    "arrow",
    type: .file,
    placeholder: "FILE",
    help: "Also write the lines of sound logs as an Apache Arrow stream."
  )

  static let verifiedLogs = Parameter<[String]>.positionals(
    "LOGS",
    type: .file,
    isRequired: true,
    unless: "proof",
    help: "A log folder, logs in any order, or - for standard input."
  )

  static let against = Parameter<String?>.optional(
    "against",
    type: .file,
    placeholder: "STORE",
    help: "Also replay the logs, and compare every row with this store."
  )

  static let verifyCommand = Command(
    "verify",
    summary: "Verifies that logs are complete and unaltered.",
    discussion: "Recomputes every digest from the files. The verdict on each lineage is proven, "
      + "sound in itself, or damaged. Logs are proven up to the last digest that --head or "
      + "--against confirms. Each finding names the file, the line and the transaction, and says "
      + "what to do. The verdict also lists the parts that it does not cover: snapshots, gaps and "
      + "erasures that nothing proves. If there are such parts, the exit status is 17. Only the "
      + "token, --head or --against can show that no later log is missing.",
    examples: [
      "travelog verify logs": "Verify all logs in a folder.",
      "travelog verify logs --head october.checkpoint --key public.pem":
        "Verify that the logs contain a signed history.",
      "travelog verify logs --after $(cat position.txt)":
        "Read a trusted position from a file, and verify only later transactions.",
      "travelog verify logs --against trips.store": "Verify that the logs restore the store.",
    ],
    parameters: [
      verifiedLogs, origin, token, heads, after, against, replay, arrow, erasures, allowUnproven,
      sinceCheckpoint,
      proof, publicKey, witnesses, quorum, expectedTree,
    ],
    exitCodes: [
      .found, .unreadable, .missing, .locked, .differs, .filteredLog, .unproven, .interrupted,
      .terminated,
    ]
  ) { call in
    let given = call.arguments
    if given[after] != nil, given[against] != nil {
      throw CommandError(.usage) {
        "--after reads no earlier logs, but --against replays all logs."
          + "\nGive only one of the two flags."
      }
    }
    if let code = try call.verifyProof(logs: given[verifiedLogs]) { return code }
    if let path = given[verifiedLogs].first(where: isProof) {
      throw CommandError(.usage) {
        "\(path) is a proof, and not a log."
          + "\nTo verify it: \(shellLine(["travelog", "verify", "--proof", path]))"
      }
    }
    let source = try LogSource(given[verifiedLogs], acceptsDamage: true)
    defer { withExtendedLifetime(source) {} }
    var request = VerifyRequest(logs: source.folder)
    request.store = given[origin]
    request.token = given[token]
    (request.heads, request.checkpoints) = try trustedHeads(
      given[heads],
      requiring: call.requirements,
      includesFiltered: true
    )
    request.after = given[after]
    request.against = given[against]
    request.replaysSnapshots = given[replay]
    request.erasures = given[erasures]
    request.includesFiltered = true
    request.failures = source.failures
    let (line, tick) = call.tick()
    let lines = try given[arrow].map { try ArrowFile(path: $0) }
    let results = try source.naming { try verify(request, arrow: lines, tick: tick) }
    try line.clear()
    var findings: [String] = []
    for result in results.map({ $0.naming(source.naming) }) {
      for notice in result.notices { try call.warn("\(notice)") }
      findings += result.findings.map { "\($0.kind.rawValue): \($0)" }
      if given[json] {
        try call.answer(Joined(first: TypeHead(type: "verify"), second: result))
      } else if !given[quiet] || !result.findings.isEmpty || result.isUnproven {
        try call.output.show(text(of: result, style: call.output.style))
      }
    }
    try call.warn(findings: findings, of: findings.count)
    guard results.allSatisfy(\.findings.isEmpty) else { return .found }
    try lines?.finish()
    return results.contains(where: \.isUnproven) && !given[allowUnproven] ? .unproven : .success
  }

  private static func text(of result: Verification, style: Style) -> String {
    guard !result.store.isEmpty else {
      return result.findings.map { "\(style.red($0.kind.rawValue)): \($0)\n" }.joined()
    }
    var lines = ["store \(visible(result.store)), lineage \(result.lineage)"]
    if result.filterName != nil { lines[0] += ", filtered: \(visible(result.words))" }
    lines += result.findings.map { "  \(style.red($0.kind.rawValue)): \($0)" }
    let counts =
      "\(counted(result.changes, noun: "change")) in \(counted(Int64(result.files), noun: "log"))"
      + (result.snapshots > 0 ? " and \(counted(Int64(result.snapshots), noun: "snapshot"))" : "")
    let isNothingSound = result.verdict == .damaged && result.files + result.snapshots == 0
    lines.append(
      "  \(verdict(result, style: style)): \(result.rangeText)"
        + (isNothingSound ? "" : ", \(counts)")
    )
    lines += result.except.map { "  except: \($0.description)" }
    if result.beginsWithState {
      lines.append(
        "  the logs begin with the state after transaction \(result.from.transaction); what changed"
          + " before is not in them"
      )
    }
    if let position = result.after {
      lines.append("  nothing up to transaction \(position.transaction) was verified")
    }
    lines += result.heads.map {
      "  the given digest \($0.digest) is that of transaction \($0.transaction)"
    }
    if result.snapshotObjects > 0 {
      lines.append("  insertions in snapshots: \(result.snapshotObjects)")
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
    if unexported == 0 || result.end != .none { lines.append("  \(result.endText)") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func verdict(_ result: Verification, style: Style) -> String {
    switch result.verdict {
    case .damaged: style.red(result.verdictText)
    case .sound: style.green(result.verdictText)
    case .proven: style.green(result.verdictText) + (result.proof.map { " \($0.text)" } ?? "")
    }
  }
}
