import Pages

/// A write-ahead log with the right checksums in its header and in each frame, and the salts of the
/// header in each frame.
package func withChecksums(_ log: [UInt8]) -> [UInt8] {
  guard log.count >= 32 else { return log }
  var log = log
  var sum = LogChecksum(isBigEndian: log[3] & 1 == 1)
  func write(at offset: Int) {
    for (place, number) in [(offset, sum.first), (offset + 4, sum.second)] {
      withUnsafeBytes(of: number.bigEndian) { log.replaceSubrange(place..<place + 4, with: $0) }
    }
  }
  log[..<24].withUnsafeBytes { sum.add($0) }
  write(at: 24)
  let frameSize = 24 + log[8..<12].reduce(0) { $0 << 8 | Int($1) }
  guard frameSize % 8 == 0, frameSize > 24 else { return log }
  for frame in stride(from: 32, through: log.count - frameSize, by: frameSize) {
    log.replaceSubrange(frame + 8..<frame + 16, with: log[16..<24])
    log[frame..<frame + 8].withUnsafeBytes { sum.add($0) }
    log[frame + 24..<frame + frameSize].withUnsafeBytes { sum.add($0) }
    write(at: frame + 16)
  }
  return log
}
