import Format

extension Verification {
  /// The verdict in words, such as “proven up to transaction 7”.
  package var verdictText: String {
    switch verdict {
    case .damaged: "damaged"
    case .sound: "sound in itself"
    case .proven: provenText(upTo: proven?.transaction ?? 0, after: provenAfter)
    }
  }

  /// The verified transactions in words.
  package var rangeText: String {
    let (first, last) = (facts.from.transaction + 1, facts.to.transaction)
    if facts.filterName != nil {
      return "\(countText(Int(facts.transactions), noun: "transaction")) up to transaction \(last)"
    }
    let isState = facts.snapshots > 0 && facts.after == nil
    let range =
      last < first
      ? (isState ? "the state after transaction \(last)" : "no transaction")
      : first == last ? "transaction \(first)" : "transactions \(first) to \(last)"
    guard verdict == .damaged else { return range }
    if isRefuted { return "nothing is proven" }
    return range + (first < last ? " are sound" : " is sound")
  }

  /// Whether a later log is missing, in words.
  package var endText: String {
    if facts.filterName != nil { return "filtered logs do not show whether a log is missing" }
    return end == .head && proof == .checkpoint
      ? "the given checkpoint confirms that no later log is missing" : end.text
  }
}

extension Verification.EndProof {
  package var text: String {
    switch self {
    case .token: "the token confirms that no later log is missing"
    case .head: "the given digest confirms that no later log is missing"
    case .store: "a restore from the logs gives the present state, so no later log is missing"
    case .lineage: "the next lineage confirms that no later log is missing"
    case .none: "later logs may be missing: use --head or --against to find out"
    }
  }
}

extension Proof {
  /// The source in words that follow a verdict.
  package var text: String {
    switch self {
    case .store: "by the store"
    case .lineage(let number): "by lineage \(number), which names its head"
    case .checkpoint: "by the checkpoint that was given"
    case .head: "by the digest that was given"
    }
  }
}

/// Says up to which transaction a history is proven.
package func provenText(upTo last: Int64, after gap: Int64? = nil) -> String {
  "proven\(gap.map { " from transaction \($0 + 1)" } ?? "") up to transaction \(last)"
}

/// In JSON, the facts and the verdict have the keys of one object.
extension Verification: Encodable {
  private enum CodingKeys: String, CodingKey {
    case filter, verdict, isSound, proven, provenAfter, heads, except, erased, erasures, end
    case unexported, notices, findings
  }

  package func encode(to encoder: any Encoder) throws {
    try facts.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(facts.filterName.map { _ in facts.words }, forKey: .filter)
    try container.encode(verdict, forKey: .verdict)
    try container.encode(findings.isEmpty, forKey: .isSound)
    if verdict == .proven {
      try container.encodeIfPresent(proven, forKey: .proven)
      try container.encodeIfPresent(provenAfter, forKey: .provenAfter)
    }
    try container.encode(facts.heads, forKey: .heads)
    try container.encode(except, forKey: .except)
    try container.encode(facts.erased, forKey: .erased)
    try container.encodeIfPresent(facts.erasures?.description, forKey: .erasures)
    try container.encode(end, forKey: .end)
    try container.encodeIfPresent(unexported, forKey: .unexported)
    try container.encode(notices, forKey: .notices)
    try container.encode(findings, forKey: .findings)
  }
}
