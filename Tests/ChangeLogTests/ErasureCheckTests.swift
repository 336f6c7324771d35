import Changes
import TestSupport
import Testing

@testable import ChangeLog

@Suite("The check of erased transactions against the erasure records")
struct ErasureCheckTests {
  private let transaction = SHA256.digest(of: [1])
  private let first = SHA256.digest(of: [2])
  private let last = SHA256.digest(of: [3])
  private let other = SHA256.digest(of: [4])
  private let line = RestatedLine(sequence: 0, values: SHA256.digest(of: [5]))
  private let point = HistoryPoint(lineage: 0, transaction: 9, digest: SHA256.digest(of: [6]))

  /// The records of two erasures of the transaction.
  private var records: Erasures {
    var erasures = Erasures(store: "s", lineage: 0)
    for lines in [first, last] {
      _ = erasures.append(
        ErasureRecord(
          time: "2026-11-23T12:00:00.000001Z",
          transaction: 1,
          operation: .recorded,
          digest: transaction,
          lines: lines
        )
      )
    }
    return erasures
  }

  private let none = Erasures(store: "s", lineage: 0)

  private func found(_ remaining: Digest?, restated: [RestatedLine] = []) -> LineDigests {
    LineDigests(transaction: transaction, remaining: remaining, restated: restated)
  }

  private func fault(
    _ found: LineDigests,
    _ erasures: Erasures,
    acceptsUnfinished: Bool = false,
    after: String = #"{"name":null}"#,
    special: String = #"{"after":{"name":"erased"}}"#
  ) throws -> String? {
    var check = ErasureCheck(erasures, acceptsUnfinished: acceptsUnfinished)
    withChange(after: after, special: special) { check.take($0) }
    return try check.fault(of: found).map(text)
  }

  /// The case and the values of a failure, which has no other way to be compared.
  private func text(_ failure: LogFailure) -> String { String(reflecting: failure) }

  private func withChange(after: String, special: String, _ body: (Change) -> Void) {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    Array("Trip".utf8).withUnsafeBytes { entity in
      Array(after.utf8).withUnsafeBytes { after in
        Array(special.utf8).withUnsafeBytes { special in
          body(
            Change(
              kind: .insert,
              sequence: 0,
              entity: entity,
              object: 7,
              changed: none,
              before: none,
              after: after,
              special: special,
              large: none
            )
          )
        }
      }
    }
  }

  @Test("A transaction without a record must have its original lines.")
  func noRecord() throws {
    #expect(try fault(found(nil), none) == nil)
    #expect(
      try fault(found(first), none)
        == text(.alteredTransaction(found: first, expected: nil, mayBeErased: true))
    )
  }

  @Test("The lines of an erased transaction must be those after its last erasure.")
  func lastErasure() throws {
    #expect(try fault(found(last), records) == nil)
    #expect(
      try fault(found(other), records)
        == text(.alteredTransaction(found: other, expected: last, mayBeErased: false))
    )
  }

  @Test("Lines from before the last erasure are accepted only while an erasure is unfinished.")
  func unfinished() throws {
    for remaining in [nil, first] {
      #expect(try fault(found(remaining), records) == text(.notErased))
      #expect(try fault(found(remaining), records, acceptsUnfinished: true) == nil)
    }
    #expect(
      try fault(found(other), records, acceptsUnfinished: true)
        == text(.alteredTransaction(found: other, expected: last, mayBeErased: false))
    )
  }

  @Test("A transaction with a record but without an erased value is refused.")
  func nothingErased() throws {
    let value = #"{"name":"a"}"#
    #expect(try fault(found(last), records, after: value, special: "") == text(.nothingErased))
    #expect(try fault(found(nil), none, after: value, special: "") == nil)
    let note = #"{"after":{"name":"nan"}}"#
    #expect(try fault(found(last), records, special: note) == text(.nothingErased))
  }

  @Test("A change that has only links has no value that could be erased, so it is accepted.")
  func links() throws {
    for links in ["{}", #"{"tags":[]}"#, #"{"tags":[{"entity":"Tag","id":"1"}]}"#] {
      #expect(try fault(found(last), records, after: links, special: "") == nil, "\(links)")
    }
    let both = #"{"name":"a","tags":[]}"#
    #expect(try fault(found(last), records, after: both, special: "") == text(.nothingErased))
  }

  @Test("The erased values of one transaction do not count for the next one.")
  func nextTransaction() throws {
    var check = ErasureCheck(records, acceptsUnfinished: false)
    withChange(after: #"{"name":null}"#, special: #"{"after":{"name":"erased"}}"#) {
      check.take($0)
    }
    #expect(try check.fault(of: found(last)).map(text) == nil)
    #expect(try check.fault(of: found(last)).map(text) == text(.nothingErased))
  }

  @Test("A later transaction that restates the lines confirms them instead of a record.")
  func restated() throws {
    var erasures = none
    let (transaction, entry) = (transaction, RestatedTransactions.Entry(line: line, by: point))
    erasures.restated = RestatedTransactions(read: { [transaction: [entry]] })
    var check = ErasureCheck(erasures, acceptsUnfinished: false)
    #expect(try check.fault(of: found(other, restated: [line])).map(text) == nil)
    #expect(check.restatedBy == point)
    let altered = RestatedLine(sequence: 0, values: other)
    #expect(
      try check.fault(of: found(other, restated: [altered])).map(text)
        == text(.alteredTransaction(found: other, expected: nil, mayBeErased: true))
    )
    #expect(check.restatedBy == nil)
  }

  @Test("An error of reading the later transactions is reported.")
  func errors() {
    struct Stop: Error {}
    var erasures = records
    erasures.restated = RestatedTransactions(read: { throw Stop() })
    #expect(throws: Stop.self) { try fault(found(last, restated: [line]), erasures) }
    #expect(throws: Never.self) { try fault(found(last), erasures) }
  }

  @Test("An unchecked list of records accepts all lines.")
  func unchecked() throws {
    let header = LogHeader(
      store: "s",
      lineage: 0,
      first: 1,
      previous: other,
      schema: tripSchema
    )
    #expect(try fault(found(other), Erasures(uncheckedIn: header)) == nil)
  }
}
