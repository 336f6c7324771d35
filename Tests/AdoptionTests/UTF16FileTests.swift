import Adoption
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite("An adopted file in UTF-16")
struct UTF16FileTests {
  private static let encodings = Array(AdoptedWorld.encodings.dropFirst())

  /// Tables with texts in every place, among them keys, unique indexes and defaults.
  private static let tables = """
    CREATE TABLE "größe 東京"("ключ" TEXT PRIMARY KEY, "wert é" TEXT UNIQUE COLLATE NOCASE,
      upper AS (upper("wert é")), bytes AS (hex(CAST("ключ" AS BLOB))) STORED);
    CREATE TABLE pair(a TEXT, b TEXT COLLATE RTRIM, v ANY DEFAULT 'd\u{e9}faut 🧳',
      PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE TABLE loose(x, y TEXT NOT NULL DEFAULT '');
    CREATE UNIQUE INDEX loose_y ON loose(x || y) WHERE y > 'm';
    CREATE VIRTUAL TABLE note USING fts5(body);
    """

  /// The units of a text as a literal in SQL for a database in an encoding.
  private func literal(_ units: [UInt16], _ encoding: String) -> String {
    let digits = units.map { unit in
      String(format: "%04x", encoding == "UTF-16le" ? unit.byteSwapped : unit)
    }
    return "CAST(x'\(digits.joined())' AS TEXT)"
  }

