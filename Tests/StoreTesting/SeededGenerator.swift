import Foundation

/// A generator whose numbers follow from its seed, so that a failure can be run again.
///
/// Set `TRAVELOG_TEST_SEED` to the seed that a failed test printed.
package struct SeededGenerator: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Takes the seed from the environment, or a new one, and prints it.
  package init(for test: String) {
    let wanted = ProcessInfo.processInfo.environment["TRAVELOG_TEST_SEED"].flatMap { UInt64($0) }
    self.init(seed: wanted ?? UInt64.random(in: 0...UInt64.max))
    print("\(test): TRAVELOG_TEST_SEED=\(seed)")
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// How often a property is tried: many times more when `TRAVELOG_LONG_TESTS` is set.
package func trials(_ short: Int, long: Int) -> Int {
  ProcessInfo.processInfo.environment["TRAVELOG_LONG_TESTS"] == nil ? short : long
}
