import Foundation
import SQLite
import TestSupport
import Testing

/// The table, the rows and the settings of a program's database.
private func program(journal: String) -> String {
  """
  PRAGMA journal_mode = \(journal);
  CREATE TABLE product(sku TEXT PRIMARY KEY NOT NULL, price INT, note TEXT);
  CREATE TABLE loose(a, b UNIQUE);
  CREATE INDEX product_price ON product(price);
  CREATE TRIGGER cheap AFTER INSERT ON product BEGIN
    UPDATE product SET price = 1 WHERE sku = NEW.sku AND NEW.price < 1; END;
  INSERT INTO product VALUES ('tea', 3, NULL), ('cup', 7, 'blue');
  INSERT INTO loose VALUES (1, 2), ('x', x'00');
  """
}

private let rows = "product: 'cup',7,'blue' 'tea',3,NULL loose: 'x',X'00' 1,2"

/// The rows of the program, which no stop may change.
private func programRows(_ path: String, columns: String = "sku, price, note") throws -> String {
  let connection = try Connection(path: path, mode: .readWrite)
  var text = ""
  for (table, list) in [("product", columns), ("loose", "a, b")] {
    let values = list.split(separator: ", ").map { "quote(\($0))" }.joined(separator: " || ',' || ")
    let rows = try connection.prepare("SELECT \(values) FROM \(table) ORDER BY 1")
    text += "\(table):"
    while try rows.step() { text += " " + rows.string(at: 0) }
    text += " "
  }
  return String(text.dropLast())
}

/// The schema as SQLite keeps it, with the pages of its tables.
private func schema(_ path: String) throws -> [String] {
  let connection = try Connection(path: path, mode: .readWrite)
  let rows = try connection.prepare(
    "SELECT type || name || tbl_name || rootpage || quote(sql) FROM sqlite_schema ORDER BY rowid"
  )
  var result: [String] = []
  while try rows.step() { result.append(rows.string(at: 0)) }
  return result
}

/// A database that is created again before each run, and the path of the log folder beside it.
private func withDatabase(
  journal: String,
  isAdopted: Bool,
  _ body: (_ fresh: @escaping () throws -> Void, _ path: String, _ folder: URL) throws -> Void
) throws {
  try withTemporaryFolder { folder in
    let pristine = folder.path + "/pristine.db"
    let path = folder.path + "/app.db"
    try Connection(path: pristine, mode: .readWriteCreate).execute(program(journal: journal))
    if isAdopted {
      try travelog("adopt", pristine)
      try Connection(path: pristine, mode: .readWrite).execute(
        "UPDATE product SET price = 2 WHERE sku = 'tea'; UPDATE product SET price = 3 WHERE price = 2"
      )
      try travelog("export", pristine, "--to", folder.path + "/pristine")
    }
    try body(
      {
        try removeStore(path)
        try remove(folder.path + "/logs")
        try FileManager.default.copyItem(atPath: pristine, toPath: path)
        guard isAdopted else { return }
        try FileManager.default.copyItem(
          atPath: folder.path + "/pristine",
          toPath: folder.path + "/logs"
        )
      },
      path,
      folder
    )
  }
}

/// Prepares `adopt`.
///
/// After each stop, the file has its earlier schema, or is adopted completely.
func prepareAdoption(journal: String, _ body: (StoppedRun) throws -> Void) throws {
  try withDatabase(journal: journal, isAdopted: false) { fresh, path, folder in
    try fresh()
    let original = try schema(path)
    try body(
      StoppedRun(arguments: ["adopt", path], folder: folder, codeWhenDone: 2, prepare: fresh) {
        place in
        #expect(try programRows(path) == rows, "\(place)")
        let isUntouched = try schema(path) == original
        let again = try travelog("adopt", path)
        #expect(again.code == (isUntouched ? 0 : 2), "\(place): \(again.errors)")
        if !isUntouched { #expect(again.errors.contains("is adopted already"), "\(place)") }
        #expect(try programRows(path) == rows, "\(place)")
        try Connection(path: path, mode: .readWrite)
          .execute("INSERT INTO product VALUES ('pot', 9, NULL)")
        let log = try travelog("log", path)
        #expect(log.output.contains("+1 product"), "\(place): \(log.output)")
        #expect(try travelog("check", path).code == 0, "\(place)")
        #expect(
          try travelog("adopt", path, "--detach", "--discard-history").code == 0,
          "\(place)"
        )
        #expect(try schema(path) == original, "\(place)")
      }
    )
  }
}

