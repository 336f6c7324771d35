/// The running checksum of a write-ahead log, which covers all bytes from the log's beginning.
package struct LogChecksum: Hashable, Sendable {
  package let isBigEndian: Bool
  package private(set) var first: UInt32
  package private(set) var second: UInt32

  package init(isBigEndian: Bool, first: UInt32 = 0, second: UInt32 = 0) {
    self.isBigEndian = isBigEndian
    self.first = first
    self.second = second
  }

  /// Adds bytes whose number is a multiple of eight.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    var (first, second) = (first, second)
    if isBigEndian {
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        first &+= start.uint32(at: offset) &+ second
        second &+= start.uint32(at: offset + 4) &+ first
      }
    } else {
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        let words = start.uint64(at: offset).byteSwapped
        first &+= UInt32(truncatingIfNeeded: words) &+ second
        second &+= UInt32(truncatingIfNeeded: words >> 32) &+ first
      }
    }
    (self.first, self.second) = (first, second)
  }
}
