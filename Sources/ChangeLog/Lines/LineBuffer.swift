import Glibc

/// Cuts what a reader gives into lines, without copying them.
final class LineBuffer {
  /// No line is longer; a file that says otherwise would fill the memory.
  static let longestLine = 1 << 28

  private let reader: GzipReader
  private let path: String
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private var start = 0
  private var end = 0
  private var isAtEnd = false
  /// The number of the last line, from 1 on.
  private(set) var number = 0

  init(_ reader: GzipReader, path: String) {
    self.reader = reader
    self.path = path
  }

  deinit { memory.deallocate() }

  /// The next line with its line break, which is there until the next one; nil at the end.
  func next() throws -> UnsafeRawBufferPointer? {
    var searched = start
    while true {
      if let base = memory.baseAddress,
        let found = memchr(base + searched, 0x0a, end - searched)
      {
        let length = UnsafeRawPointer(found) - UnsafeRawPointer(base) - start + 1
        let line = UnsafeRawBufferPointer(rebasing: memory[start..<start + length])
        start += length
        number += 1
        return line
      }
      searched = end
      guard !isAtEnd else {
        guard start == end else {
          throw LogError(
            .incomplete,
            "The log \(path) ends in the middle of line \(number + 1); copy it again from where it"
              + " came from.",
            path: path,
            line: number + 1
          )
        }
        return nil
      }
      try fill(&searched)
    }
  }

  private func fill(_ searched: inout Int) throws {
    if start > 0 {
      memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
      end -= start
      searched -= start
      start = 0
    }
    if end == memory.count {
      guard memory.count < Self.longestLine else {
        throw LogError(
          .damaged,
          "Line \(number + 1) of the log \(path) is longer than \(Self.longestLine) bytes, which no"
            + " line of a log is.",
          path: path,
          line: number + 1
        )
      }
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: memory.count * 2,
        alignment: 16
      )
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<end]))
      memory.deallocate()
      memory = larger
    }
    let count = try reader.read(
      into: UnsafeMutableRawBufferPointer(rebasing: memory[end...])
    )
    if count == 0 { isAtEnd = true }
    end += count
  }
}
