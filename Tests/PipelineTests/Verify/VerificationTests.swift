import ChangeLog
import Format
import Testing

@testable import Pipeline

/// Verdicts on facts that no log was read for.
@Suite("The judgement of a verification")
struct VerificationTests {
  private let other = SHA256.digest(of: [99])

  private func point(_ id: Int64, lineage: Int64 = 0) -> HistoryPoint {
    HistoryPoint(lineage: lineage, transaction: id, digest: SHA256.digest(of: [UInt8(id)]))
  }

  /// The facts about a lineage whose logs are sound up to a transaction.
  private func facts(_ end: Int64, lineage: Int64 = 0, origin: HistoryPoint? = nil) -> LogFacts {
    var facts = LogFacts(store: "S", lineage: lineage)
    facts.to = point(end, lineage: lineage)
    // The state at the beginning is one that the parent never had, so nothing is compared.
    facts.origin = origin.map { LineageOrigin(head: $0, parent: $0.lineage, common: 0) }
    return facts
  }

  private func request(_ change: (inout VerifyRequest) -> Void = { _ in }) -> VerifyRequest {
    var request = VerifyRequest(logs: LogFolder("logs"))
    change(&request)
    return request
  }

  private func judged(
    _ lineages: [LogFacts],
    token: HistoryPoint? = nil,
    filtered: [LogFacts] = [],
    answers: [Question: Answer] = [:],
    request: VerifyRequest? = nil
  ) throws -> [Verification] {
    func store(_ lineages: [LogFacts], token: HistoryPoint?) -> StoreFacts {
      StoreFacts(
        store: "S",
        logs: LogFolder("logs"),
        lineages: lineages,
        token: TokenFacts(path: "token", point: token),
        strays: []
      )
    }
    var whole = store(lineages, token: token)
    if !filtered.isEmpty { whole.filtered = [store(filtered, token: nil)] }
    return try judge(whole, answers: answers, request: request ?? self.request())
  }

  // MARK: Proofs

  @Test("A mark after the proven transactions does not prove a snapshot among them.")
  func marks() {
    let ids: ClosedRange<Int64> = 1...4
    for id in ids {
      let mark = Mark(.snapshot, transaction: id, digest: SHA256.digest(of: []))
      for by in [nil] + ids.map(Optional.some) {
        for last in [nil] + ids.map(Optional.some) {
          var part = MarkedPart(mark: mark, isBase: false, by: by)
          let isForgeable =
            if let by, let last { id <= last && by > last } else { false }
          let proven = last.map { point($0) }
          #expect(part.isUnproven(upTo: proven) == (by == nil || isForgeable))
          part.isReplayed = true
          #expect(!part.isUnproven(upTo: proven))
        }
      }
    }
  }

