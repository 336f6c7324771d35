import Foundation
import Synchronization

/// A generator whose numbers follow from its seed, so that a failure can be run again.
///
/// Set `TRAVELOG_TEST_SEED` to the seed that a failed test printed, or to `random` for new ones.
package struct SeededGenerator: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Takes the seed from the environment, or the next one of this test, and prints it.
  ///
  /// What a change has to pass has the same seeds each time, so that no chance refuses it; new ones
  /// are for `make soak`.
  package init(for test: String) {
    switch ProcessInfo.processInfo.environment["TRAVELOG_TEST_SEED"] {
    case "random": self.init(seed: UInt64.random(in: 0...UInt64.max))
    case let wanted?: self.init(seed: UInt64(wanted) ?? 0)
    case nil: self.init(seed: nextSeed(of: test))
    }
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

/// How many seeds each test has taken.
private let taken = Mutex<[String: UInt64]>([:])

/// The seed that follows from a test's name, and from how many it has taken already.
private func nextSeed(of test: String) -> UInt64 {
  let count = taken.withLock { taken in
    taken[test, default: 0] += 1
    return taken[test, default: 0]
  }
  // FNV-1a.
  return "\(test) \(count)".utf8.reduce(0xcbf2_9ce4_8422_2325) {
    ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
  }
}

/// How often a property is tried: many times more when `TRAVELOG_LONG_TESTS` is set.
package func trials(_ short: Int, long: Int) -> Int {
  ProcessInfo.processInfo.environment["TRAVELOG_LONG_TESTS"] == nil ? short : long
}
