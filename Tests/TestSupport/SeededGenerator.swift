import Foundation
import Synchronization

/// A generator whose numbers depend only on its seed, so that a failure can be repeated.
///
/// Set `TRAVELOG_TEST_SEED` to the seed that a failed test printed, or to `random` for new ones.
package struct SeededGenerator: RandomNumberGenerator {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Uses the seed from the environment, or the next one of this test, and prints it.
  ///
  /// The seeds of a test are the same in every run, so that a change is never refused by chance;
  /// `make soak` uses new ones.
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

/// The number of seeds that each test has used.
private let taken = Mutex<[String: UInt64]>([:])

/// The seed for a test's name and the number of seeds that the test has used.
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

/// The number of times that a property is tried; larger if `TRAVELOG_LONG_TESTS` is set.
package func trials(_ short: Int, long: Int) -> Int {
  ProcessInfo.processInfo.environment["TRAVELOG_LONG_TESTS"] == nil ? short : long
}