  @Test("Remaining values are proven by a restatement up to the proven end of its lineage.")
  func restatements() throws {
    // The values of transaction 5 of lineage 0 are restated by transaction 7 of lineage 0 or 1.
    for lineage in 0...1 as ClosedRange<Int64> {
      for proven in [nil, 4, 5, 6, 7, 8] as [Int64?] {
        for head in [nil, 6, 7, 8] as [Int64?] {
          var lineages = [facts(8), facts(9, lineage: 1, origin: point(1))]
          lineages[0].restated = [RestatedPart(transaction: 5, by: point(7, lineage: lineage))]
          lineages[0].confirmed = [proven].compactMap { $0 }.map { (point($0), .head) }
          lineages[1].confirmed = [head].compactMap { $0 }.map { (point($0, lineage: 1), .head) }
          let result = try judged(lineages)[0]
          let isBeyondProof = proven.map { $0 < 5 } ?? true
          let isConfirmed = ((lineage == 0 ? proven : head) ?? 0) >= 7
          #expect(result.except.map(\.kind) == [.restated])
          #expect(result.except.map(\.transactions) == [[5]] && result.except.map(\.by) == [[7]])
          #expect(
            result.except.map(\.isProven) == [isBeyondProof || isConfirmed],
            "lineage \(lineage), proven \(proven ?? 0), head \(head ?? 0)"
          )
        }
      }
    }
  }

  @Test("A head proves each earlier lineage whose end the next lineage names.")
  func earlierLineages() throws {
    func checked(_ lineages: [LogFacts], proven: HistoryPoint?) throws -> [Verification] {
      var lineages = lineages
      if let proven { lineages[Int(proven.lineage)].confirmed = [(proven, .head)] }
      return try judged(lineages)
    }
    let second = facts(5, lineage: 1, origin: point(3))
    let third = facts(7, lineage: 2, origin: point(5, lineage: 1))
    let proven = try checked([facts(3), second, third], proven: point(6, lineage: 2))
    #expect(proven.map(\.proof) == [.lineage(1), .lineage(2), .head])
    #expect(proven.map(\.proven?.transaction) == [3, 5, 6])
    // The second lineage names another end of the first.
    let forged = facts(5, lineage: 1, origin: point(4))
    let other = try checked([facts(3), forged, third], proven: point(6, lineage: 2))
    #expect(other.map(\.proof) == [nil, .lineage(2), .head])
    #expect(try checked([facts(3), second], proven: nil).map(\.proof) == [nil, nil])
    // A head of the earlier lineage does not cover the later one.
    let earlier = try checked([facts(3), second], proven: point(3))
    #expect(earlier.map { $0.except.map(\.kind) } == [[], [.start, .lineage]])
    #expect(earlier.map(\.end) == [.none, .none])
    // If the earlier lineage is missing, nothing shows the state at the beginning.
    let alone = try checked([second], proven: nil)
    #expect(alone.map { $0.except.map(\.kind) } == [[.start]] && alone[0].notices.count == 1)
  }

  // MARK: Ends

  @Test("A lineage that does not end where the next one says has exactly one finding about that.")
  func ends() throws {
    func checked(_ end: Int64, named: HistoryPoint?) throws -> [Verification] {
      try judged([facts(end), facts(9, lineage: 1, origin: named)])
    }
    let same = try checked(5, named: point(5))
    #expect(same.map(\.end) == [.lineage, .none] && same.flatMap(\.findings) == [])
    let missing = try checked(5, named: point(6))
    #expect(missing[0].findings.map(\.kind) == [.endMissing] && missing[0].end == .none)
    let later = try checked(5, named: point(4))
    #expect(later[0].findings.map(\.kind) == [.damaged])
    #expect(later[0].findings.map(\.transaction) == [4])
    for named in [nil, point(5, lineage: 7), point(5, lineage: 1)] {
      let nameless = try checked(5, named: named)
      #expect(nameless[0].findings == [])
      #expect(nameless[1].findings == [Finding(.hasNoParent(lineage: 1))])
    }
    // Lineage 1 begins with a snapshot inside the lineage, so its first transaction is not known.
    var inside = facts(9, lineage: 1)
    inside.from = point(3, lineage: 1)
    #expect(try judged([facts(5), inside]).flatMap(\.findings) == [])
  }

  @Test("The token at the end of the logs confirms the end, and any other token is a finding.")
  func tokens() throws {
    for id in 0...6 as ClosedRange<Int64> {
      for isOther in [false, true] {
        var token = point(id)
        if isOther { token.digest = other }
        var whole = facts(4)
        whole.from = point(0)
        let result = try judged(
          [whole],
          token: token,
          answers: [.digest(lineage: 0, transaction: id): Answer(digest: point(id).digest)]
        )[0]
        let finding: Finding.Reason? =
          id > 4 ? .tokenIsAhead(end: 4) : isOther ? .tokenIsOther : nil
        #expect(
          result.findings
            == [finding].compactMap { $0 }.map { Finding($0, path: "token", transaction: id) }
        )
        #expect(result.end == (id == 4 && !isOther ? .token : .none))
      }
    }
    // A token of a later lineage is ahead of the logs, whatever its transaction is.
    let later = try judged([facts(4)], token: point(2, lineage: 1))
    #expect(
      later[0].findings == [Finding(.tokenIsAhead(end: 4), path: "token", transaction: 2)]
    )
    // The log with the transaction of the token is there, but a log before it is damaged.
    var damaged = facts(4)
    damaged.findings = [Finding(.isCovered(folder: "logs"), path: "log", transaction: 5)]
    for (end, count) in [(4, 2), (6, 1)] as [(Int64, Int)] {
      damaged.namedEnd = end
      #expect(try judged([damaged], token: point(6))[0].findings.count == count)
    }
    // A gap replaces the transaction of the token.
    let gap = try judged(
      [facts(4)],
      token: point(2),
      answers: [.digest(lineage: 0, transaction: 2): Answer()]
    )
    #expect(gap[0].findings == [])
  }

  @Test("A given digest is looked for in all results, and reported at the last unfiltered one.")
  func given() {
    func checked(
      _ facts: [LogFacts],
      heads: [Digest] = [],
      erasures: [Digest] = []
    ) -> [Verification] {
      let request = request { ($0.heads, $0.erasures) = (heads, erasures) }
      return judge(facts.map { Verification($0) }, strays: [], request: request)
    }
    var (first, second, filtered) = (facts(3), facts(5, lineage: 1), facts(7))
    filtered.filterName = "abc"
    let missing = checked([first, second, filtered], heads: [other])
    #expect(
      missing.map(\.findings.count) == [0, 1, 0]
        && missing.map(\.isRefuted) == [false, true, false]
    )
    #expect(
      missing[1].findings
        == [Finding(.headIsMissing(other, end: point(5, lineage: 1)), transaction: 5)]
    )
    #expect(checked([filtered, filtered], heads: [other]).map(\.findings.count) == [0, 1])
    first.confirmed = [(point(2), .head)]
    let known = checked([first, second], heads: [point(2).digest, other])
    #expect(known.map(\.findings.count) == [0, 1])
    #expect(checked([first, second], heads: [point(2).digest]).flatMap(\.findings) == [])
    // During an erasure, the end of the logs is not known.
    let unfinished = LogError(.unfinished, "p") { "An erasure is not finished." }
    let running = LogFacts(store: "S", [Finding(unfinished)].compactMap(\.self))
    let during = checked([running, second], heads: [other], erasures: [other])
    #expect(during.map(\.findings.count) == [1, 0])
    // A given digest of erasure records proves only the values of its own lineage.
    for index in 0...1 {
      var lineages = [first, second]
      for place in 0...1 {
        lineages[place].erasures = point(Int64(place)).digest
        lineages[place].except = [ExceptedPart(.unanchored), ExceptedPart(.gap)]
      }
      let results = checked(lineages, erasures: [point(Int64(index)).digest])
      #expect(results.flatMap(\.findings) == [])
      #expect(results[index].except.map(\.isProven) == [true, false])
      #expect(results[1 - index].except.map(\.isProven) == [false, false])
      let wrong = checked(lineages, erasures: [other])
      #expect(wrong.map(\.findings) == [[], [Finding(.erasuresAreOther(other))]])
    }
  }

  // MARK: Questions

  @Test(
    "Rows are compared only if nothing else is wrong, and prove the logs and their first state."
  )
  func rows() throws {
    let request = request { $0.against = "t.store" }
    var logs = facts(5)
    logs.marked = [
      MarkedPart(
        mark: Mark(.snapshot, transaction: 0, digest: other),
        isBase: true,
        by: nil
      )
    ]
    let question = Question.rows(store: "t.store")
    #expect(throws: question) { try judged([logs], request: request) }
    let damage = Finding(.moreRowsDiffer(1))
    for (rest, findings) in [(0, []), (2, []), (0, [damage])] as [(Int64, [Finding])] {
      let answer = Answer(findings: findings, unexported: rest)
      let result = try judged([logs], answers: [question: answer], request: request)[0]
      #expect(result.findings == findings && result.unexported == rest)
      #expect(result.proof == (findings.isEmpty ? .store : nil))
      #expect(result.end == (findings.isEmpty && rest == 0 ? .store : .none))
      #expect(result.except.map(\.kind) == (findings.isEmpty ? [] : [.base]))
      #expect(result.notices.count == (rest > 0 ? 1 : 0))
    }
    // The token confirms the end, so later transactions are not worth a notice.
    let answers = [question: Answer(unexported: 2)]
    let confirmed = try judged([logs], token: logs.to, answers: answers, request: request)[0]
    #expect(confirmed.notices == [] && confirmed.end == .token && confirmed.unexported == 2)
    logs.findings = [damage]
    #expect(try judged([logs], request: request)[0].unexported == nil)
  }

  @Test(
    "A snapshot is compared with a replay if no transaction proves it, or if that is requested."
  )
  func snapshots() throws {
    func mark(_ id: Int64, by: Int64?) -> MarkedPart {
      MarkedPart(mark: Mark(.snapshot, transaction: id, digest: other), isBase: false, by: by)
    }
    var logs = facts(5)
    logs.marked = [mark(2, by: 3), mark(4, by: nil)]
    #expect(throws: Question.snapshot(lineage: 0, transaction: 4)) { try judged([logs]) }
    let replaying = request { $0.replaysSnapshots = true }
    #expect(throws: Question.snapshot(lineage: 0, transaction: 2)) {
      try judged([logs], request: replaying)
    }
    let question = Question.snapshot(lineage: 0, transaction: 4)
    #expect(try judged([logs], answers: [question: Answer()])[0].except == [])
    let different = Answer(findings: [Finding(.moreRowsDiffer(1))])
    let result = try judged([logs], answers: [question: different])[0]
    #expect(result.verdict == .damaged && result.except.map(\.transactions) == [[4]])
    // After a position nothing before it is read, so nothing can be replayed.
    logs.after = point(1)
    #expect(try judged([logs])[0].except.map(\.kind) == [.snapshot])
  }

  @Test("A lineage must begin with a state of its parent, which is replayed if the parent had it.")
  func starts() throws {
    func checked(
      from: Int64,
      common: Int64?,
      _ answers: [Question: Answer] = [:]
    ) throws
      -> Verification
    {
      var later = facts(9, lineage: 1)
      later.from.transaction = from
      later.origin = LineageOrigin(head: point(5), parent: 0, common: common)
      return try judged([facts(5), later], answers: answers)[1]
    }
    let question = Question.start(lineage: 1, parent: 0, after: 3)
    #expect(throws: question) { try checked(from: 2, common: nil) }
    #expect(try checked(from: 2, common: nil, [question: Answer()]).findings == [])
    let different = Answer(findings: [Finding(.moreRowsDiffer(1))])
    #expect(try checked(from: 2, common: nil, [question: different]).verdict == .damaged)
    #expect(try checked(from: 6, common: nil).findings.map(\.transaction) == [7])
    #expect(try checked(from: 6, common: 5).except.map(\.kind) == [.start])
  }

  @Test("Filtered logs must agree with the logs without a filter, and must prove their filter.")
  func filtered() throws {
    var part = facts(3)
    (part.filterName, part.files, part.filterMark) = ("abc", 1, (transaction: 1, after: 0))
    let question = Question.digest(lineage: 0, transaction: 3)
    #expect(throws: question) { try judged([facts(5)], filtered: [part]) }
    let same = try judged(
      [facts(5)],
      filtered: [part],
      answers: [question: Answer(digest: part.to.digest)]
    )
    #expect(same.flatMap(\.findings) == [] && same.flatMap(\.except) == [])
    let different = try judged(
      [facts(5)],
      filtered: [part],
      answers: [question: Answer(digest: other)]
    )
    #expect(different.map(\.verdict) == [.sound, .damaged])
    // A point before the description of the filter does not prove the description.
    part.filterMark = (transaction: 3, after: 0)
    part.confirmed = [(point(2), .head)]
    #expect(try judged([facts(3)], filtered: [part])[1].except.map(\.kind) == [.filter])
    part.pointAtWholeEnd = HistoryPoint(lineage: 0, transaction: 3, digest: other)
    #expect(try judged([facts(3)], filtered: [part])[1].findings.map(\.transaction) == [3])
  }
}
