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
}
