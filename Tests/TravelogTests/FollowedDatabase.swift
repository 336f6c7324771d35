import Foundation
import Glibc
import ProcessTesting
import SQLite
import TestSupport
import Testing

/// A database that another process changes, and a history file in another folder that follows it.
final class FollowedDatabase {
  private let temporary: TestSupport.TemporaryFolder
  /// The folder with the database alone.
  let folder: String
  let path: String
  let history: String

  /// The tables of each kind, with rows that need several levels of pages and overflow pages.
  static let schema = """
    CREATE TABLE note(id INTEGER PRIMARY KEY, text, number INT);
    CREATE TABLE tag(name TEXT PRIMARY KEY NOT NULL, value) WITHOUT ROWID;
    CREATE TABLE loose(a, b);
    CREATE INDEX note_number ON note(number);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO note SELECT i, printf('text %.*c', i % 70, 'x'), i % 7 FROM n;
    UPDATE note SET text = hex(zeroblob(9000)) WHERE id IN (3, 300);
    INSERT INTO tag SELECT 'tag ' || id, text FROM note WHERE id % 3 = 0;
    INSERT INTO loose SELECT text, number FROM note WHERE id % 5 = 0;
    """

  init(journal: String = "DELETE", sql: String = FollowedDatabase.schema) throws {
    temporary = try TestSupport.TemporaryFolder()
    folder = temporary.file("database").path
    path = folder + "/app.db"
    history = temporary.file("app.history").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try execute("PRAGMA page_size = 1024; PRAGMA journal_mode = \(journal); BEGIN; \(sql) COMMIT")
    let adopted = try travelog("adopt", path, "--history", history)
    #expect(adopted.code == 0, "\(adopted.errors)")
  }

  /// The folder of all files.
  var root: URL { temporary.url }

  func file(_ name: String) -> String { temporary.file(name).path }

  /// Executes statements as a program that then closes the database.
  func execute(_ sql: String) throws {
    try Connection(path: path, mode: .readWriteCreate).execute(sql)
  }

  /// Reads the database as every command does.
  @discardableResult
  func read(_ flags: String...) throws -> Run {
    try travelog(["log", history] + flags)
  }

  /// The number of transactions in the history file, which is not changed by this.
  func transactions() throws -> Int {
    let run = try travelog("log", history, "--no-read", "--limit", "1000")
    #expect(run.code == 0, "\(run.errors)")
    return run.output.split(separator: "\n").filter {
      $0.drop { $0 == " " }.first?.isNumber == true
    }.count
  }

  /// The rows of the tables of a file, as SQL spells them.
  func rows(_ file: String) throws -> [String] {
    let connection = try Connection(path: file, mode: .readWrite)
    return try ["note", "tag", "loose"].flatMap { table in
      let columns = ["note": "id, text, number", "tag": "name, value", "loose": "rowid, a, b"]
      let list = (columns[table] ?? "").split(separator: ", ").map { "quote(\($0))" }
      let rows = try connection.prepare(
        "SELECT \(list.joined(separator: " || ',' || ")) FROM \(table) ORDER BY 1"
      )
      var result: [String] = []
      while try rows.step() { result.append("\(table): \(rows.string(at: 0))") }
      return result
    }
  }

  /// Expects that the next good reading continues the history.
  func expectToContinue(_ place: String) throws {
    try execute("INSERT INTO note (text) VALUES ('new')")
    let run = try read()
    #expect(run.code == 0, "\(place): \(run.errors)")
    #expect(try rows(history) == rows(path), "\(place)")
    let check = try travelog("check", history)
    #expect(check.code == 0, "\(place): \(check.output)\(check.errors)")
  }

  /// What nothing may change: the listing of the folder, and the bytes and times of its files.
  func state() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
      var status = stat()
      guard stat(folder + "/" + name, &status) == 0 else { return name }
      let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
      // Other programs write to the shared index without changing its times reliably.
      let hash = name.hasSuffix("-shm") ? 0 : data.hashValue
      return "\(name) \(data.count) \(hash) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
        + " \(status.st_ctim.tv_sec) \(status.st_ctim.tv_nsec) \(status.st_mode) \(status.st_ino)"
    }
  }
}

/// A program in Python that has a database open.
final class DatabaseUser {
  private let child = ChildProcess()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts a program with a connection `c` to the database, and waits until it prints a line.
  init(_ path: String, _ program: String) throws {
    child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    child.arguments = [
      "python3", "-c",
      """
      import sqlite3, sys, time
      c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
      \(program)
      """, path,
    ]
    child.standardInput = input
    child.standardOutput = output
    try child.run()
    #expect(try output.fileHandleForReading.read(upToCount: 1) != nil)
  }

  deinit { if child.isRunning { end() } }

  /// Ends the program's input, and returns what it printed since it started.
  @discardableResult
  func end() -> String {
    input.fileHandleForWriting.closeFile()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    #expect(child.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }

  func kill() {
    Glibc.kill(child.processIdentifier, SIGKILL)
    child.waitUntilExit()
  }
}

/// A program that only keeps the database open.
let waitingProgram = """
  c.execute("SELECT count(*) FROM note").fetchall()
  print("ready", flush=True)
  sys.stdin.read()
  """
