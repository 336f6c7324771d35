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
    let unfinished = LogError(.unfinished, "p") { "An erasure is not finished." }
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
