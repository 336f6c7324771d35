import Foundation
import Store
import StoreTesting
import TestSupport
import Testing

/// The library of Debian's package `faketime`, which changes the clock of a program; nil if it is
/// not installed.
private let fakeClock: String? = {
  // A folder for each architecture, such as /usr/lib/x86_64-linux-gnu.
  let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
  return folders.map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }
    .first { FileManager.default.fileExists(atPath: $0) }
}()

// Without the package `faketime` these tests are reported as skipped.
@Suite("Wrong clocks", .enabled(if: fakeClock != nil, "faketime is not installed"))
struct ClockTests {
  /// Runs the program with a wrong clock.
  private func travelog(at offset: String, _ arguments: String...) throws -> Run {
    try TravelogTests.travelog(
      arguments,
      environment: ["LD_PRELOAD": try #require(fakeClock), "FAKETIME": offset]
    )
  }

  @Test("The program gets its arguments although a preloaded library moved the environment.")
  func arguments() throws {
    let run = try travelog(at: "+0", "log", "/none", "--entity", "a b", "--author", "")
    #expect(run.code == 10)
    #expect(run.errors.contains("/none"))
  }

  @Test("History, logs and replica stay the same whatever the clock does between and during runs.")
  func jumps() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/a.store"
      let logs = folder.path + "/logs"
      var world = HistoryWorld(SeededGenerator(for: "clocks"))
      let store = try Store.open(.file(URL(fileURLWithPath: path)), schema: worldSchema)
      // The last clock is a thousand times too fast.
      for offset in ["+0", "+10y", "-30y", "-1d", "+0 x1000"] {
        for _ in 0..<5 { try world.write(to: store) }
        let run = try travelog(at: offset, "export", path, "--to", logs)
        #expect(run.code == 0, "\(offset): \(run.errors)")
        let next = try travelog(at: offset, "import", logs, "--into", folder.path + "/b.store")
        #expect(next.code == 0, "\(offset): \(next.errors)")
      }
      let fast = try travelog(at: "-40y x5000", "import", logs, "--into", folder.path + "/c.store")
      #expect(fast.code == 0, "\(fast.errors)")
      let pruned = try travelog(at: "+50y", "prune", path, "--logs", logs, "--keep", "30d")
      #expect(pruned.code == 0, "\(pruned.errors)")
      #expect(try travelog(at: "-50y", "export", path, "--to", logs).code == 0)
      let status = try travelog(at: "-50y", "status", path, "--logs", logs)
      #expect(status.code == 0, "\(status.output)\(status.errors)")
      let verified = try TravelogTests.travelog("verify", logs, "--against", path)
      #expect(verified.code == 0, "\(verified.output)")
      #expect(try TravelogTests.travelog("check", path, "--logs", logs).code == 0)
      for replica in ["b.store", "c.store"] {
        #expect(try TravelogTests.travelog("diff", path, folder.path + "/" + replica).code == 0)
      }
    }
  }

  @Test("A wait for a lock ends after its time although the clock is set far back.")
  func waiting() throws {
    try withTemporaryFolder { folder in
      let path = folder.path + "/a.store"
      let logs = folder.path + "/logs"
      _ = try Store.open(.file(URL(fileURLWithPath: path)), schema: worldSchema)
      try TravelogTests.travelog("export", path, "--to", logs)
      let lock = open(logs + "/.lock", O_RDWR | O_CREAT, 0o600)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX) == 0)
      let run = try travelog(at: "-20y", "export", path, "--to", logs, "--lock-wait", "100ms")
      #expect(run.code == 11, "\(run.errors)")
    }
  }
}
