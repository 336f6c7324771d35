import Format
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Files that are not logs")
struct DatabaseTests {
  private func error(reading path: String) throws -> LogError? {
    #expect(throws: LogError.self) {
      let reader = try LogReader(path: path)
      while try reader.next() != nil {}
    }
  }

  @Test("The error of a file that is not a log says whether the file is a SQLite database.")
  func database() throws {
    try withTemporaryFolder { folder in
      let store = folder.appendingPathComponent("a.store").path
      let header = Data("SQLite format 3\0".utf8)
      try (header + Data(count: 4096)).write(to: URL(fileURLWithPath: store))
      let database = try error(reading: store)
      #expect(database?.code == .notALog)
      #expect(database?.message == "\(store) is a SQLite database, not a log.")
      let text = folder.appendingPathComponent("a.txt")
      try Data("SQLite format".utf8).write(to: text)
      #expect(try error(reading: text.path)?.message.contains("not compressed") == true)
    }
  }
}
