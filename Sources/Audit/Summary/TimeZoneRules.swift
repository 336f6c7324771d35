import ChangeLog
import FoundationEssentials

/// The offsets of a time zone from UTC, according to the time zone database of the system.
///
/// With Foundation's own time zone database, the program would be five times as large and slow to
/// start.
package struct TimeZoneRules: Hashable, Sendable {
  /// The name of the time zone, such as `Europe/Berlin`.
  package let name: String
  /// The offset from UTC in seconds before the first listed change.
  private var offset = 0
  private var changes: [Change] = []
  /// The rule for times after the last listed change.
  private var rule: DaylightRule?

  private struct Change: Hashable {
    /// The time of the change, in seconds since 1970.
    let start: Int
    let offset: Int
  }

  package static let utc = TimeZoneRules(name: "UTC")

  private init(name: String) { self.name = name }

  /// Reads a time zone of the system; nil if the system has no time zone with this name.
  package init?(named name: String) {
    self.init(name: name)
    if ["UTC", "GMT"].contains(name) { return }
    let isName = name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { byte in
          byte == 0x2b || byte == 0x2d || byte == 0x5f || (0x30...0x39).contains(byte)
            || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        }
    }
    let folder = ProcessInfo.processInfo.environment["TZDIR"] ?? "/usr/share/zoneinfo"
    // A file that can't be read is treated as missing.
    guard isName,
      let bytes = try? readSmallFile("\(folder)/\(name)", limit: 1 << 20, isNamed: true),
      read(bytes)
    else { return nil }
  }

  /// The offset from UTC in seconds; `time` is in seconds since 1970.
  package func offset(at time: Int) -> Int {
    if let last = changes.last, time >= last.start, let rule { return rule.offset(at: time) }
    if changes.isEmpty, let rule { return rule.offset(at: time) }
    var low = 0
    var high = changes.count
    while low < high {
      let middle = (low + high) / 2
      if changes[middle].start <= time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? offset : changes[low - 1].offset
  }

  /// Reads a file in the format of RFC 8536; false if the file has another format.
  private mutating func read(_ bytes: [UInt8]) -> Bool {
    guard var block = Block(bytes[...], wordSize: 4) else { return false }
    if block.version >= 0x32 {
      guard let later = Block(block.rest, wordSize: 8) else { return false }
      block = later
      let footer = block.rest.dropFirst().prefix { $0 != 0x0a }
      rule = DaylightRule(String(decoding: footer, as: UTF8.self))
    }
    guard let offsets = block.offsets, let first = offsets.first else { return false }
    offset = first
    changes = []
    for (start, type) in zip(block.starts, block.types) {
      guard offsets.indices.contains(Int(type)) else { return false }
      changes.append(Change(start: start, offset: offsets[Int(type)]))
    }
    return true
  }

  /// One of the two tables in a time zone file; times have 32 bits in the first table, and 64 bits
  /// in the second.
  private struct Block {
    let version: UInt8
    let starts: [Int]
    let types: ArraySlice<UInt8>
    let offsets: [Int]?
    let rest: ArraySlice<UInt8>

    init?(_ bytes: ArraySlice<UInt8>, wordSize: Int) {
      guard bytes.starts(with: "TZif".utf8), bytes.count >= 44 else { return nil }
      version = bytes[bytes.startIndex + 4]
      let counts = (0..<6).map { index in
        number(bytes.dropFirst(20 + index * 4).prefix(4))
      }
      let (ends, standards, leaps) = (counts[0], counts[1], counts[2])
      let (times, types, letters) = (counts[3], counts[4], counts[5])
      guard counts.allSatisfy({ (0..<100_000).contains($0) }) else { return nil }
      var rest = bytes.dropFirst(44)
      func take(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
      }
      let startBytes = take(times * wordSize)
      self.types = take(times)
      let typeBytes = take(types * 6)
      let others = letters + leaps * (wordSize + 4) + standards + ends
      guard startBytes.count == times * wordSize, typeBytes.count == types * 6,
        take(others).count == others
      else { return nil }
      starts = (0..<times).map { number(startBytes.dropFirst($0 * wordSize).prefix(wordSize)) }
      offsets = (0..<types).map { number(typeBytes.dropFirst($0 * 6).prefix(4)) }
      self.rest = rest
    }
  }
}

/// Reads a signed big-endian number.
private func number(_ bytes: ArraySlice<UInt8>) -> Int {
  let start = (bytes.first ?? 0) & 0x80 == 0 ? 0 : -1
  return bytes.reduce(start) { $0 << 8 | Int($1) }
}
