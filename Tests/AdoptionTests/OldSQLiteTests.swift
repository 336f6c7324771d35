import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import Adoption

/// A file or folder in the build folder of the package.
private func built(_ path: String) -> String {
  URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../.build/" + path).standardizedFileURL.path
}

/// A version of SQLite that is not the one of the system.
private enum OtherSQLite: CaseIterable, CustomTestStringConvertible {
  case old, new

  var testDescription: String { self == .old ? "SQLite 3.31" : "a newer SQLite" }

  /// What precedes a command of Python, so that it uses this version; nil if it is not installed.
  var prefix: [String]? {
    switch self {
    case .old:
      return OldSQLiteTests.library.map {
        let folder = URL(fileURLWithPath: $0).deletingLastPathComponent().path
        return ["env", "LD_LIBRARY_PATH=" + folder, "LD_PRELOAD=" + $0]
      }
    case .new:
      let folder = built("new-sqlite/bin")
      guard FileManager.default.fileExists(atPath: folder) else { return nil }
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      return ["env", "PATH=\(folder):\(path)", "SQLITE_MODULE=pysqlite3"]
    }
  }
}

@Suite("Old and new versions of SQLite")
struct OldSQLiteTests {
  /// The library of a Python package, which `make old-sqlite` downloads.
  fileprivate static let library: String? = {
    let folder = built("old-sqlite/pyproj.libs")
    // Without the folder the test is skipped.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.first { $0.hasPrefix("libsqlite3") }.map { folder + "/" + $0 }
  }()

  @Test(
    "SQLite 3.31 opens an adopted file and writes to it, and its changes are recorded.",
    .enabled(if: library != nil && isInstalled("python3"), "run make old-sqlite first"),
    arguments: ["DELETE", "WAL"],
    AdoptedWorld.encodings
  )
  func writing(journal: String, encoding: String) throws {
    let library = try #require(Self.library)
    let world = try AdoptedWorld(
      """
      PRAGMA journal_mode = \(journal);
      CREATE TABLE login(id INTEGER PRIMARY KEY, mail TEXT, domain TEXT NOT NULL DEFAULT 'd');
      CREATE UNIQUE INDEX login_mail ON login(lower(mail)) WHERE domain > '';
      CREATE TABLE pair(a TEXT, b TEXT COLLATE NOCASE UNIQUE, PRIMARY KEY (a, b)) WITHOUT ROWID;
      CREATE TABLE part(id INTEGER PRIMARY KEY, whole REFERENCES part ON UPDATE CASCADE);
      CREATE TABLE loose(x UNIQUE ON CONFLICT REPLACE);
      INSERT INTO part VALUES (1, 1);
      """,
      encoding: encoding
    )
    let sql = """
      PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;
      BEGIN;
      UPDATE travelog_context SET author = 'old', request = 'r1';
      INSERT INTO login(mail) VALUES ('A@b'), ('c@d');
      INSERT OR REPLACE INTO login(mail) VALUES ('a@B');
      UPDATE part SET id = 2;
      INSERT INTO pair VALUES ('x', 'y') ON CONFLICT DO NOTHING;
      INSERT INTO loose VALUES (1), (1), (2);
      UPDATE travelog_context SET author = NULL;
      COMMIT;
      DELETE FROM loose WHERE x = 2;
      """
    let version = try output(
      of: "env",
      ["LD_LIBRARY_PATH=" + URL(fileURLWithPath: library).deletingLastPathComponent().path]
        + ["python3", program("old_sqlite.py"), library, world.path, sql]
    )
    #expect(version.hasPrefix("3.31."))
    let changes = try world.changes()
    #expect(changes.map(\.author) == ["old", nil])
    #expect(
      Set(changes[0].changes) == [
        "insert login 2", "insert login 3", "delete part 1", "insert part 2",
        #"insert pair ["text:x","text:y"]"#, "insert loose 2", "insert loose 3",
      ]
    )
    #expect(changes[1].changes == ["delete loose 3"])
    try world.exportLogs()
    #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
  }

  @Test(
    "Another version of SQLite writes to an adopted file and migrates it, and all replicas are right.",
    .enabled(if: isInstalled("python3"), "there is no python3"),
    arguments: SampleSchema.few,
    OtherSQLite.allCases.filter { $0.prefix != nil }
  )
  fileprivate func statements(_ sample: SampleSchema, _ version: OtherSQLite) throws {
    let prefix = try #require(version.prefix)
    let code = """
      import importlib, os
      module = importlib.import_module(os.environ.get("SQLITE_MODULE", "sqlite3"))
      print(module.sqlite_version)
      """
    let number = try output(of: prefix[0], prefix.dropFirst() + ["python3", "-c", code])
    let isOlder = number.compare("3.40", options: .numeric) == .orderedAscending
    #expect(isOlder == (version == .old), "\(number)")
    let world = try AdoptedWorld(sample.sql)
    try world.compareReplicas("adoption")
    func program(_ seed: String, _ flags: String...) -> RandomProgram {
      RandomProgram(
        seed: "\(sample.name) \(seed)",
        statements: trials(20, long: 200),
        flags: flags,
        prefix: prefix
      )
    }
    let requests = try world.run(program("first", "--brackets"))[0]
    #expect(try world.changes().map { $0.request ?? "" } == requests)
    try world.compareReplicas("brackets")
    try world.run("PRAGMA journal_mode = WAL")
    try world.run(
      program("second"),
      RandomProgram(seed: sample.name, statements: trials(20, long: 200))
    )
    try world.compareReplicas("two versions at once")
    _ = try Store.suspend(world.path) { try world.run(program("third", "--ddl", "--drop")) }
    try world.compareReplicas("a migration")
    try world.run(program("fourth", "--ddl"))
    try world.compareReplicas("changed tables")
  }

  @Test("The added tables and triggers use only what SQLite 3.8.2 has.")
  func statements() throws {
    // The names that precede a parenthesis in the added statements, without names of tables.
    let old: Set = [
      "as", "cast", "coalesce", "from", "in", "julianday", "key", "max", "on", "or",
      "and", "round", "select", "total_changes", "values", "where", "when", "exists", "unique",
      "check", "not", "lower", "length",
    ]
    for sample in SampleSchema.all {
      let world = try AdoptedWorld(sample.sql)
      let connection = try Connection(path: world.path, mode: .readOnly)
      let rows = try connection.prepare(
        "SELECT sql FROM sqlite_schema WHERE name LIKE 'travelog\\_%' ESCAPE '\\' AND sql IS NOT NULL"
      )
      var count = 0
      while try rows.step() {
        let tokens = tokens(of: rows.string(at: 0))
        count += 1
        for (index, token) in tokens.enumerated() {
          guard case .word(let word) = token else { continue }
          let name = word.lowercased()
          #expect(
            !["strict", "autoincrement", "returning", "over", "generated"].contains(name),
            "\(sample): \(rows.string(at: 0))"
          )
          guard index + 1 < tokens.count, tokens[index + 1] == .symbol("(") else { continue }
          #expect(
            old.contains(name) || name.hasPrefix("travelog_") || sample.sql.contains(word + "("),
            "\(sample) uses \(word): \(rows.string(at: 0))"
          )
        }
      }
      #expect(count > 10)
    }
  }
}
