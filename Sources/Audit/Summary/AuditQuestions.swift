import Format
import Pipeline

func auditQuestions(_ histories: [AuditedHistory]) -> [AuditQuestion] {
  [
    integrity(histories), erasures(histories), gaps(histories), foreign(histories), end(histories),
  ]
}

/// The statements about the histories of a report.
///
/// If the report has several histories, each statement names its history.
private func statements(
  _ histories: [AuditedHistory],
  _ text: (AuditedHistory) -> [String]
) -> [String] {
  let all = histories.flatMap { history in
    text(history).map { sentence in
      histories.count == 1
        ? sentence : "\(history.store), lineage \(history.lineage): \(sentence)"
    }
  }
  guard all.count > 40 else { return all }
  return all.prefix(40) + ["\(all.count - 40) more sentences are in the answer with --json."]
}

private func integrity(_ histories: [AuditedHistory]) -> AuditQuestion {
  let verdicts = histories.map(\.verdict)
  let damaged = verdicts.count { $0 == Verdict.damaged.rawValue }
  let proven = histories.filter { $0.verdict == Verdict.proven.rawValue }
  var question = AuditQuestion(
    question: .integrity,
    title: "Was anything altered?",
    state: .good,
    answer: soundText(histories, proven: proven),
    statements: statements(histories) { $0.statements }
  )
  if damaged > 0 {
    question.state = .bad
    question.answer =
      histories.count == 1
      ? "Something was altered or damaged" : "\(damaged) of \(histories.count) histories damaged"
  } else if verdicts.contains("unverified") {
    (question.state, question.answer) = (.unknown, "Not verified")
  } else if histories.contains(where: \.isPartlyUnproven) {
    question.state = .attention
    question.answer =
      proven.isEmpty
      ? "Sound, with parts that nothing proves" : question.answer + ", except some parts"
  }
  return question
}

/// The answer about histories without damage.
private func soundText(_ histories: [AuditedHistory], proven: [AuditedHistory]) -> String {
  guard let first = proven.first, let last = first.provenTransaction else {
    return "No alteration was found"
  }
  guard histories.count == 1 else {
    return "\(proven.count == histories.count ? "All" : "\(proven.count) of") \(histories.count)"
      + " histories are proven"
  }
  return capitalized(provenText(upTo: last))
    + (last < first.head ? "; the later ones are sound" : "")
}

private func erasures(_ histories: [AuditedHistory]) -> AuditQuestion {
  AuditQuestion(
    question: .erasures,
    title: "Were values erased?",
    counting: histories.reduce(0) { $0 + $1.erased },
    of: histories,
    text: ("No", "In ", "transaction")
  )
}

private func gaps(_ histories: [AuditedHistory]) -> AuditQuestion {
  var question = AuditQuestion(
    question: .gaps,
    title: "Are changes missing?",
    counting: histories.reduce(0) { $0 + $1.gaps },
    of: histories,
    text: ("No gaps", "", "gap")
  )
  question.statements += statements(histories) { history in
    history.leftOut.map { ["Left out on purpose: \($0.joined(separator: ", "))."] } ?? []
  }
  return question
}

private func foreign(_ histories: [AuditedHistory]) -> AuditQuestion {
  AuditQuestion(
    question: .foreign,
    title: "Did other programs write?",
    counting: histories.reduce(0) { $0 + $1.foreign },
    of: histories,
    text: ("No", "In ", "transaction")
  )
}

extension AuditQuestion {
  /// The answer to a question that counts occurrences in the transactions of histories.
  ///
  /// If a part of a history was altered or can't be read, this part can have more occurrences. So
  /// the answer is unknown if no occurrence was found.
  fileprivate init(
    question: Subject,
    title: String,
    counting count: Int64,
    of histories: [AuditedHistory],
    text: (none: String, prefix: String, noun: String)
  ) {
    self.init(question: question, title: title, state: .good, answer: text.none)
    let isWhole = histories.allSatisfy(\.isVerified)
    if count > 0 {
      state = .attention
      answer =
        text.prefix + countText(Int(count), noun: text.noun) + (isWhole ? "" : " or more")
    } else if !isWhole {
      (state, answer) = (.unknown, "Unknown")
    }
    if !isWhole {
      statements =
        ["A part of the history was altered, or could not be read or verified."]
        + Audit.statements(histories) { $0.unreadable.map { "\($0.description)." } }
    }
  }
}

private func end(_ histories: [AuditedHistory]) -> AuditQuestion {
  var question = AuditQuestion(
    question: .end,
    title: "Are the logs complete?",
    state: .good,
    answer: "No later log is missing"
  )
  if histories.contains(where: { $0.verdict == "unverified" }) {
    (question.state, question.answer) = (.unknown, "Not verified")
  } else if histories.contains(where: { $0.isEndConfirmed == nil }) {
    question.state = .unknown
    question.answer = "Not compared with logs"
    question.statements = [
      "To compare the logs with this store: travelog report LOGS --against STORE"
    ]
  } else if let count = unexported(histories), count > 0 {
    question.state = .attention
    question.answer =
      "\(countText(Int(count), noun: "transaction")) \(count == 1 ? "is" : "are") not exported yet"
    question.statements = ["To add them to the logs: travelog export STORE --to LOGS"]
  } else if histories.contains(where: { $0.isEndConfirmed == false }) {
    question.state = .unknown
    question.answer = capitalized(Verification.EndProof.none.text)
  } else if unexported(histories) != nil {
    question.answer = "The store is exported completely"
  }
  return question
}

/// The number of transactions that are not exported; nil if no store was compared.
private func unexported(_ histories: [AuditedHistory]) -> Int64? {
  let compared = histories.compactMap(\.unexported)
  return compared.isEmpty ? nil : compared.reduce(0, +)
}
