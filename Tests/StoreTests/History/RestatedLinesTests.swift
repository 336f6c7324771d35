import Format
import TestSupport
import Testing

@testable import Store

@Suite("The lines that an erasure restates")
struct RestatedLinesTests {
  private func digest(_ number: UInt8) -> Digest { SHA256.digest(of: [number]) }

  private func restatement(
    of transaction: Int64,
    lineage: Int64 = 0,
    operation: TransactionOperation = .recorded,
    lines: [Int64: UInt8] = [0: 100]
  ) -> Restatement {
    Restatement(
      lineage: lineage,
      transaction: transaction,
      operation: operation,
      digest: digest(UInt8(transaction)),
      lines: lines.sorted { $0.key < $1.key }.map {
        RestatedLine(sequence: $0.key, values: digest($0.value))
      }
    )
  }

  /// The parts of `added` without the lines of `removed`.
  private func parts(
    _ added: [Restatement],
    without removed: [Restatement] = [],
    ofLines limit: Int = 100
  ) throws -> [[Restatement]] {
    let lines = try RestatedLines()
    for one in added { try lines.add(one) }
    for one in removed { try lines.remove(one) }
    var parts: [[Restatement]] = []
    try lines.forEachPart(ofLines: limit) { parts.append($0) }
    return parts
  }

  @Test("Each line counts once for the same values, and lines that others restate do not count.")
  func repeated() throws {
    let first = restatement(of: 2, lines: [0: 1, 1: 2])
    let again = restatement(of: 2, lines: [0: 1, 1: 3, 4: 5])
    #expect(try parts([first, again]) == [[first, restatement(of: 2, lines: [1: 3, 4: 5])]])
    #expect(try parts([again], without: [first]) == [[restatement(of: 2, lines: [1: 3, 4: 5])]])
    #expect(try parts([first], without: [first]).isEmpty)
    #expect(try parts([first, first]) == [[first]])
    #expect(try parts([restatement(of: 2, lines: [:])]).isEmpty)
  }

  @Test("An erasure is divided into parts with a limited number of lines.")
  func limits() throws {
    let first = restatement(of: 2, lines: [0: 1, 1: 2, 2: 3])
    let second = restatement(of: 3, lines: [7: 1])
    let expected: [Int: [[Restatement]]] = [
      1: [
        [restatement(of: 2, lines: [0: 1])], [restatement(of: 2, lines: [1: 2])],
        [restatement(of: 2, lines: [2: 3])], [second],
      ],
      2: [
        [restatement(of: 2, lines: [0: 1, 1: 2])], [restatement(of: 2, lines: [2: 3]), second],
      ],
      3: [[first], [second]],
      4: [[first, second]],
      100: [[first, second]],
    ]
    for (limit, lists) in expected {
      let all = [first, restatement(of: 4, lines: [:]), second]
      #expect(try parts(all, ofLines: limit) == lists)
    }
    #expect(try parts([], ofLines: 3).isEmpty)
  }

  @Test("A restatement of another transaction, operation or lineage does not repeat a line.")
  func places() throws {
    let one = restatement(of: 2)
    var otherDigest = one
    otherDigest.digest = digest(99)
    let others = [
      restatement(of: 3), restatement(of: 2, lineage: 1), restatement(of: 2, operation: .snapshot),
      otherDigest,
    ]
    #expect(try parts([one], without: others) == [[one]])
  }

  @Test("Restatements are ordered by their lineages, and then by their transactions.")
  func order() throws {
    let ascending = [
      restatement(of: 2), restatement(of: 10), restatement(of: 1, lineage: 1),
      restatement(of: 3, lineage: 1),
    ]
    #expect(try parts(ascending.reversed()) == [ascending])
  }

  @Test("Random restatements keep each of their new lines once, and can be read again.")
  func random() throws {
    struct Line: Hashable {
      let place: Restatement
      let line: RestatedLine
    }
    func lines(_ restatements: [Restatement]) -> [Line] {
      restatements.flatMap { one in
        var place = one
        place.lines = []
        return one.lines.map { Line(place: place, line: $0) }
      }
    }
    var random = SeededGenerator(for: "restated lines")
    for _ in 0..<trials(100, long: 5_000) {
      func restatements() -> [Restatement] {
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
          let lines = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            (Int64.random(in: 0...5, using: &random), UInt8.random(in: 0...2, using: &random))
          }
          return restatement(
            of: .random(in: 1...3, using: &random),
            lineage: .random(in: 0...1, using: &random),
            operation: Bool.random(using: &random) ? .recorded : .snapshot,
            lines: Dictionary(lines) { first, _ in first }
          )
        }
      }
      let (added, removed) = (restatements(), restatements())
      let limit = Int.random(in: 1...9, using: &random)
      let found = try parts(added, without: removed, ofLines: limit)
      let kept = lines(found.flatMap(\.self))
      #expect(Set(kept) == Set(lines(added)).subtracting(lines(removed)))
      #expect(kept.count == Set(kept).count)
      #expect(found.dropLast().allSatisfy { lines($0).count == limit })
      let order = found.flatMap(\.self).map { [$0.lineage, $0.transaction] }
      #expect(zip(order, order.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
      for part in found {
        let details = ErasureDetails(
          of: ObjectName("E", id: 1),
          properties: [],
          restatements: part
        )
        let transaction = Transaction(
          id: 9,
          time: "2026-11-23T12:00:00.000001Z",
          operation: .erase,
          schema: "s",
          count: 0,
          details: details.json
        )
        #expect(transaction.restatements == part)
      }
    }
  }
}
