import Changes
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ChangeLog

@Suite("The transactions that confirm erased values")
struct RestatedTransactionsTests {
  private let erased = SHA256.digest(of: [0])

  private func line(_ sequence: Int64, _ values: UInt8 = 1) -> RestatedLine {
    RestatedLine(sequence: sequence, values: SHA256.digest(of: [values]))
  }

  private func point(_ transaction: Int64, lineage: Int64 = 0) -> HistoryPoint {
    HistoryPoint(
      lineage: lineage,
      transaction: transaction,
      digest: SHA256.digest(of: [UInt8(transaction), UInt8(lineage)])
    )
  }

  private func list(_ entries: [(RestatedLine, HistoryPoint)]) -> RestatedTransactions {
    let entries = entries.map { RestatedTransactions.Entry(line: $0.0, by: $0.1) }
    let erased = erased
    return RestatedTransactions(read: { [erased: entries] })
  }

  @Test("The last of the transactions that confirm the lines confirms the erased transaction.")
  func last() throws {
    let list = list([
      (line(0), point(5)), (line(3), point(9)), (line(7), point(1, lineage: 1)),
      (line(8), point(20)),
    ])
    #expect(try list.restating(erased, as: [line(0)]) == point(5))
    #expect(try list.restating(erased, as: [line(3), line(8)]) == point(20))
    #expect(try list.restating(erased, as: [line(0), line(3)]) == point(9))
    let all = [line(0), line(3), line(7), line(8)]
    #expect(try list.restating(erased, as: all) == point(1, lineage: 1))
  }

  @Test("An erased transaction is not confirmed if one of its lines is not confirmed.")
  func missing() throws {
    let list = list([(line(0), point(5)), (line(3), point(9))])
    #expect(try list.restating(erased, as: [line(0), line(1), line(3)]) == nil)
    #expect(try list.restating(erased, as: [line(0), line(3, 2)]) == nil)
    #expect(try list.restating(erased, as: [line(0), line(3), line(4)]) == nil)
    #expect(try list.restating(erased, as: [line(0), line(0)]) == nil)
    #expect(try list.restating(erased, as: []) == nil)
    #expect(try list.restating(SHA256.digest(of: [1]), as: [line(0)]) == nil)
  }

  @Test("If several erasures restate a line, the one with the values of the line confirms it.")
  func severalErasures() throws {
    let list = list([(line(0, 1), point(5)), (line(0, 2), point(6)), (line(2, 1), point(5))])
    #expect(try list.restating(erased, as: [line(0, 1)]) == point(5))
    #expect(try list.restating(erased, as: [line(0, 2)]) == point(6))
    #expect(try list.restating(erased, as: [line(0, 2), line(2, 1)]) == point(6))
    #expect(try list.restating(erased, as: [line(0, 3)]) == nil)
  }

  @Test("The logs are read once, when a transaction is looked up for the first time.")
  func reading() throws {
    let count = Mutex(0)
    let list = RestatedTransactions(read: {
      count.withLock { $0 += 1 }
      return [:]
    })
    #expect(count.withLock { $0 } == 0)
    for _ in 0..<3 { #expect(try list.restating(erased, as: [line(0)]) == nil) }
    #expect(count.withLock { $0 } == 1)
  }

  @Test("An error of the first look-up is reported, and the next look-up reads the logs again.")
  func errors() throws {
    struct Stop: Error {}
    let fails = Mutex(true)
    let (erased, entry) = (erased, RestatedTransactions.Entry(line: line(0), by: point(5)))
    let list = RestatedTransactions(read: {
      if fails.withLock({ $0 }) { throw Stop() }
      return [erased: [entry]]
    })
    #expect(throws: Stop.self) { try list.restating(erased, as: [line(0)]) }
    fails.withLock { $0 = false }
    #expect(try list.restating(erased, as: [line(0)]) == point(5))
  }

  @Test("A log without erasures confirms nothing, and neither does a damaged or a missing log.")
  func files() throws {
    try withTemporaryFolder { folder in
      let (path, digest) = try writeLog(to: .day("2026-11-23", LogFolder(folder.path)))
      let damaged = folder.path + "/damaged"
      try Data("x".utf8).write(to: URL(fileURLWithPath: damaged))
      let list = RestatedTransactions { [damaged, path, folder.path + "/missing"] }
      #expect(try list.restating(digest, as: [line(0)]) == nil)
      let all = RestatedTransactions(LogFolder(folder.path), store: writtenStore)
      #expect(try all.restating(digest, as: [line(0)]) == nil)
    }
  }

  /// Writes a log of one transaction, which records an erasure, and returns its point.
  private func writeErasure(_ lines: [RestatedLine], to folder: LogFolder) throws -> HistoryPoint {
    let previous = TransactionDigest.beginning(ofStore: writtenStore, lineage: 1)
    let header = LogHeader(
      store: writtenStore,
      lineage: 1,
      first: 1,
      previous: previous,
      schema: tripSchema
    )
    let writer = try LogWriter(.day("2026-11-24", folder), header: header)
    let restatement = Restatement(
      lineage: 0,
      transaction: 1,
      operation: .recorded,
      digest: erased,
      lines: lines
    )
    var transaction = Transaction(
      id: 1,
      time: "2026-11-24T12:00:00.000001Z",
      operation: .erase,
      schema: SHA256.digest(of: Array(try tripSchema.json().utf8)).description,
      count: 0,
      details: ErasureDetails(
        of: ObjectName("Person", id: 1),
        properties: [],
        restatements: [restatement]
      ).json
    )
    let digest = TransactionDigest(transaction, after: previous)
    let closed = try digest.close(TransactionLines(transaction)).transaction
    transaction.digest = closed
    try writer.close(transaction, lines: TransactionLines(transaction))
    _ = try writer.finish()
    return HistoryPoint(lineage: 1, transaction: 1, digest: closed)
  }

  @Test("The erasures in the logs of all lineages of a store confirm lines, and no other store's.")
  func folder() throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      try writeLog(to: .day("2026-11-23", logs))
      let point = try writeErasure([line(0), line(3)], to: logs)
      let list = RestatedTransactions(logs, store: writtenStore)
      #expect(try list.restating(erased, as: [line(0), line(3)]) == point)
      #expect(try list.restating(erased, as: [line(0), line(3, 2)]) == nil)
      let other = RestatedTransactions(logs, store: "22222222-2222-3333-4444-555555555555")
      #expect(try other.restating(erased, as: [line(0)]) == nil)
    }
  }

  @Test("If two transactions have the same number, the one that confirms the later line is used.")
  func equalNumbers() throws {
    let other = HistoryPoint(lineage: 0, transaction: 5, digest: SHA256.digest(of: [99]))
    let list = list([(line(0), point(5)), (line(3), other)])
    #expect(try list.restating(erased, as: [line(0), line(3)]) == other)
    #expect(try list.restating(erased, as: [line(0)]) == point(5))
  }
}
