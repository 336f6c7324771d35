import ChangeLog
import Format
import Store

/// Reads a log twice: as it is, and with corrected digests, so that the code after the comparison
/// of digests is reached too.
func fuzzLog(_ bytes: [UInt8]) throws {
  let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let lines = Array(parts[0])
  let records = try MemoryFile(parts.count > 1 ? Array(parts[1]) : [])
  try readLog(lines, records)
  let mended = withDigests(lines)
  if mended != lines { try readLog(mended, records) }
}

private func readLog(_ lines: [UInt8], _ records: MemoryFile) throws {
  let file = try MemoryFile(gzipped(lines))
  try refusing {
    let reader = try LogReader(path: file.path) {
      try Erasures(path: records.path, store: $0.store, lineage: $0.lineage)
    }
    while try reader.next({ _, _, _ in _ = try reader.opening() }) != nil {}
  }
}

/// The bytes as an uncompressed gzip member.
package func gzipped(_ bytes: [UInt8]) -> [UInt8] {
  var file: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(0xffff)
    rest = rest.dropFirst(block.count)
    let count = UInt16(block.count)
    file.append(rest.isEmpty ? 1 : 0)
    for number in [count, ~count] { file += [UInt8(number & 0xff), UInt8(number >> 8)] }
    file += block
  } while !rest.isEmpty
  for number in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
    for shift in stride(from: 0, to: 32, by: 8) { file.append(UInt8(number >> shift & 0xff)) }
  }
  return file
}

/// The checksum at the end of a gzip member.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
  var sum: UInt32 = 0xffff_ffff
  for byte in bytes { sum = checksumTable[Int((sum ^ UInt32(byte)) & 0xff)] ^ sum >> 8 }
  return ~sum
}

private let checksumTable: [UInt32] = (0..<256).map { index in
  (0..<8).reduce(UInt32(index)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xedb8_8320 : 0) }
}

/// The lines with every digest replaced by the right one.
package func withDigests(_ lines: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  var pending: [[UInt8]] = []
  var previous: [UInt8]?
  for line in lines.split(separator: 0x0a, omittingEmptySubsequences: false) {
    var line = Array(line)
    if line.starts(with: #"{"kind":"header","#.utf8) {
      previous = digest(in: line, after: #""previous":""#).map { Array(line[$0]) }
    } else if line.starts(with: #"{"kind":"trailer","#.utf8) {
      if let place = digest(in: line, after: #""digest":""#) {
        line.replaceSubrange(place, with: SHA256.digest(of: result).description.utf8)
      }
    } else if line.starts(with: #"{"kind":"transaction","#.utf8),
      let place = digest(in: line, after: #","digest":""#),
      let start = previous.flatMap({ Digest(hexadecimal: String(decoding: $0, as: UTF8.self)) })
    {
      var without = line
      without.removeSubrange(place.lowerBound - #","digest":""#.utf8.count...place.upperBound)
      if let digest = digest(of: pending, closing: without + [0x0a], after: start) {
        let made = Array(digest.description.utf8)
        line.replaceSubrange(place, with: made)
        previous = made
      }
      pending = []
    } else {
      pending.append(line)
    }
    result += line
    result.append(0x0a)
  }
  // There is no line break at the end.
  result.removeLast()
  return result
}

/// The digest of a transaction by its lines; nil if they have no seeds that give one.
private func digest(of lines: [[UInt8]], closing: [UInt8], after previous: Digest) -> Digest? {
  var tree = LineTree(count: Int64(lines.count))
  for line in lines {
    func place(_ key: String, from start: Int = 0) -> Int? {
      line[start...].firstRange(of: Array(#","\#(key)":"#.utf8))?.lowerBound
    }
    guard let comma = place("op") else { return nil }
    let end = max(comma + 1, line.count - 1)
    let members = min(place("seed") ?? comma, place("values") ?? comma)
    let values =
      ["before", "after", "special", "large"].compactMap { place($0, from: comma + 1) }
      .min() ?? end
    line.withUnsafeBytes { bytes in
      func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
      }
      tree.append(
        known: part(comma + 1..<min(values, end)),
        values: part(min(values, end)..<end),
        members: part(min(members + 1, comma)..<comma)
      )
    }
  }
  return closing.withUnsafeBytes { try? tree.close($0, after: previous).transaction }
}

/// The range of a digest's digits in a line.
private func digest(in line: [UInt8], after key: String) -> Range<Int>? {
  let key = Array(key.utf8)
  guard line.count >= key.count + 65 else { return nil }
  for start in 0...line.count - key.count - 65 where line[start...].starts(with: key) {
    let place = start + key.count..<start + key.count + 64
    return line[place.upperBound] == 0x22 ? place : nil
  }
  return nil
}
