import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("Compression with zlib")
struct ZlibCompressorTests {
  @Test("Each level from 0 to 9 makes members that are read as the bytes they were made from.")
  func levels() throws {
    let blocks = [[], Array("a line\n".utf8), (0..<100_000).map { UInt8($0 % 250) }]
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("test.gz")
      for level in 0...9 {
        let compressor = try ZlibCompressor(level: level, path: url.path)
        try Data(blocks.flatMap { try compressor.member(of: $0) }).write(to: url)
        let file = try FileHandle(forReadingFrom: url)
        let reader = try GzipReader(descriptor: file.fileDescriptor, path: url.path)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 10_000)
        while true {
          let count = try piece.withUnsafeMutableBytes { try reader.read(into: $0) }
          if count == 0 { break }
          bytes += piece.prefix(count)
        }
        #expect(bytes == blocks.flatMap(\.self), "level \(level)")
      }
    }
  }

  @Test("A level below 0 or above 9 is refused.", arguments: [-1, 10])
  func otherLevels(_ level: Int) {
    let error = #expect(throws: LogError.self) { try ZlibCompressor(level: level, path: "a.gz") }
    #expect(error?.path == "a.gz" && error?.message.contains("0 to 9") == true)
  }
}
