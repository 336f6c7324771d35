/// A SHA-256: 32 bytes.
package struct Digest: Hashable, Sendable, CustomStringConvertible {
  package static let byteCount = 32

  // The digest as four big-endian integers, which are compared and hashed without a loop.
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  /// Creates a digest from the eight words of the state of SHA-256.
  init(_ words: SIMD8<UInt32>) {
    first = UInt64(words[0]) << 32 | UInt64(words[1])
    second = UInt64(words[2]) << 32 | UInt64(words[3])
    third = UInt64(words[4]) << 32 | UInt64(words[5])
    fourth = UInt64(words[6]) << 32 | UInt64(words[7])
  }

  /// Creates a digest from the 32 bytes at an offset.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    func word(_ index: Int) -> UInt64 {
      UInt64(
        bigEndian: bytes.loadUnaligned(fromByteOffset: offset + index * 8, as: UInt64.self)
      )
    }
    first = word(0)
    second = word(1)
    third = word(2)
    fourth = word(3)
  }

  /// Creates a digest from 32 bytes; nil for another number of bytes.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    self.init(bytes, at: 0)
  }

  /// Reads 64 lower-case hexadecimal digits; nil for any other text.
  package init?(hexadecimal text: UnsafeRawBufferPointer) {
    guard text.count == 2 * Self.byteCount else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let isRight = withUnsafeMutableBytes(of: &words) { bytes in
      for index in 0..<Self.byteCount {
        guard let high = hexValue(text[2 * index]), let low = hexValue(text[2 * index + 1]) else {
          return false
        }
        bytes[index] = high << 4 | low
      }
      return true
    }
    guard isRight else { return nil }
    self = withUnsafeBytes(of: words) { Digest($0, at: 0) }
  }

  /// Reads 64 lower-case hexadecimal digits; nil for any other text.
  package init?(hexadecimal text: String) {
    var text = text
    guard let digest = text.withUTF8({ Digest(hexadecimal: UnsafeRawBufferPointer($0)) }) else {
      return nil
    }
    self = digest
  }

  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  package func append(to buffer: inout [UInt8]) {
    for word in [first, second, third, fourth] {
      withUnsafeBytes(of: word.bigEndian) { buffer.append(contentsOf: $0) }
    }
  }

  /// Appends the digest as 64 lower-case hexadecimal digits.
  package func appendHexadecimal(to buffer: inout [UInt8]) {
    for word in [first, second, third, fourth] {
      for shift in stride(from: 60, through: 0, by: -4) {
        buffer.append(hexDigit(UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 15))
      }
    }
  }

  package var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * Self.byteCount)
    appendHexadecimal(to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}

/// Digests as integers of 256 bits, for sums that do not depend on an order.
extension Digest {
  /// The digest whose bits are all zero: an empty sum.
  package static let zero = Digest(SIMD8<UInt32>())

  /// The sum of two digests modulo 2^256.
  package static func &+ (left: Digest, right: Digest) -> Digest {
    var carry: UInt64 = 0
    func add(_ one: UInt64, _ other: UInt64) -> UInt64 {
      let (partial, first) = one.addingReportingOverflow(other)
      let (sum, second) = partial.addingReportingOverflow(carry)
      carry = first || second ? 1 : 0
      return sum
    }
    let fourth = add(left.fourth, right.fourth)
    let third = add(left.third, right.third)
    let second = add(left.second, right.second)
    return Digest(add(left.first, right.first), second, third, fourth)
  }

  /// The difference of two digests modulo 2^256.
  package static func &- (left: Digest, right: Digest) -> Digest {
    // -x is ~x + 1.
    let inverse = Digest(~right.first, ~right.second, ~right.third, ~right.fourth)
    return left &+ inverse &+ Digest(0, 0, 0, 1)
  }

  private init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
    self.first = first
    self.second = second
    self.third = third
    self.fourth = fourth
  }
}

extension Digest: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let digest = Digest(hexadecimal: text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "“\(text)” is not a digest of 64 hexadecimal digits."
      )
    }
    self = digest
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
