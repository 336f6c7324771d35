import Changes
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("A log from a stream, while it is written to a file")
struct SpooledLogTests {
  private let size = LogWriter.memberSize

  private func header(first: Int64 = 7, isWithinLineage: Bool = true) -> LogHeader {
    LogHeader(
      store: writtenStore,
      lineage: 0,
      first: first,
      previous: isWithinLineage
        ? SHA256.digest(of: [1]) : TransactionDigest.beginning(ofStore: writtenStore, lineage: 0),
      schema: tripSchema
    )
  }

  /// The place of a log with these lines in its folder, relative to the folder of its lineage.
  private func place(_ lines: [String], _ header: LogHeader) throws -> String {
    try withTemporaryFolder { folder in
      let log = try SpooledLog(header, path: folder.path + "/.spooled")
      for line in lines { try Array((line + "\n").utf8).withUnsafeBytes { try log.append($0) } }
      let logs = LogFolder(folder.path)
      let place = try log.finish(in: logs)
      #expect(try gunzipLines(place) == lines.map { Array(($0 + "\n").utf8) })
      let lineage = logs.lineageFolder(writtenStore, lineage: 0) + "/"
      #expect(place.hasPrefix(lineage))
      return String(place.dropFirst(lineage.count))
    }
  }

  private func day(_ day: String, _ range: ClosedRange<Int64>) -> String {
    "date=\(day)/\(padded(range.lowerBound))-\(padded(range.upperBound)).ndjson.gz"
  }

  @Test("A gzip member ends as soon as it has the size of a member, and not before.")
  func members() throws {
    for counts in [
      [size], [size - 1], [size + 1], [size - 1, 1, 1], [size - 1, 1], [size - 2, 1, 1, 1],
      [1, size - 2, 5, 1], [size, size, 3],
    ] {
      try withTemporaryFolder { folder in
        let path = folder.path + "/.spooled"
        let log = try SpooledLog(header(), path: path)
        var expected: [UInt8] = []
        var block: [UInt8] = []
        for (number, count) in counts.enumerated() {
          let line = [UInt8](repeating: 0x61 + UInt8(number), count: count)
          try line.withUnsafeBytes { try log.append($0) }
          block += line
          guard block.count >= size else { continue }
          expected += try gzipMember(of: block, level: 1, path: path)
          block = []
        }
        if !block.isEmpty { expected += try gzipMember(of: block, level: 1, path: path) }
        let place = try log.finish(in: LogFolder(folder.path))
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: place))) == expected, "\(counts)")
      }
    }
  }

  @Test("At most two blocks of a log wait for compression; the blocks before them are in the file.")
  func waiting() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/.spooled"
      let log = try SpooledLog(header(), path: path)
      let line = [UInt8](repeating: 0x61, count: size)
      let member = try gzipMember(of: line, level: 1, path: path).count
      for count in 1...6 {
        try line.withUnsafeBytes { try log.append($0) }
        #expect(ChangeLog.size(of: path) == Int64(member * max(0, count - 2)), "\(count)")
      }
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? NSNumber == 0o600)
    }
  }

  @Test("A log is named after the day of its first transaction and the id of its last one.")
  func names() throws {
    func closing(_ id: Int64, _ day: String) -> String {
      #"{"kind":"transaction","txn":\#(id),"n":0,"ts":"\#(day)T12:00:00Z","op":"recorded"}"#
    }
    let header = header()
    #expect(try place([closing(7, "2026-11-23")], header) == day("2026-11-23", 7...7))
    #expect(
      try place([closing(7, "2026-11-23"), closing(12, "2026-11-24")], header)
        == day("2026-11-23", 7...12)
    )
    // The lines of changes are not read.
    let change = #"{"kind":"change","txn":50,"ts":"2026-01-01T00:00:00Z"}"#
    #expect(try place([change], header) == day("none", 7...7))
    let omitted = #"{"kind":"omitted","txn":9,"digest":""}"#
    #expect(try place([omitted], header) == day("none", 7...9))
    #expect(
      try place([omitted, closing(10, "2026-11-24")], header) == day("2026-11-24", 7...10)
    )
    // An id that is lower than the first one, or not a number, is not used.
    #expect(try place([closing(3, "2026-11-23")], header) == day("2026-11-23", 7...7))
    let text = #"{"kind":"transaction","txn":"8","ts":"2026-11-23T12:00:00Z"}"#
    #expect(try place([text], header) == day("2026-11-23", 7...7))
  }

  @Test("Only the first transaction of a log inside a lineage makes the log a snapshot.")
  func snapshots() throws {
    func closing(_ id: Int64, _ operation: String = "snapshot") -> String {
      #"{"kind":"transaction","txn":\#(id),"ts":"2026-11-23T12:00:00Z","op":"\#(operation)"}"#
    }
    let snapshot = "snapshots/\(padded(7)).ndjson.gz"
    #expect(try place([closing(7)], header()) == snapshot)
    #expect(try place([closing(7, "snapshots")], header()) == day("2026-11-23", 7...7))
    #expect(try place([closing(7, "recorded")], header()) == day("2026-11-23", 7...7))
    #expect(try place([closing(8)], header()) == day("2026-11-23", 7...8))
    #expect(
      try place([closing(7, "recorded"), closing(8)], header()) == day("2026-11-23", 7...8)
    )
    #expect(try place([closing(7)], header(isWithinLineage: false)) == day("2026-11-23", 7...7))
  }

  @Test("The kind of a transaction is searched for in the first 400 bytes of its closing line.")
  func searchedBytes() throws {
    let start = #"{"kind":"transaction","txn":7,"ts":"2026-11-23T12:00:00Z","author":""#
    let end = #"","op":"snapshot""#
    for count in [399, 400, 401, 500] {
      let author = String(repeating: "a", count: count - start.utf8.count - end.utf8.count)
      let expected =
        count <= 400 ? "snapshots/\(padded(7)).ndjson.gz" : day("2026-11-23", 7...7)
      #expect(try place([start + author + end + "}"], header()) == expected, "\(count)")
    }
  }

  @Test("Only its owner can read the file of a log, before and after its end.")
  func permissions() throws {
    func mode(_ path: String) throws -> NSNumber? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    }
    try withTemporaryFolder { folder in
      let path = folder.path + "/.spooled"
      let log = try SpooledLog(header(), path: path)
      #expect(try mode(path) == 0o600)
      #expect(try mode(try log.finish(in: LogFolder(folder.path))) == 0o600)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
