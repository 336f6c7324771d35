import Foundation
import ProcessTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@Suite("Files that other programs use", .enabled(if: installed("python3") != nil, "no python3"))
struct BusyFileTests {
  private static let locks = ["DELETE", "WAL"]

  /// Starts a Python program that uses a file, and calls the closure after the program's first
  /// line.
  private func withPython(_ program: String, _ file: String, _ body: () throws -> Void) throws {
    let child = ChildProcess()
    child.executableURL = URL(fileURLWithPath: try #require(installed("python3")))
    child.arguments = ["-c", "import sqlite3, sys, time\nf = sys.argv[1]\n" + program, file]
    let output = Pipe()
    child.standardOutput = output
    child.standardInput = FileHandle.nullDevice
    try child.run()
    defer {
      kill(child.processIdentifier, SIGKILL)
      child.waitUntilExit()
    }
    #expect(output.fileHandleForReading.readData(ofLength: 3) == Data("go\n".utf8))
    try body()
  }

  private func withAdopted(_ journal: String, _ body: (String, URL) throws -> Void) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      try Connection(path: path, mode: .readWriteCreate).execute(
        """
        PRAGMA journal_mode = \(journal);
        CREATE TABLE t(id INTEGER PRIMARY KEY, x);
        INSERT INTO t VALUES (1, 0), (2, 0), (3, 0);
        """
      )
      #expect(try travelog("adopt", path).code == 0)
      try body(path, folder)
    }
  }

  @Test(
    "If a program keeps its lock without writing, the error says so, and does not say: try again.",
    arguments: locks
  )
  func exclusive(journal: String) throws {
    try withAdopted(journal) { path, _ in
      let program = """
        c = sqlite3.connect(f, isolation_level=None)
        c.execute('PRAGMA locking_mode = EXCLUSIVE')
        c.execute('SELECT * FROM t').fetchall()
        c.execute('UPDATE t SET x = 1')
        print('go', flush=True)
        time.sleep(60)
        """
      try withPython(program, path) {
        let run = try travelog("log", path)
        #expect(run.code == 11)
        #expect(run.errors.contains("keeps \(path) locked"), "\(run.errors)")
        #expect(run.errors.contains("EXCLUSIVE") && !run.errors.contains("Try again"))
      }
    }
  }

  @Test("If a program only needs a long time for a write, the error says: try again.")
  func writing() throws {
    try withAdopted("DELETE") { path, _ in
      let program = """
        c = sqlite3.connect(f, isolation_level=None)
        c.execute('PRAGMA cache_size = 10')
        c.execute('BEGIN EXCLUSIVE')
        c.executemany('INSERT INTO t(x) VALUES (?)', (('x' * 1000,) for _ in range(2000)))
        print('go', flush=True)
        time.sleep(60)
        """
      try withPython(program, path) {
        let run = try travelog("log", path)
        #expect(run.code == 11)
        #expect(run.errors.contains("Try again"), "\(run.errors)")
      }
    }
  }

  @Test("With a write-ahead log, a connection knows whether another process has the file open.")
  func sharing() throws {
    let program = """
      c = sqlite3.connect(f, isolation_level=None)
      c.execute('SELECT * FROM t').fetchall()
      print('go', flush=True)
      time.sleep(60)
      """
    for journal in Self.locks {
      try withAdopted(journal) { path, _ in
        let connection = try Connection(path: path, mode: .readWrite)
        let second = try Connection(path: path, mode: .readWrite)
        try connection.execute("UPDATE t SET x = 1")
        #expect(try second.integer("SELECT max(x) FROM t") == 1)
        func expect(_ isShared: Bool) throws {
          let found = try connection.mayBeShared
          #expect(found == isShared, "\(journal)")
        }
        try expect(journal == "DELETE")
        try withPython(program, path) { try expect(true) }
        try expect(journal == "DELETE")
      }
    }
  }

  /// Two processes that write to a table again and again.
  private func withWriters(
    _ path: String,
    statement: String,
    _ body: () throws -> Void
  ) throws {
    func program(_ row: Int) -> String {
      """
      c = sqlite3.connect(f, timeout=20, isolation_level=None)
      print('go', flush=True)
      while True:
          c.execute('\(statement)', (\(row),))
          time.sleep(0.002)
      """
    }
    try withPython(program(1), path) { try withPython(program(2), path, body) }
  }

  private func expectPrune(_ path: String, logs: String) throws {
    let run = try travelog("prune", path, "--logs", logs, "--keep", "0s", "--json")
    #expect(run.code == 0, "\(run.errors)")
    #expect(!run.output.contains(#""transactions":0"#), "\(run.output)")
  }

  @Test(
    "prune succeeds although two other processes write to an adopted file without a break.",
    arguments: locks
  )
  func pruneAdopted(journal: String) throws {
    try withAdopted(journal) { path, folder in
      let writing = try Connection(path: path, mode: .readWrite)
      for _ in 1...40 {
        try writing.execute("UPDATE travelog_context SET author = 'a'")
        try writing.execute("UPDATE t SET x = x + 1 WHERE id = 3")
        try writing.execute("UPDATE travelog_context SET author = NULL")
      }
      let logs = folder.path + "/logs"
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let update = "UPDATE t SET x = x + 1 WHERE id = ?"
      try withWriters(path, statement: update) { try expectPrune(path, logs: logs) }
      let check = try travelog("check", path)
      #expect(check.code == 0, "\(check.output)\(check.errors)")
    }
  }

  @Test("prune succeeds although two other processes write to a store without a break.")
  func pruneStore() throws {
    try withTemporaryFolder { folder in
      let (path, logs) = (folder.path + "/trips.store", folder.path + "/logs")
      #expect(try run(products + "/trips", ["seed", path, "--changes", "300"]).code == 0)
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let update =
        "UPDATE Trip SET notes = notes || char(97) WHERE id = (SELECT min(id) + ? FROM Trip)"
      try withWriters(path, statement: update) { try expectPrune(path, logs: logs) }
      let check = try travelog("check", path)
      #expect(check.code == 0, "\(check.output)\(check.errors)")
    }
  }

  @Test("status says that the disk is full if SQLite has no space for its own files.")
  func full() throws {
    try withAdopted("WAL") { path, folder in
      let logs = folder.path + "/logs"
      #expect(try travelog("export", path, "--to", logs).code == 0)
      let run = StoppedRun(arguments: ["status", path, "--logs", logs], folder: folder) {
      } check: { _ in
      }
      var number = 1
      while let (result, call) = try withFault("full", at: number, run) {
        // SQLite does not keep the reason why it could not open a file.
        if result.code != 0, !call.contains("open") {
          #expect(result.errors.contains("space"), "\(number), \(call): \(result.errors)")
        }
        number += 1
      }
      #expect(number > 1)
    }
  }
}
