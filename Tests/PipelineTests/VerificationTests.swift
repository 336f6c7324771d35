import ChangeLog
import Changes
import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite("The result of a verification")
struct VerificationTests {
  private func point(_ id: Int64, lineage: Int64 = 0) -> HistoryPoint {
    HistoryPoint(lineage: lineage, transaction: id, digest: SHA256.digest(of: [UInt8(id)]))
  }

  private func result() -> Verification { Verification(store: "S", filterName: nil) }

  @Test("The result for a store whose logs are not read yet begins and ends before lineage 0.")
  func beginning() {
    let beginning = HistoryPoint(
      lineage: 0,
      transaction: 0,
      digest: TransactionDigest.beginning(ofStore: "S", lineage: 0)
    )
    for name in [nil, "abc"] {
      let result = Verification(store: "S", filterName: name)
      #expect(result.store == "S" && result.lineage == 0 && result.filterName == name)
      #expect(result.from == beginning && result.to == beginning)
      #expect(result.files == 0 && result.snapshots == 0 && result.snapshotObjects == 0)
      #expect(result.transactions == 0 && result.changes == 0 && result.erased == 0)
      #expect(result.erasures == nil && result.proven == nil && result.proof == nil)
      #expect(result.end == .none && result.unexported == nil && result.words == "")
      #expect(result.verdict == .sound && !result.isUnproven && !result.isUnfinished)
    }
  }

  @Test("Only a later point replaces the proven point and its proof.")
  func proving() {
    for first in 1...3 as ClosedRange<Int64> {
      for second in 1...3 as ClosedRange<Int64> {
        var result = result()
        result.prove(point(first), by: .head)
        #expect(result.proven == point(first) && result.proof == .head)
        result.prove(point(second), by: .store)
        #expect(result.proven == point(max(first, second)))
        #expect(result.proof == (second > first ? .store : .head), "\(first), \(second)")
      }
    }
  }

  @Test("A finding makes the verdict damaged, also if a digest proves the logs.")
  func verdict() {
    var result = result()
    #expect(result.verdict == .sound)
    result.prove(point(1), by: .head)
    #expect(result.verdict == .proven && !result.isUnfinished)
    result.findings = [Finding(.tokenIsOther)]
    #expect(result.verdict == .damaged && !result.isUnfinished)
    let unfinished = ChainFailure.unfinishedErasure(store: "S", folder: "f", command: "c").at("p")
    result.findings += [Finding(unfinished)].compactMap(\.self)
    #expect(result.isUnfinished)
  }

