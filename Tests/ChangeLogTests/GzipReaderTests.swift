import Foundation
import Glibc
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Files that are read as gzip members")
struct GzipReaderTests {
  /// The content of a file with a name, read in parts of a size.
  private func read(_ bytes: [UInt8], name: String, parts: Int = 1000) throws -> [UInt8] {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent(name)
      try Data(bytes).write(to: url)
      let file = try FileHandle(forReadingFrom: url)
      defer { withExtendedLifetime(file) {} }
      let reader = try GzipReader(descriptor: file.fileDescriptor, path: name)
      var result: [UInt8] = []
      var part = [UInt8](repeating: 0, count: parts)
      while true {
        // A file also ends if an earlier call of the system was interrupted.
        errno = EINTR
        let count = try part.withUnsafeMutableBytes { try reader.read(into: $0) }
        guard count > 0 else {
          #expect(reader.isFinished && reader.bytesRead == Int64(bytes.count))
          return result
        }
        result += part[..<count]
      }
    }
  }

  @Test("The contents of all members of a file are read in order, in parts of any size.")
  func members() throws {
    let blocks: [[UInt8]] = [[1], [], [2, 3], [UInt8](repeating: 4, count: 3000), [5]]
    let file = try blocks.flatMap { try gzipMember(of: $0, path: "a") }
    for parts in [1, 2, 3, 999, 3004, 3005, 4000] {
      #expect(try read(file, name: "a", parts: parts) == Array(blocks.joined()), "\(parts)")
    }
    let empty = try gzipMember(of: [], path: "a")
    #expect(try read(empty, name: "a") == [])
  }

  @Test("The error of a file that is not a log depends on its name and its first bytes.")
  func otherFiles() throws {
    let member = try gzipMember(of: Array("a line\n".utf8), path: "a")
    let database = Array("SQLite format 3\0".utf8)
    let isNotCompressed = "a is not a log: it is not compressed with gzip."
    let cases: [(bytes: [UInt8], name: String, code: LogError.Code, message: String)] = [
      ([], "a", .notALog, "a is empty, so it is not a log."),
      ([], "a.ndjson.gz", .incomplete, "The log a.ndjson.gz is empty."),
      (database, "a", .notALog, "a is a SQLite database, not a log."),
      (Array(database.dropLast()), "a", .notALog, "a is a SQLite database, not a log."),
      (database, "a.ndjson.gz", .notALog, "a.ndjson.gz is a SQLite database, not a log."),
      (Array(database.dropLast(2)), "a", .notALog, isNotCompressed),
      (Array("text\n".utf8), "a", .notALog, isNotCompressed),
      (
        Array("text\n".utf8), "a.ndjson.gz", .damaged,
        "The log a.ndjson.gz can't be decompressed: incorrect header check."
      ),
      ([0x1f, 0x8c, 8, 0], "a", .notALog, isNotCompressed),
      ([0x1e, 0x8b, 8, 0], "a", .notALog, isNotCompressed),
      ([0x1f], "a", .incomplete, "The log a is cut off in the middle."),
      ([0x1f, 0x8b], "a", .incomplete, "The log a is cut off in the middle."),
      (
        [0x1f, 0x8b, 9, 0], "a", .damaged,
        "The log a can't be decompressed: unknown compression method."
      ),
      (member.dropLast(), "a", .incomplete, "The log a is cut off in the middle."),
    ]
    for example in cases {
      let error = #expect(throws: LogError.self) {
        try read(Array(example.bytes), name: example.name)
      }
      #expect(error?.code == example.code, "\(example)")
      #expect(error?.message.hasPrefix(example.message) == true, "\(error?.message ?? "")")
    }
  }

  @Test("The members before a damaged one are read first, whatever follows them.")
  func damageAfterMembers() throws {
    let member = try gzipMember(of: Array("a line\n".utf8), path: "a")
    for rest in [[0x1f], Array(member.dropLast()), Array("text\n".utf8), [0]] as [[UInt8]] {
      try withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("a")
        try Data(member + member + rest).write(to: url)
        let file = try FileHandle(forReadingFrom: url)
        defer { withExtendedLifetime(file) {} }
        let reader = try GzipReader(descriptor: file.fileDescriptor, path: "a")
        var part = [UInt8](repeating: 0, count: 2_000_000)
        let count = try part.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(String(decoding: part[..<count], as: UTF8.self).hasPrefix("a line\na line\n"))
        #expect(!reader.isFinished)
        for _ in 0..<2 {
          #expect(throws: LogError.self) {
            try part.withUnsafeMutableBytes { try reader.read(into: $0) }
          }
        }
      }
    }
  }

  @Test("At first, only 512 KiB of a file are read, and the reader is not finished until its end.")
  func firstRead() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a")
      let text = [UInt8](repeating: 7, count: 900_000)
      let bytes = try gzipMember(of: text, level: 0, path: "a")
      try Data(bytes).write(to: url)
      let file = try FileHandle(forReadingFrom: url)
      defer { withExtendedLifetime(file) {} }
      let reader = try GzipReader(descriptor: file.fileDescriptor, path: "a")
      #expect(!reader.isFinished && !reader.isEmpty && reader.bytesRead == 0)
      var part = [UInt8](repeating: 0, count: text.count)
      let first = try part.withUnsafeMutableBytes {
        try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<10]))
      }
      #expect(first == 10 && reader.bytesRead == 524_288 && !reader.isFinished)
      let rest = try part.withUnsafeMutableBytes { try reader.read(into: $0) }
      #expect(rest == text.count - 10 && part.prefix(rest) == text.prefix(rest))
      #expect(reader.bytesRead == Int64(bytes.count) && reader.isFinished)
      for _ in 0..<2 { #expect(try part.withUnsafeMutableBytes { try reader.read(into: $0) } == 0) }
    }
  }
}
