import Format
import Foundation
import Testing

@testable import ChangeLog

@Suite("Lines of a log file")
struct LineBufferTests {
  /// The lines that a buffer returns until it ends or fails.
  private func read(
    _ blocks: [[UInt8]],
    makesDigests: Bool
  ) throws -> (lines: [[UInt8]], error: LogError?) {
    try withGzipFile(blocks) { reader, path in
      let buffer = LineBuffer(reader, path: path)
      defer { buffer.finish() }
      var lines: [[UInt8]] = []
      do {
        while let line = try buffer.next() {
          lines.append(Array(line))
          #expect(buffer.number == lines.count)
          if makesDigests, lines.count == 1 { try buffer.begin(after: SHA256.digest(of: [])) }
        }
      } catch let error as LogError {
        return (lines, error)
      }
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64
      #expect(buffer.bytesRead == size)
      return (lines, nil)
    }
  }

  @Test("Every text of up to six letters and line breaks is split into its lines.")
  func smallTexts() throws {
    for length in 0...6 {
      for bits in 0..<1 << length {
        let text: [UInt8] = (0..<length).map { bits >> $0 & 1 == 0 ? 0x61 : 0x0a }
        let (whole, rest) = lines(of: text)
        let found = try read(text.map { [$0] } + [[]], makesDigests: bits % 2 == 0)
        #expect(found.lines == whole, "\(text)")
        let code: LogError.Code? = rest.isEmpty ? nil : whole.isEmpty ? .notALog : .incomplete
        #expect(found.error?.code == code, "\(text)")
      }
    }
  }

  @Test(
    "Lines are the same wherever a buffer ends, whether or not other threads compute the digests.",
    arguments: [false, true]
  )
  func everySplit(_ makesDigests: Bool) throws {
    let small = Array("ab\n\nc\nd".utf8)
    let text = Array("first\n".utf8) + padding + small + padding + small + [0x0a]
    let expected = lines(of: text).whole
    let first = 6 + padding.count
    let second = first + small.count + padding.count
    for split in 0...small.count {
      let found = try read(
        [
          Array(text[..<(first + split)]), Array(text[(first + split)..<(second + split)]),
          Array(text[(second + split)...]),
        ],
        makesDigests: makesDigests
      )
      #expect(found.lines == expected && found.error == nil, "split after \(split)")
    }
  }

  @Test(
    "A line that is longer than a buffer is read, and so are the lines after it.",
    arguments: [false, true]
  )
  func longLine(_ makesDigests: Bool) throws {
    let long = [UInt8](repeating: 0x61, count: Piece.largestRoom + 10)
    let text = Array("first\n".utf8) + long + Array("\nnext\nlast\n".utf8)
    let found = try read([text], makesDigests: makesDigests)
    #expect(found.lines == lines(of: text).whole)
    #expect(found.error == nil)
  }

  @Test(
    "A log that ends in the middle of a line is incomplete, and the error has the line's number."
  )
  func cut() throws {
    let found = try read([Array("one\ntwo\nthr".utf8)], makesDigests: false)
    #expect(found.lines.count == 2)
    #expect(found.error?.code == .incomplete)
    #expect(found.error?.line == 3)
  }

  @Test("A line may have 32 MiB with its line break, and a longer line is refused.")
  func longestLine() throws {
    let limit = 33_554_432
    #expect(LineBuffer.longestLine == limit)
    for count in [limit - 1, limit] {
      let line = [UInt8](repeating: 0x61, count: count)
      let found = try read([Array("first\n".utf8) + line + [0x0a]], makesDigests: false)
      if count < limit {
        #expect(found.error == nil && found.lines.count == 2 && found.lines[1] == line + [0x0a])
      } else {
        #expect(found.lines.count == 1)
        #expect(found.error?.code == .damaged && found.error?.line == 2)
      }
    }
  }
}