  @Test("A result is unproven if it excepts at least one part that needs a proof and lacks it.")
  func unproven() {
    func isUnproven(_ parts: [ExceptedPart]) -> Bool {
      var result = result()
      result.except = parts
      return result.isUnproven
    }
    let needless: Set<ExceptedPart.Kind> = [.omitted, .omittedChanges]
    for kind in ExceptedPart.Kind.allCases {
      var part = ExceptedPart(kind)
      #expect(isUnproven([part]) == !needless.contains(kind), "\(kind)")
      #expect(isUnproven([ExceptedPart(.omitted), part]) == !needless.contains(kind), "\(kind)")
      part.isProven = true
      #expect(!isUnproven([part]))
    }
    #expect(!isUnproven([]))
  }

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
  func restatements() {
    // The values of transaction 5 are restated by transaction 7 of lineage 0 or 1.
    for lineage in 0...1 as ClosedRange<Int64> {
      for proven in [nil, 4, 5, 6, 7, 8] as [Int64?] {
        for heads in [[:], [0: 6], [0: 7], [0: 8], [1: 6], [1: 7], [1: 8]] as [[Int64: Int64]] {
          var result = result()
          result.restated = [RestatedPart(transaction: 5, by: point(7, lineage: lineage))]
          if let proven { result.prove(point(proven), by: .head) }
          result.exceptMarked(heads)
          let isBeyondProof = proven.map { $0 < 5 } ?? true
          let isConfirmed = (heads[lineage] ?? 0) >= 7
          #expect(result.except.map(\.kind) == [.restated])
          #expect(result.except.map(\.transactions) == [[5]] && result.except.map(\.by) == [[7]])
          #expect(
            result.except.map(\.isProven) == [isBeyondProof || isConfirmed],
            "lineage \(lineage), proven \(proven ?? 0), \(heads)"
          )
        }
      }
    }
  }

  @Test("A verdict excepts snapshots first, then erased values, and gaps last.")
  func order() {
    var result = result()
    func part(_ kind: Mark.Kind, _ id: Int64, isBase: Bool = false, by: Int64? = nil) -> MarkedPart
    {
      let mark = Mark(kind, transaction: id, digest: SHA256.digest(of: []))
      return MarkedPart(mark: mark, isBase: isBase, by: by)
    }
    result.marked = [
      part(.gap, 1), part(.snapshot, 2, isBase: true), part(.snapshot, 3), part(.gap, 4),
      part(.gap, 5, by: 6), part(.snapshot, 6, by: 7),
    ]
    result.restated = [
      RestatedPart(transaction: 8, by: point(9)), RestatedPart(transaction: 9, by: point(9)),
    ]
    result.except.add(.unanchored, 10)
    result.exceptMarked([:])
    #expect(result.except.map(\.kind) == [.base, .snapshot, .restated, .unanchored, .gap])
    #expect(result.except.map(\.transactions) == [[2], [3], [8, 9], [10], [1, 4]])
    #expect(result.except.map(\.count) == [1, 1, 2, 1, 2])
    #expect(result.except.map(\.isProven) == [false, false, true, false, false])
  }

  @Test("An excepted part lists its first ten transactions, each once, and counts all.")
  func parts() {
    for count in 9...11 as ClosedRange<Int64> {
      var part = ExceptedPart(.restated)
      for id in 1...count { part.add(id, by: id + 100) }
      #expect(part.count == count)
      #expect(part.transactions == Array(1...min(count, 10)))
      #expect(part.by == Array(101...100 + min(count, 10)))
      #expect(part.description.contains("…") == (count > 10))
    }
    var part = ExceptedPart(.hidden)
    part.add(5)
    part.add(5, count: 3)
    #expect(part.count == 4 && part.transactions == [5] && part.by == [])
    var omitted: [ExceptedPart] = []
    omitted.add(.omittedChanges, 5)
    #expect(omitted.map(\.description) == ["1 change left out of other transactions"])
    omitted.add(.omittedChanges, 6, count: 2)
    #expect(omitted.map(\.description) == ["3 changes left out of other transactions"])
    var unanchored = ExceptedPart(.unanchored)
    unanchored.add(5)
    let words = "the values of 1 transaction erased (5) by records that"
    #expect(unanchored.description == words + " no transaction covers")
    unanchored.isProven = true
    #expect(unanchored.description == words + " have the digest that was given")
  }

  @Test("Restated transactions are listed separately if their restatements are not proven.")
  func separateParts() {
    var parts: [ExceptedPart] = []
    parts.addRestated(1, by: 9, isProven: true)
    parts.addRestated(2, by: 9, isProven: false)
    parts.addRestated(3, by: 8, isProven: true)
    #expect(parts.map(\.isProven) == [true, false])
    #expect(parts.map(\.transactions) == [[1, 3], [2]])
    #expect(parts.map(\.by) == [[9, 8], [9]] && parts.map(\.count) == [2, 1])
  }

  /// Results of lineages that end at transactions, each later one with the head that it names.
  private func lineages(_ ends: [Int64], named: [HistoryPoint?]) -> [Verification] {
    ends.enumerated().map { lineage, end in
      var result = result()
      result.lineage = Int64(lineage)
      result.to = point(end, lineage: Int64(lineage))
      if lineage > 0 {
        result.from.digest = TransactionDigest.beginning(ofStore: "S", lineage: result.lineage)
        // The state at the beginning can't be compared, so nothing is replayed.
        result.origin = named[lineage].map {
          LineageOrigin(head: $0, parent: $0.lineage, common: 0)
        }
      }
      return result
    }
  }

  @Test("A head proves each earlier lineage whose end the next lineage names.")
  func earlierLineages() {
    let named = [nil, point(3, lineage: 0), point(5, lineage: 1)]
    var proven = lineages([3, 5, 7], named: named)
    proven[2].prove(point(6, lineage: 2), by: .head)
    proveLineages(&proven)
    #expect(proven.map(\.proof) == [.lineage(1), .lineage(2), .head])
    #expect(proven.map(\.proven?.transaction) == [3, 5, 6])
    // The second lineage names another end of the first.
    var other = lineages([3, 5, 7], named: [nil, point(4, lineage: 0), named[2]])
    other[2].prove(point(6, lineage: 2), by: .head)
    proveLineages(&other)
    #expect(other.map(\.proof) == [nil, .lineage(2), .head])
    var none = lineages([3, 5], named: named)
    proveLineages(&none)
    #expect(none.map(\.proof) == [nil, nil])
    // A head of the earlier lineage does not cover the later one.
    var earlier = lineages([3, 5], named: named)
    earlier[0].prove(point(3, lineage: 0), by: .head)
    proveLineages(&earlier)
    #expect(earlier.map { $0.except.map(\.kind) } == [[], [.lineage]])
  }

  @Test("A lineage that does not end where the next one says has exactly one finding about that.")
  func ends() throws {
    func checked(_ end: Int64, named: HistoryPoint?) throws -> [Verification] {
      var results = lineages([end, 9], named: [nil, named])
      try checkLineages(&results, request: VerifyRequest(logs: LogFolder("/none")), tick: { _ in })
      return results
    }
    let same = try checked(5, named: point(5))
    #expect(same.map(\.end) == [.lineage, .none] && same.flatMap(\.findings) == [])
    let missing = try checked(5, named: point(6))
    #expect(missing[0].findings.map(\.kind) == [.endMissing] && missing[0].end == .none)
    let later = try checked(5, named: point(4))
    #expect(
      later[0].findings
        == [Finding(.endIsOther(lineage: 0, point(4), end: point(5), next: 1), transaction: 4)]
    )
    for named in [nil, point(5, lineage: 7), point(5, lineage: 1)] {
      let nameless = try checked(5, named: named)
      #expect(nameless[0].findings == [])
      #expect(nameless[1].findings == [Finding(.hasNoParent(lineage: 1))])
    }
    // Lineage 1 begins with a snapshot inside the lineage, so its first transaction is not known.
    var inside = lineages([5, 9], named: [nil, nil])
    inside[1].from = point(3, lineage: 1)
    try checkLineages(&inside, request: VerifyRequest(logs: LogFolder("/none")), tick: { _ in })
    #expect(inside.flatMap(\.findings) == [])
  }

  @Test("Transactions that keep values recorded as erased are counted between the verified ends.")
  func wholeTransactions() {
    func restatement(
      _ id: Int64,
      lineage: Int64 = 0,
      operation: TransactionOperation = .recorded
    ) -> Restatement {
      Restatement(
        lineage: lineage,
        transaction: id,
        operation: operation,
        digest: SHA256.digest(of: [UInt8(id)]),
        lines: []
      )
    }
    let object = ObjectName("Guest", id: 5)
    func notices(
      _ restatements: [Restatement],
      _ change: (inout Verification) -> Void = { _ in }
    )
      -> [Notice]
    {
      var result = result()
      (result.from, result.to) = (point(3), point(6))
      let details = ErasureDetails(of: object, properties: ["note"], restatements: restatements)
      result.recordedErasures.add(details, by: 8)
      change(&result)
      var results = [result]
      noteWhole(&results, logs: LogFolder("logs"))
      return results[0].notices
    }
    func notice(_ count: Int) -> [Notice] {
      [.isNotErased(count, by: 8, of: object, ["note"], "logs")]
    }
    for id in 2...7 as ClosedRange<Int64> {
      #expect(notices([restatement(id)]) == ((4...6).contains(id) ? notice(1) : []), "\(id)")
    }
    #expect(notices((1...9).map { restatement($0) }) == notice(3))
    #expect(notices([restatement(5), restatement(5)]) == notice(1))
    #expect(notices([restatement(5, lineage: 1)]) == [])
    #expect(notices([restatement(5, operation: .snapshot)]) == [])
    #expect(notices([restatement(5)]) { $0.erasedDigests = [SHA256.digest(of: [5])] } == [])
    #expect(notices([restatement(5)]) { $0.findings = [Finding(.tokenIsOther)] } == [])
    #expect(notices([]) == [])
  }

  @Test("A given digest is looked for in all results, and reported at the last unfiltered one.")
  func given() {
    func checked(
      _ results: [Verification],
      heads: [Digest] = [],
      erasures: [Digest] = []
    ) -> [Verification] {
      var request = VerifyRequest(logs: LogFolder("logs"))
      request.heads = heads
      request.erasures = erasures
      var results = results
      checkGiven(request, &results)
      return results
    }
    var (first, second, filtered) = (result(), result(), result())
    first.to = point(3)
    second.to = point(5, lineage: 1)
    filtered.to = point(7)
    filtered.filterName = "abc"
    let other = SHA256.digest(of: [99])
    let missing = checked([first, second, filtered], heads: [other])
    #expect(missing.map(\.findings.count) == [0, 1, 0])
    #expect(
      missing[1].findings
        == [Finding(.headIsMissing(other, end: point(5, lineage: 1)), transaction: 5)]
    )
    #expect(checked([filtered, filtered], heads: [other]).map(\.findings.count) == [0, 1])
    first.heads = [point(2)]
    let known = checked([first, second], heads: [point(2).digest, other])
    #expect(known.map(\.findings.count) == [0, 1])
    #expect(checked([first, second], heads: [point(2).digest]).flatMap(\.findings) == [])
    // During an erasure, the end of the logs is not known.
    let unfinished = ChainFailure.unfinishedErasure(store: "S", folder: "f", command: "c").at("p")
    var running = result()
    running.findings = [Finding(unfinished)].compactMap(\.self)
    let during = checked([running, second], heads: [other], erasures: [other])
    #expect(during.map(\.findings.count) == [1, 0])
    // A given digest of erasure records proves only the values of its own lineage.
    for index in 0...1 {
      var results = [first, second]
      for place in 0...1 {
        results[place].erasures = point(Int64(place)).digest
        results[place].except = [ExceptedPart(.unanchored), ExceptedPart(.gap)]
      }
      results = checked(results, erasures: [point(Int64(index)).digest])
      #expect(results.flatMap(\.findings) == [])
      #expect(results[index].except.map(\.isProven) == [true, false])
      #expect(results[1 - index].except.map(\.isProven) == [false, false])
      results = checked(results, erasures: [other])
      #expect(results.map(\.findings) == [[], [Finding(.erasuresAreOther(other))]])
    }
  }
}
