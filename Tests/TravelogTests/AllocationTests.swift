import Foundation
import TestSupport
import Testing

/// Lets an allocation of the program fail, one after another, runs it again, and looks whether
/// anything was lost or doubled.
///
/// The libraries below the program are to say that they had no memory, and then the program ends
/// with a sentence. Swift itself can't go on without memory and stops where it is, which is as if
/// the program were killed.
@Suite("Allocations that fail")
struct AllocationTests {
  @Test(
    "If a library has no memory, once or permanently, the program ends with a sentence.",
    arguments: StoppedCommand.allCases
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
      // Logs are put together without SQLite.
      #expect(fired >= (command == .compact ? trials(2, long: 6) : trials(4, long: 100)))
    }
  }

  @Test(
    "A program that stops for lack of memory loses nothing, and the next run completes its work.",
    arguments: StoppedCommand.allCases
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

  /// How many allocations a run makes, of a library or of all.
  private func allocations(of library: String, _ run: StoppedRun) throws -> Int {
    try withFault("count", at: 0, of: library, run).flatMap { Int($0.call) } ?? 0
  }

  /// Some numbers from one to a count, evenly spread.
  private func spread(_ tries: Int, over count: Int) -> [Int] {
    stride(from: 1, through: count, by: max(1, count / tries)).map { $0 }
  }
}
