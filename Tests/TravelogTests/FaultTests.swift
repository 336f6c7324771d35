import Foundation
import TestSupport
import Testing

/// Stops the program at every call that changes a file, runs it again, and checks that nothing was
/// lost or doubled.
///
/// `make faults` tries all calls; otherwise a few, spread over the run.
@Suite("Interruptions at every step")
struct FaultTests {
  private enum Kind: String, CaseIterable {
    case full, error, short, kill
    case killedAfter = "killed-after"
  }

  @Test(
    "An export that stops anywhere is completed by the next one, with each line once.",
    arguments: [StoppedCommand.export, .exportOfTombstones]
  )
  func export(_ command: StoppedCommand) throws {
    try stop(command, atLeast: trials(4, long: 200))
  }

  @Test("A filtered export that stops anywhere is completed by the next one, with its token.")
  func filteredExport() throws { try stop(.filteredExport, atLeast: trials(3, long: 50)) }

  @Test(
    "An import that stops anywhere is completed by the next one, and the replica is right.",
    arguments: [StoppedCommand.replay, .replayOfLargeLog]
  )
  func replay(_ command: StoppedCommand) throws {
    try stop(command, atLeast: trials(4, long: 200))
  }

  @Test("A compaction that stops anywhere loses no line, and the next one completes it.")
  func compact() throws { try stop(.compact, atLeast: trials(3, long: 50)) }

  @Test("A prune that stops anywhere keeps what logs do not have, and the next one completes it.")
  func prune() throws { try stop(.prune, atLeast: trials(3, long: 50)) }

  @Test(
    "An erasure that stops anywhere is reported until the next run completes it."
  )
  func erase() throws { try stop(.erase, atLeast: trials(3, long: 50)) }

  @Test(
    "A recovery that stops anywhere is completed by the next one, and the logs give the store.",
    arguments: [StoppedCommand.recoverFromExpiry, .recoverFromDivergence]
  )
  func recover(_ command: StoppedCommand) throws {
    try stop(command, atLeast: trials(3, long: 50))
  }

  @Test(
    "If adopt or its --detach stops anywhere, no row changes, and the file is adopted or not.",
    arguments: [StoppedCommand.adopt, .adoptWithLog, .detach]
  )
  func adopt(_ command: StoppedCommand) throws { try stop(command, atLeast: trials(3, long: 50)) }

  @Test(
    "If adopt --suspend stops anywhere, no row changes, and the next command restores triggers.",
    .enabled(if: installed("sqlite3") != nil, "sqlite3 is not installed")
  )
  func suspend() throws { try stop(.suspend, atLeast: trials(3, long: 50)) }

  @Test(
    "If a reading of a database stops anywhere, the next one records the same transactions.",
    arguments: [StoppedCommand.follow, .readCommits, .readDifference, .exportOfCoreData]
  )
  func follow(_ command: StoppedCommand) throws { try stop(command, atLeast: trials(3, long: 50)) }

  /// Runs a command once with each fault, and checks the result of the next run.
  private func stop(_ command: StoppedCommand, atLeast expected: Int) throws {
    // An import makes most calls, and writes a large log page by page with similar calls.
    let stride =
      switch command {
      case .replay: trials(307, long: 1)
      case .replayOfLargeLog: trials(487, long: 7)
      case .adopt: trials(9, long: 1)
      case .follow, .readCommits, .readDifference, .exportOfCoreData: trials(19, long: 1)
      case .adoptWithLog, .detach, .suspend: trials(29, long: 1)
      default: trials(61, long: 1)
      }
    try command.prepared { run in
      var fired = 0
      for kind in Kind.allCases {
        var number = 1
        while let (result, call) = try withFault(kind.rawValue, at: number, run) {
          fired += 1
          let place = "\(kind.rawValue) at \(number), \(call)"
          // A program that continued must have repaired the failure.
          expectSentence(result, place)
          try run.check(place)
          number += stride
        }
      }
      print("\(command.rawValue): \(fired) faults fired")
      #expect(fired >= expected)
    }
  }
}

/// Runs a command with one fault; returns the fault, or nil if it did not happen.
func withFault(
  _ kind: String,
  at number: Int,
  of library: String = "",
  _ run: StoppedRun
) throws -> (run: Run, call: String)? {
  let mark = run.folder.appendingPathComponent("mark").path
  let shim = Bundle.main.bundleURL.appendingPathComponent("libFaultShim.so").path
  try #require(FileManager.default.fileExists(atPath: shim))
  try run.prepare()
  if FileManager.default.fileExists(atPath: mark) {
    try FileManager.default.removeItem(atPath: mark)
  }
  let result = try travelog(
    run.arguments,
    environment: [
      "LD_PRELOAD": shim, "FAULT_AT": "\(number)", "FAULT_KIND": kind, "FAULT_OF": library,
      "FAULT_MARK": mark,
    ]
  )
  guard FileManager.default.fileExists(atPath: mark) else { return nil }
  return (result, try String(contentsOfFile: mark, encoding: .utf8))
}

/// Expects that a program which was not killed ended normally, with a sentence if it failed.
func expectSentence(_ run: Run, _ place: String) {
  #expect(run.code < 128 || run.code == 128 + SIGKILL, "\(place): ended by \(run.code)")
  if run.code != 0, run.code < 128 { #expect(!run.errors.isEmpty, "\(place)") }
}
