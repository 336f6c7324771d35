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
}
