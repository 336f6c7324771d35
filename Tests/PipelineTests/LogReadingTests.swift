import ChangeLog
import Changes
import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite("Reading a range of a log with its members file")
struct LogReadingTests {
  /// Rewrites a log with one gzip member for each line, and can replace a text in the lines.
  private func divide(_ log: String, in folder: LogFolder, altering text: String) throws {
    let reader = try LogReader(path: log)
    let writer = try LogWriter(.replacing(log, folder), header: reader.header, memberSize: 1)
    func copy(_ line: UnsafeRawBufferPointer) throws {
      let changed = String(decoding: line, as: UTF8.self)
        .replacing(text, with: String(text.reversed()))
      try Array(changed.utf8).withUnsafeBytes { try writer.append(lines: $0, changes: 1) }
    }
    while let transaction = try reader.next(copy: copy) {
      try writer.close(transaction, lines: TransactionLines(transaction))
    }
    _ = try writer.finish()
  }

  /// What the closures of one call received, and what the call returned.
  private struct Reading {
    var opened = 0
    var changes: [Int64] = []
    var transactions: [Int64] = []
    var last: Int64?
    var error: LogError?
  }

  /// Reads a range; the first log is opened first, and the second log whenever a log is opened again.
  private func read(
    _ range: ClosedRange<Int64>,
    of logs: [String],
    toEnd: Bool = false,
    refusing: (change: Int64, transaction: Int64) = (0, 0)
  ) throws -> Reading {
    var result = Reading()
    let refusal = ChainFailure.notAFolder.at("refused")
    do {
      result.last =
        try readLog(
          range,
          toEnd: toEnd,
          open: {
            result.opened += 1
            return try LogReader(path: logs[result.opened == 1 ? 0 : 1])
          },
          wants: { _ in true },
          change: { _, transaction in
            result.changes.append(transaction.id)
            if transaction.id == refusing.change { throw refusal }
          },
          transaction: {
            result.transactions.append($0.id)
            if $0.id == refusing.transaction { throw refusal }
          }
        ).1?.id
    } catch let error as LogError {
      result.error = error
    }
    return result
  }

  /// Calls `body` with the paths of two logs of eight transactions with one change each.
  ///
  /// Transaction 6 of the first log was altered.
  private func withLogs(_ body: (_ damaged: String, _ sound: String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "reading a log again")
      for id in 1...8 as ClosedRange<Int64> { try world.insertGuest(id, note: "note\(id)") }
      let other = LogFolder(folder.path + "/damaged")
      try other.create()
      try world.export()
      try startLogs(of: world.path, in: other)
      let store = world.source.identifier
      let sound = try #require(try world.logs.files(of: store, lineage: 0).first).path
      let damaged = try #require(try other.files(of: store, lineage: 0).first).path
      try divide(sound, in: world.logs, altering: "note6\u{0}")
      try divide(damaged, in: other, altering: "note6")
      try body(damaged, sound)
    }
  }

  @Test("After an error inside a log, the whole log is read, and nothing is given twice.")
  func again() throws {
    try withLogs { damaged, sound in
      for first in 2...8 as ClosedRange<Int64> {
        for last in first...8 {
          for toEnd in [false, true] {
            let reading = try read(first...last, of: [damaged, sound], toEnd: toEnd)
            let name = "\(first)...\(last), \(toEnd)"
            #expect(reading.error == nil, "\(name)")
            #expect(reading.changes == Array(first...last), "\(name)")
            #expect(reading.transactions == Array(first...last), "\(name)")
            #expect(reading.last == (toEnd ? 8 : last), "\(name)")
            // Reading begins after the last transaction before the range.
            let meetsDamage = first <= 6 && (toEnd || last >= 6)
            #expect(reading.opened == (meetsDamage ? 2 : 1), "\(name)")
          }
        }
      }
    }
  }

  @Test("An error from the beginning of a log, or in both readings, is reported.")
  func errors() throws {
    try withLogs { damaged, sound in
      let first = try read(1...8, of: [damaged, sound])
      #expect(first.opened == 1 && first.error?.transaction == 6)
      #expect(first.transactions == [1, 2, 3, 4, 5] && first.changes == [1, 2, 3, 4, 5, 6])
      let both = try read(3...8, of: [damaged, damaged])
      #expect(both.opened == 2 && both.error?.transaction == 6 && both.error?.code == .damaged)
      #expect(both.transactions == [3, 4, 5] && both.changes == [3, 4, 5, 6])
    }
  }

  @Test("An error of the caller is thrown at once, and the log is not read again.")
  func refusals() throws {
    try withLogs { damaged, sound in
      for id in 3...5 as ClosedRange<Int64> {
        let change = try read(3...8, of: [damaged, sound], refusing: (id, 0))
        #expect(change.opened == 1 && change.error?.path == "refused", "\(id)")
        #expect(change.changes == Array(3...id) && change.transactions == Array(3..<id), "\(id)")
        let transaction = try read(3...8, of: [damaged, sound], refusing: (0, id))
        #expect(transaction.opened == 1 && transaction.error?.path == "refused", "\(id)")
        #expect(transaction.changes == Array(3...id), "\(id)")
        #expect(transaction.transactions == Array(3...id), "\(id)")
      }
    }
  }
}
