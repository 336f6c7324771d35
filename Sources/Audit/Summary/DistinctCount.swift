import Glibc

/// An estimate of the number of different values, computed with HyperLogLog in 16 KiB; the error is
/// about 1 %.
struct DistinctCount {
  private static let bits: UInt64 = 14
  private static let size = 1 << 14

  private var registers = [UInt8](repeating: 0, count: Self.size)

  /// Adds a value whose bits are already mixed, so that every bit pattern is equally likely.
  mutating func add(_ hash: UInt64) {
    let index = Int(hash >> (64 - Self.bits))
    let rank = UInt8((hash << Self.bits | 1 << (Self.bits - 1)).leadingZeroBitCount + 1)
    if registers[index] < rank { registers[index] = rank }
  }

  var estimate: Int64 {
    let count = Double(Self.size)
    let sum = registers.reduce(0.0) { $0 + 1 / Double(UInt64(1) << UInt64($1)) }
    let raw = 0.7213 / (1 + 1.079 / count) * count * count / sum
    let empty = registers.count { $0 == 0 }
    // If the number of values is small, some registers are empty, and the number of empty registers
    // gives a better estimate.
    guard raw <= 2.5 * count, empty > 0 else { return Int64(raw.rounded()) }
    return Int64((count * log(count / Double(empty))).rounded())
  }
}

/// Mixes the bits of a number with a fixed constant, so equal histories always give equal reports.
func mixed(_ number: UInt64) -> UInt64 {
  var mixed = number &+ 0x9e37_79b9_7f4a_7c15
  mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
  mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
  return mixed ^ mixed >> 31
}