/// Prepares `adopt --detach`.
///
/// After each stop, the file is adopted, or has its original schema.
func prepareDetaching(_ body: (StoppedRun) throws -> Void) throws {
  try withDatabase(journal: "WAL", isAdopted: false) { fresh, path, folder in
    try fresh()
    let original = try schema(path)
    func adopt() throws {
      try fresh()
      try travelog("adopt", path)
    }
    try adopt()
    let adopted = try schema(path)
    try body(
      StoppedRun(
        arguments: ["adopt", path, "--detach"],
        folder: folder,
        codeWhenDone: 4,
        prepare: adopt
      ) { place in
        #expect(try programRows(path) == rows, "\(place)")
        let isAdopted = try schema(path) == adopted
        #expect(try isAdopted || schema(path) == original, "\(place)")
        if isAdopted { #expect(try travelog("check", path).code == 0, "\(place)") }
        let again = try travelog("adopt", path, "--detach")
        #expect(again.code == (isAdopted ? 0 : 4), "\(place): \(again.errors)")
        #expect(try schema(path) == original, "\(place)")
        #expect(try programRows(path) == rows, "\(place)")
      }
    )
  }
}

/// Prepares `adopt --suspend`.
///
/// After each stop, the next command restores the triggers.
func prepareSuspension(_ body: (StoppedRun) throws -> Void) throws {
  let sqlite = try #require(installed("sqlite3"), "There is no sqlite3.")
  try withDatabase(journal: "DELETE", isAdopted: true) { fresh, path, folder in
    let logs = folder.path + "/logs"
    // The lock lets the test wait for a migration that still runs after `travelog` is stopped.
    let migration = """
      exec 9> '\(folder.path)/running'; flock 9
      \(sqlite) -cmd '.timeout 10000' '\(path)' 'ALTER TABLE product DROP COLUMN note' 2>&1; true
      """
    let command =
      ["adopt", "--suspend", path, "--", "/usr/bin/env", "-u", "LD_PRELOAD"]
      + ["/bin/sh", "-c", migration]
    let found = "product: 'cup',7 'tea',3 loose: 'x',X'00' 1,2"
    try body(
      StoppedRun(arguments: command, folder: folder, prepare: fresh) { place in
        _ = try run("/bin/sh", ["-c", "exec 9> '\(folder.path)/running'; flock 9"])
        #expect(try programRows(path, columns: "sku, price") == found, "\(place)")
        // The next command restores the triggers.
        #expect(try travelog("log", path).code == 0, "\(place)")
        try Connection(path: path, mode: .readWrite)
          .execute("INSERT INTO product (sku, price) VALUES ('pot', 0)")
        let log = try travelog("log", path)
        #expect(log.output.contains("+1 product"), "\(place): \(log.output)")
        let run = try travelog(command)
        #expect(run.code == 0, "\(place): \(run.errors)")
        #expect(
          try programRows(path, columns: "sku, price")
            == found.replacingOccurrences(of: " 'tea'", with: " 'pot',1 'tea'"),
          "\(place)"
        )
        #expect(try !schema(path).contains { $0.contains("note TEXT") }, "\(place)")
        #expect(try travelog("check", path).code == 0, "\(place)")
        #expect(try travelog("export", path, "--to", logs).code == 0, "\(place)")
        let verified = try travelog("verify", logs, "--against", path)
        #expect(verified.code == 0, "\(place): \(verified.output)")
      }
    )
  }
}
