import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("The members file of a log")
struct LogMembersTests {
  private let entries = [
    LogMembers.Entry(offset: 10, begins: 0, transaction: 3),
    LogMembers.Entry(offset: 20, begins: 7, transaction: 5),
    LogMembers.Entry(offset: 99, begins: 1, transaction: 9),
  ]

  private func withLog(_ body: (_ log: String) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let log = folder.path + "/1-2.ndjson.gz"
      try Data(count: 100).write(to: URL(fileURLWithPath: log))
      try LogMembers.write(entries, size: 100, of: log, temporary: folder.path + "/.temporary")
      try body(log)
    }
  }

  private func read(_ log: String, size: Int64 = 100) -> [LogMembers.Entry]? {
    var result: [LogMembers.Entry] = []
    return LogMembers.readEntries(of: log, size: size) { result.append($0) } ? result : nil
  }

  @Test(
    "A members file is read as it was written; it is removed with its log, or if it has no entries."
  )
  func roundTrip() throws {
    try withLog { log in
      let path = LogMembers.path(of: log)
      #expect(path.hasSuffix("/_1-2.members.ndjson"))
      #expect(read(log) == entries)
      #expect(read(log, size: 101) == nil)
      try LogMembers.write([], size: 100, of: log, temporary: log + ".temporary")
      #expect(!FileManager.default.fileExists(atPath: path) && read(log) == nil)
      try LogMembers.write([], size: 100, of: log, temporary: log + ".temporary")
      try LogMembers.write(entries, size: 100, of: log, temporary: log + ".temporary")
      try removeLog(log)
      for path in [path, log] { #expect(!FileManager.default.fileExists(atPath: path)) }
      #expect(throws: LogError.self) { try removeLog(log) }
    }
  }

  @Test("The entry before a transaction is the last one that closes an earlier transaction.")
  func entryBefore() throws {
    try withLog { log in
      let expected: [(Int64, Int?)] = [
        (3, nil), (4, 0), (5, 0), (6, 1), (9, 1), (10, 2), (.max, 2),
      ]
      for (transaction, place) in expected {
        let entry = LogMembers.entry(before: transaction, in: log, size: 100)
        #expect(entry == place.map { entries[$0] }, "\(transaction)")
      }
      #expect(LogMembers.entry(before: 10, in: log, size: 99) == nil)
    }
  }

  @Test("The parts of a log between entries end at the entries, and the last one at the log's end.")
  func stretchesOfLog() throws {
    try withLog { log in
      #expect(stretches(ofLog: log, range: 1...12) == [1...3, 4...5, 6...9, 10...12])
      #expect(stretches(ofLog: log, range: 4...9) == [4...5, 6...9])
      #expect(stretches(ofLog: log, range: 3...5) == [3...3, 4...5])
      #expect(stretches(ofLog: log + "x", range: 1...12) == [1...12])
    }
  }

  @Test("A members file with any other line, or an entry outside the log, is ignored.")
  func altered() throws {
    try withLog { log in
      let url = URL(fileURLWithPath: LogMembers.path(of: log))
      let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
      for (part, other) in [
        ("\"size\":100", "\"size\":99"), ("members/1", "members/2"),
        ("\"offset\":10,", "\"offset\":0,"),
        ("\"offset\":99", "\"offset\":100"), ("\"begins\":7", "\"begins\":-1"),
        ("\"txn\":5", "\"txn\":x"),
        ("5}\n", "5} \n"), ("5}\n", "5\n"), ("100}\n", "100} \n"), ("100}\n", "100\n"),
      ] {
        let altered = text.replacing(part, with: other)
        #expect(altered != text)
        try Data(altered.utf8).write(to: url)
        #expect(read(log) == nil, "\(other)")
        #expect(stretches(ofLog: log, range: 1...12) == [1...12])
      }
      try Data(text.replacing("\"offset\":10,", with: "\"offset\":1,").utf8).write(to: url)
      #expect(read(log)?.first?.offset == 1)
    }
  }

  @Test("The entry before a transaction has the highest id, in whatever order the entries are.")
  func unordered() throws {
    try withTemporaryFolder { folder in
      let log = folder.path + "/1-2.ndjson.gz"
      for order: [Int64] in [
        [3, 5, 9], [9, 5, 3], [5, 9, 3], [5, 3, 9], [3, 9, 5], [9, 3, 5],
      ] {
        let entries = order.map { LogMembers.Entry(offset: $0, begins: 2 * $0, transaction: $0) }
        try LogMembers.write(entries, size: 100, of: log, temporary: log + ".temporary")
        let cases: [(Int64, Int64?)] = [(3, nil), (4, 3), (6, 5), (9, 5), (10, 9)]
        for (transaction, expected) in cases {
          let entry = LogMembers.entry(before: transaction, in: log, size: 100)
          #expect(entry?.transaction == expected, "\(order) \(transaction)")
        }
      }
      // Of two entries for the same transaction, the first one is used.
      let twice = [
        LogMembers.Entry(offset: 7, begins: 0, transaction: 3),
        LogMembers.Entry(offset: 8, begins: 0, transaction: 3),
      ]
      try LogMembers.write(twice, size: 100, of: log, temporary: log + ".temporary")
      #expect(LogMembers.entry(before: 4, in: log, size: 100) == twice[0])
    }
  }

  @Test("A members file of any length has a line for its size and a line for each entry.")
  func long() throws {
    try withTemporaryFolder { folder in
      let log = folder.path + "/1-2.ndjson.gz"
      for count in [1, 2, 1000, 5000] {
        let entries = (1...Int64(count)).map {
          LogMembers.Entry(offset: $0, begins: $0 % 3, transaction: $0 * 10)
        }
        try LogMembers.write(entries, size: 6000, of: log, temporary: log + ".temporary")
        let lines =
          [#"{"kind":"members","format":"travelog-members/1","size":6000}"#]
          + entries.map {
            #"{"kind":"member","offset":\#($0.offset),"begins":\#($0.begins),"#
              + #""txn":\#($0.transaction)}"#
          }
        let url = URL(fileURLWithPath: LogMembers.path(of: log))
        #expect(try Data(contentsOf: url) == Data((lines.joined(separator: "\n") + "\n").utf8))
        #expect(read(log, size: 6000) == entries)
        #expect(LogMembers.entry(before: .max, in: log, size: 6000) == entries.last)
      }
    }
  }

  @Test("The bytes after the last line of a members file may be 4 KiB, and not one byte more.")
  func bytesAfterLines() throws {
    try withLog { log in
      let url = URL(fileURLWithPath: LogMembers.path(of: log))
      let text = try Data(contentsOf: url)
      for (count, isRight) in [(1, true), (4096, true), (4097, false)] {
        try (text + Data(repeating: 0x61, count: count)).write(to: url)
        #expect(read(log) == (isRight ? entries : nil), "\(count)")
      }
    }
  }

  @Test("A log is removed with its members file; another error than a missing file is reported.")
  func removal() throws {
    try withLog { log in
      let path = LogMembers.path(of: log)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      let error = #expect(throws: LogError.self) { try removeLog(log) }
      #expect(error?.path == path)
      #expect(error?.message == "Can't remove \(path): Is a directory.")
      #expect(FileManager.default.fileExists(atPath: log))
    }
  }
}
