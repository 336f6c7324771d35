import Foundation
import Store
import Testing

@Suite(
  "History files of databases whose log lost commits",
  .enabled(if: isInstalled("python3"), "there is no python3")
)
struct LostCommitTests {
  /// A database with two rows, and a program that has it open.
  ///
  /// As long as the program runs, no other one writes the index of the log from its beginning.
  private func makeWorld() throws -> (AdoptedWorld, RunningProgram) {
    let world = try AdoptedWorld(
      "PRAGMA journal_mode = WAL; CREATE TABLE t(id INTEGER PRIMARY KEY, v);"
        + "INSERT INTO t VALUES (1, 'one'), (2, 'two')",
      isAdopted: false
    )
    return (world, try RunningProgram(["SELECT * FROM t"], on: world.path))
  }

  @Test(
    "A commit in the log that the programs do not know is not in the history, and others are once.",
    arguments: [false, true]
  )
  func unknownCommit(_ isCheckpointed: Bool) throws {
    let (world, other) = try makeWorld()
    defer { other.end() }
    if isCheckpointed { try world.run("PRAGMA wal_checkpoint(PASSIVE)") }
    try world.follow()
    try world.run("UPDATE t SET v = 'seen' WHERE id = 1")
    try world.expectSameTables("before")
    let count = try world.history().count
    let index = URL(fileURLWithPath: world.path + "-shm")
    let known = try Data(contentsOf: index).prefix(136)
    try world.run("UPDATE t SET v = 'killed' WHERE id = 1")
    // A program that is killed between two writes leaves the log with the commit, and this index.
    let file = try FileHandle(forWritingTo: index)
    try file.write(contentsOf: known)
    try file.close()
    try world.expectSameTables("after the kill")
    #expect(try world.history().count == count)
    try world.run("UPDATE t SET v = 'new' WHERE id = 2")
    try world.expectSameTables("after the next commit")
    #expect(try world.history().count == count + 1)
    #expect(try world.history().last?.changes == ["update t 2"])
  }

  @Test(
    "A copy of a database and its log that is put back is one difference.",
    arguments: [false, true]
  )
  func putBack(_ isRestarted: Bool) throws {
    let (world, other) = try makeWorld()
    try world.follow()
    for value in ["A", "B"] {
      try world.run("UPDATE t SET v = '\(value)' WHERE id = 1")
      try world.expectSameTables(value)
    }
    let parts = ["", "-wal"]
    for part in parts {
      try FileManager.default.copyItem(atPath: world.path + part, toPath: world.file("kept" + part))
    }
    if isRestarted { try world.run("PRAGMA wal_checkpoint(RESTART)") }
    for value in ["C", "D"] {
      try world.run(
        "UPDATE t SET v = '\(value)' WHERE id = 1; INSERT INTO t VALUES (NULL, '\(value)')"
      )
      try world.expectSameTables(value)
    }
    other.end()
    let count = try world.history().count
    for part in parts + ["-shm"] where FileManager.default.fileExists(atPath: world.path + part) {
      try FileManager.default.removeItem(atPath: world.path + part)
    }
    for part in parts {
      try FileManager.default.copyItem(atPath: world.file("kept" + part), toPath: world.path + part)
    }
    try world.expectSameTables("put back")
    let history = try world.history()
    #expect(history.count == count + 1)
    #expect(history.last?.operation == "difference")
    #expect(history.last?.changes.count == 3)
    try world.run("UPDATE t SET v = 'E' WHERE id = 1")
    try world.expectSameTables("after that")
    #expect(try world.history().count == count + 2)
  }
}
