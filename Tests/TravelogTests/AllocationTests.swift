import Foundation
import TestSupport
import Testing

/// Lets the program's allocations fail one after another, runs it again, and checks that nothing
/// was lost or doubled.
///
/// The libraries below the program report missing memory, and then the program ends with a
/// sentence. Swift itself stops the process without memory, as if the program were killed.
@Suite("Allocations that fail")
struct AllocationTests {
  @Test(
    "If a library has no memory, once or permanently, the program ends with a sentence.",
    arguments: StoppedCommand.possible
  )
  func libraries(_ command: StoppedCommand) throws {
    try command.prepared { run in
      var fired = 0
      var failed = 0
      for (library, tries) in [
        ("libsqlite3", trials(2, long: 60)), ("libdeflate", trials(1, long: 2)),
        ("libz", trials(1, long: 3)),
      ] {
        let count = try allocations(of: library, run)
        for kind in ["memory", "no-memory"] {
          for number in spread(tries, over: count) {
            guard let (result, _) = try withFault(kind, at: number, of: library, run) else {
              continue
            }
            fired += 1
            let place = "\(library), \(kind) at \(number) of \(count)"
            #expect(result.code < 128, "\(place): ended by \(result.code), \(result.errors)")
            if result.code != 0 {
              failed += 1
              #expect(result.errors.contains("memory"), "\(place): \(result.errors)")
            }
            try run.check(place)
          }
        }
      }
      print("\(command.rawValue): \(fired) allocations of libraries failed, and \(failed) runs")
      // Compaction does not use SQLite.
      #expect(fired >= (command == .compact ? trials(2, long: 6) : trials(4, long: 100)))
    }
  }

  @Test(
    "A program that stops for lack of memory loses nothing, and the next run completes its work.",
    arguments: StoppedCommand.possible
  )
  func program(_ command: StoppedCommand) throws {
    try command.prepared { run in
      let count = try allocations(of: "", run)
      var fired = 0
      for number in spread(trials(2, long: 100), over: count) {
        guard let (result, _) = try withFault("memory", at: number, run) else { continue }
        fired += 1
        try run.check("allocation \(number) of \(count), ended by \(result.code)")
      }
      print("\(command.rawValue): \(fired) of \(count) allocations failed")
      #expect(fired >= trials(2, long: 80))
    }
  }

  /// The number of allocations in a run, of a library or of all.
  private func allocations(of library: String, _ run: StoppedRun) throws -> Int {
    try withFault("count", at: 0, of: library, run).flatMap { Int($0.call) } ?? 0
  }

  /// Numbers from one to a count, evenly spread.
  private func spread(_ tries: Int, over count: Int) -> [Int] {
    stride(from: 1, through: count, by: max(1, count / tries)).map { $0 }
  }
}
