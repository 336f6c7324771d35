import Foundation
import Glibc
import Stopping
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Reading in unusual processes")
struct StoppedReadingTests {
  // Each runs in another process: a stop request and a closed input affect the whole process.

  @Test("A stop request ends the wait for a pipe, and a file is still read to its end.")
  func stopping() async {
    await #expect(processExitsWith: .success) {
      // If the wait does not end, the process does.
      alarm(60)
      func read(_ reader: GzipReader) throws -> Int {
        try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { try reader.read(into: $0) }
      }
      try withGzipFile([Array("a line\n".utf8)]) { reader, _ in
        StopRequest.make()
        try #require(try read(reader) == 7)
      }
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      let reader = try GzipReader(descriptor: ends[0], path: "a pipe")
      let error = #expect(throws: LogError.self) { try read(reader) }
      try #require(error?.path == "a pipe")
    }
  }

  @Test("A program whose standard input is closed reads logs.")
  func closedInput() async {
    await #expect(processExitsWith: .success) {
      try withTemporaryFolder { folder in
        let logs = LogFolder(folder.path + "/logs")
        let log = try writeLog(to: .day("2026-11-23", logs))
        close(STDIN_FILENO)
        let reader = try LogReader(path: log.path)
        try #require(try reader.next()?.digest == log.digest)
      }
    }
  }
}
