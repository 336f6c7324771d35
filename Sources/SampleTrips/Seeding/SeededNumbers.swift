import SwiftData

/// Random numbers that depend only on a seed, not on the machine or the compiler.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number that is at least 0 and less than the limit.
  mutating func below(_ limit: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  mutating func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// A number that is at least 0 and less than 1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Whether an event with this probability, in percent, happens now.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      withUnsafeBytes(of: next().littleEndian) { bytes.append(contentsOf: $0) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  mutating func uuid() -> UUID {
    let b = bytes(16)
    // The UUID has version 4, like random UUIDs.
    return UUID(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 0x0f | 0x40, b[7], b[8] & 0x3f | 0x80, b[9],
        b[10], b[11], b[12], b[13], b[14], b[15]
      )
    )
  }

  /// An amount with two decimal places.
  mutating func amount(_ range: ClosedRange<Int>) -> Decimal {
    let cents = Decimal(number(in: range) * 100 + pick([0, 0, 50, 90, 95, 99]))
    return Decimal(sign: .plus, exponent: -2, significand: cents)
  }
}