  @Test("Texts of any code units are the same in a replica, byte by byte.", arguments: encodings)
  func roundTrip(encoding: String) throws {
    let world = try AdoptedWorld(Self.tables, encoding: encoding)
    var random = SeededGenerator(for: "adopted file in \(encoding)")
    let kinds: [ClosedRange<UInt16>] = [
      0x41...0x43, 0x61...0x63, 0...2, 0xd800...0xd803, 0xdc00...0xdc03, 0xfffd...0xffff,
      0xfeff...0xfeff, 0xe8...0xea, 0x20...0x20,
    ]
    func text() -> String {
      let units = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        UInt16.random(in: kinds.randomElement(using: &random) ?? 0...0, using: &random)
      }
      return literal(units, encoding)
    }
    for round in 0..<trials(4, long: 40) {
      for _ in 0..<25 {
        let statements = [
          "INSERT OR REPLACE INTO \"größe 東京\" VALUES (\(text()), \(text()))",
          "UPDATE OR IGNORE \"größe 東京\" SET \"ключ\" = \(text()) WHERE \"wert é\" > \(text())",
          "INSERT OR REPLACE INTO pair VALUES (\(text()), \(text()), \(text()))",
          "INSERT OR IGNORE INTO pair(a, b) VALUES (\(text()), \(text()))",
          "UPDATE OR REPLACE pair SET b = \(text()) WHERE a < \(text())",
          "DELETE FROM pair WHERE a = \(text())",
          "INSERT OR IGNORE INTO loose VALUES (\(text()), \(text()))",
          "UPDATE OR IGNORE loose SET x = \(text()) WHERE y = \(text())",
          "INSERT INTO note VALUES (\(text()))",
          "UPDATE note SET body = \(text()) WHERE rowid % 3 = 1",
        ]
        try world.run(statements.randomElement(using: &random) ?? "")
      }
      try world.exportLogs()
      #expect(try verify(VerifyRequest(logs: world.logs)).allSatisfy { $0.findings.isEmpty })
      let replica = try world.restore("replica.db")
      #expect(try recordedRows(of: replica) == recordedRows(of: world.path), "\(round)")
      let connection = try Connection(path: replica, mode: .readOnly)
      let reading = try connection.prepare("PRAGMA encoding")
      #expect(try reading.step())
      #expect(reading.string(at: 0) == encoding)
      for path in [world.path, replica] {
        try readableStore(path).check { Issue.record("\($0) in \(path)") }
      }
    }
    if isInstalled("sqldiff") {
      for table in ["größe 東京", "pair", "loose", "note_content"] {
        let words = ["--primarykey", "--table", table, world.path, world.file("replica.db")]
        #expect(try output(of: "sqldiff", words) == "", "\(table)")
      }
    }
    let rows = try recordedRows(of: world.path)
    try Store.detach(world.path)
    #expect(try recordedRows(of: world.path) == rows)
  }

  @Test("A valid text has the same line in every encoding, and an unpaired surrogate is text64.")
  func lines() throws {
    let valid = ["'é🧳' || char(0) || 'b'", "''", "char(65279) || 'a'", "'a' || char(57344)"]
    var lines: [[String]] = []
    for encoding in AdoptedWorld.encodings {
      let world = try AdoptedWorld("CREATE TABLE t(k TEXT PRIMARY KEY)", encoding: encoding)
      var texts = valid
      if encoding != "UTF-8" {
        texts += [[0x61, 0xd800], [0xffff], [0xfffe, 0x61]].map { literal($0, encoding) }
      }
      try world.run("INSERT INTO t VALUES \(texts.map { "(\($0))" }.joined(separator: ", "))")
      lines.append(try world.changes().flatMap(\.changes))
    }
    #expect(lines[1].starts(with: lines[0]))
    #expect(lines[2] == lines[1])
    #expect(
      lines[1].suffix(3) == [
        // The bytes are 61 ED A0 80.
        #"insert t ["text64:Ye2ggA=="]"#,
        "insert t [\"text:\u{ffff}\"]", "insert t [\"text:\u{fffe}a\"]",
      ]
    )
  }

  @Test("A large text with an unpaired surrogate is in a file, and in a replica.")
  func largeText() throws {
    for encoding in Self.encodings {
      let world = try AdoptedWorld("CREATE TABLE t(id INTEGER PRIMARY KEY, v)", encoding: encoding)
      try world.exportLogs()
      let surrogate = literal([0xd800], encoding)
      try world.run(
        "INSERT INTO t VALUES (1, hex(zeroblob(600000)) || \(surrogate)), (2, hex(zeroblob(600000)))"
      )
      try world.exportLogs()
      let blobs = try FileManager.default.subpathsOfDirectory(atPath: world.logs.path)
        .filter { $0.contains("blobs/") }
      #expect(blobs.count == 2)
      #expect(try recordedRows(of: world.restore("replica.db")) == recordedRows(of: world.path))
    }
  }

  @Test("The header of a log names the encoding, unless it is UTF-8.")
  func header() throws {
    for encoding in AdoptedWorld.encodings {
      let world = try AdoptedWorld("CREATE TABLE t(a)", encoding: encoding)
      let schema = try readableStore(world.path).schema
      #expect(schema.encoding?.rawValue ?? "UTF-8" == encoding)
      #expect(try schema.json().contains("encoding") == (encoding != "UTF-8"))
    }
  }

  @Test("A file that was created again with another encoding is refused, and can be adopted again.")
  func otherEncoding() throws {
    let world = try AdoptedWorld(
      "CREATE TABLE t(k TEXT PRIMARY KEY); INSERT INTO t VALUES ('é')",
      encoding: "UTF-16"
    )
    let copy = world.file("copy.db")
    let program = """
      import sqlite3, sys
      old, new = sqlite3.connect(sys.argv[1]), sqlite3.connect(sys.argv[2])
      new.executescript("".join(old.iterdump()))
      """
    try output(of: "python3", ["-c", program, world.path, copy])
    do {
      _ = try Store.open(.file(URL(fileURLWithPath: copy)))
      Issue.record("the file is not refused")
    } catch let error as StoreError {
      #expect(error.code == .schemaMismatch)
      #expect("\(error.wording)".contains("in UTF-8, but its history was recorded in UTF-16le"))
    }
    try Store.detach(copy)
    _ = try Store.adopt(copy)
    #expect(try recordedRows(of: copy).count == 1)
  }
}
