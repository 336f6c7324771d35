import Changes
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Reading one transaction of a log for a proof")
struct LogProvingTests {
  @Test("The lines of a transaction are read without their line breaks, and with their number.")
  func lines() throws {
    try withTemporaryFolder { folder in
      let (path, digest) = try writeLog(to: .day("2026-11-23", LogFolder(folder.path)))
      var lines: [String] = []
      let transaction = try LogReader(path: path).lines(of: 1) { line, count in
        lines.append(String(decoding: line, as: UTF8.self))
        #expect(count == 1)
      }
      #expect(transaction?.id == 1 && transaction?.digest == digest && transaction?.count == 1)
      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix(#"{"kind":"change","txn":1,"seq":0,"n":1,"#) == true)
      #expect(lines.first?.hasSuffix("}") == true)
    }
  }

  @Test("A transaction that the log does not contain is not found, and its lines are not read.")
  func missing() throws {
    try withTemporaryFolder { folder in
      let (path, _) = try writeLog(to: .day("2026-11-23", LogFolder(folder.path)))
      for id: Int64 in [0, 2, 11] {
        #expect(try LogReader(path: path).skip(through: id) == nil)
        let found = try LogReader(path: path).lines(of: id) { _, _ in
          Issue.record("Transaction \(id) has no line.")
        }
        #expect(found == nil)
      }
    }
  }

  @Test("A skipped transaction is returned with its digest, and nothing follows the last one.")
  func skipping() throws {
    try withTemporaryFolder { folder in
      let (path, digest) = try writeLog(to: .day("2026-11-23", LogFolder(folder.path)))
      let reader = try LogReader(path: path)
      let transaction = try reader.skip(through: 1)
      #expect(transaction?.digest == digest && transaction?.time == "2026-11-23T12:00:00.000001Z")
      #expect(try reader.skip(through: 1) == nil)
    }
  }
}
