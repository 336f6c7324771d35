import Glibc

/// A limit on the time of Travelog, as a multiple of the peer's time in the same run.
struct Budget {
  let name: String
  let limit: Double
  /// Runs once, before the first measurement.
  var prepare: () throws -> Void = {}
  /// Both return the seconds that they took.
  let peer: () throws -> Double
  let ours: () throws -> Double
}

/// The result for a budget.
struct Measurement {
  let budget: Budget
  let peer: Double
  let ours: Double
  let ratio: Double

  /// Measures both sides in turns, because other load on the machine then affects both.
  ///
  /// The ratio is the median of the ratios of neighbouring runs.
  init(_ budget: Budget, runs: Int) throws {
    try budget.prepare()
    var pairs: [(peer: Double, ours: Double)] = []
    for _ in 0..<max(1, runs) {
      pairs.append((peer: try budget.peer(), ours: try budget.ours()))
    }
    self.budget = budget
    peer = median(pairs.map(\.peer))
    ours = median(pairs.map(\.ours))
    ratio = median(pairs.map { $0.ours / $0.peer })
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// The seconds that a function takes.
func seconds(_ work: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(work)
  return Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
}

/// The seconds of processor time that a function takes, of all threads.
func processorSeconds(_ work: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
  let begin = now()
  try work()
  return now() - begin
}
