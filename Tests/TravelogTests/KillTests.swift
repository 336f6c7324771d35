import Foundation
import ProcessTesting
import TestSupport
import Testing

/// Kills the program several times at random moments, and then lets a run complete its work.
@Suite("Random kills")
struct KillTests {
  @Test(
    "A command that is killed repeatedly at any moment is completed by the next run.",
    arguments: StoppedCommand.possible
  )
  func kill(_ command: StoppedCommand) throws {
    try command.prepared(times: 3) { try kill($0, name: command.rawValue) }
  }

  @Test(
    "An export that is killed repeatedly while it records a backlog records each change once.",
    arguments: ["DELETE", "WAL"]
  )
  func killSeal(journal: String) throws {
    try withTemporaryFolder { folder in
      let logs = folder.path + "/logs"
      let backlog = try Backlog(journal: journal, in: folder)
      try kill(
        StoppedRun(arguments: ["export", backlog.path, "--to", logs], folder: folder) {
          try remove(logs)
          try backlog.prepare()
        } check: { place in
          try backlog.check(logs: logs, place)
        },
        name: "export of a backlog (\(journal))"
      )
    }
  }

  /// Kills runs at random moments, and checks after each third kill that a run completes the work.
  private func kill(_ run: StoppedRun, name: String) throws {
    var random = SeededGenerator(for: "kills of \(name)")
    // The shortest of several runs, so that most kills hit a working program.
    var length = Duration.seconds(60)
    for _ in 0..<3 {
      try run.prepare()
      let started = ContinuousClock.now
      #expect(try start(run.arguments, killedAfter: nil) == 0)
      length = min(length, ContinuousClock.now - started)
    }
    let rounds = trials(1, long: 100)
    var hits = 0
    var tries = 0
    // On a busy machine all kills of a round may miss; the rounds continue until one hits.
    for round in 0..<max(rounds, 30) where round < rounds || hits == 0 {
      try run.prepare()
      var places: [String] = []
      for _ in 0..<3 {
        let moment = length * Double.random(in: 0..<1.2, using: &random)
        tries += 1
        let code = try start(run.arguments, killedAfter: moment)
        let isDone = code == 0 || !places.isEmpty && code == run.codeWhenDone
        #expect(isDone || code == 128 + SIGKILL, "\(places) \(moment): \(code)")
        places.append("killed after \(moment): \(code)")
        guard !isDone else { break }
        hits += 1
      }
      try run.check(places.joined(separator: ", "))
    }
    print("\(name): \(hits) of \(tries) kills hit the program at work")
    #expect(hits >= max(1, rounds / 2))
  }

  /// Starts the program, kills it after a delay, and returns how it ended.
  private func start(_ arguments: [String], killedAfter moment: Duration?) throws -> Int32 {
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: products + "/travelog")
    process.arguments = arguments
    process.environment = [:]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    if let moment {
      usleep(UInt32(clamping: moment.components.attoseconds / 1_000_000_000_000))
      if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    }
    process.waitUntilExit()
    return process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus
  }
}
