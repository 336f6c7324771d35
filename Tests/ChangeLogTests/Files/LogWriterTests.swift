import Format
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Writing a log")
struct LogWriterTests {
  private func header(first: Int64 = 1) -> LogHeader {
    LogHeader(
      store: writtenStore,
      lineage: 0,
      first: first,
      previous: TransactionDigest.beginning(ofStore: writtenStore, lineage: 0),
      schema: tripSchema
    )
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test("The line of a change may have 32 MiB, and not one byte more.")
  func longestLine() throws {
    try withTemporaryFolder { folder in
      let day = LogDestination.day("2026-11-23", LogFolder(folder.path))
      func length(_ log: (path: String, digest: Digest)) throws -> Int {
        try gunzipLines(log.path)[1].count
      }
      let limit = 33_554_432
      let name = try String(repeating: "a", count: limit - length(writeLog(to: day)) + 1)
      let longest = try writeLog(to: day, first: 2, name: name)
      #expect(try length(longest) == limit)
      let error = #expect(throws: LogError.self) {
        try writeLog(to: day, first: 3, name: name + "a")
      }
      #expect(error?.code == .lineTooLong && error?.transaction == 3)
    }
  }

  @Test("A log that exists is not written again unless it is replaced, and nothing else is left.")
  func existing() throws {
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let (path, _) = try writeLog(to: .day("2026-11-23", logs))
      let before = try bytes(path)
      let error = #expect(throws: LogError.self) {
        try writeLog(to: .day("2026-11-23", logs), name: "other")
      }
      #expect(error?.code == .exists && error?.path == path)
      #expect(try bytes(path) == before)
      let lineage = logs.lineageFolder(writtenStore, lineage: 0)
      #expect(try names(in: lineage) == ["date=2026-11-23"])
      let replaced = try writeLog(to: .replacing(path, logs), name: "other")
      #expect(try replaced.path == path && bytes(path) != before)
      #expect(try names(in: lineage) == ["date=2026-11-23"])
    }
  }

  @Test("If the step before the renaming fails, no log and no temporary file is left.")
  func failedStep() throws {
    struct Stopped: Error {}
    try withTemporaryFolder { folder in
      let logs = LogFolder(folder.path)
      let writer = try LogWriter(.day("2026-11-23", logs), header: header())
      #expect(throws: Stopped.self) { try writer.finish { throw Stopped() } }
      let lineage = logs.lineageFolder(writtenStore, lineage: 0)
      #expect(try names(in: lineage) == ["date=2026-11-23"])
      #expect(try names(in: lineage + "/date=2026-11-23") == [])
    }
  }

  @Test("A finished writer that is released leaves the file of the next writer alone.")
  func nextWriter() throws {
    try withTemporaryFolder { folder in
      let destination = LogDestination.day("2026-11-23", LogFolder(folder.path))
      var finished: LogWriter? = try LogWriter(destination, header: header())
      _ = try finished?.finish()
      let next = try LogWriter(destination, header: header(first: 2))
      finished = nil
      let path = try next.finish()
      #expect(try gunzipLines(path).count == 2)
      #expect(path.hasSuffix("/\(padded(2))-\(padded(2)).ndjson.gz"))
    }
  }
}
