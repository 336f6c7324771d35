import Foundation
import ProcessTesting
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

/// The programs that people use; the tests of a missing program are reported as skipped.
@Suite("The sqlite3 shell and Python")
struct ForeignProgramTests {
  private static func path(of program: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static let shell = path(of: "sqlite3")
  static let python = path(of: "python3")

  /// Runs a program, and returns its output.
  @discardableResult
  private func run(_ program: String?, _ arguments: [String]) throws -> String {
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: try #require(program))
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  private func sqlite(_ store: Store, _ sql: String) throws {
    let output = try run(Self.shell, [store.location.path, sql])
    #expect(output.isEmpty)
  }

  @Test(
    "Each run of the shell is a separate transaction, however soon it follows another.",
    .enabled(if: shell != nil, "there is no sqlite3 on the PATH")
  )
  func shells() throws {
    try withForeignStore { store, _ in
      try sqlite(store, "INSERT INTO Tag (word) VALUES ('a'), ('b')")
      try sqlite(store, "UPDATE Tag SET word = 'c' WHERE id = 1")
      try sqlite(store, "INSERT OR REPLACE INTO Tag (id, word) VALUES (2, 'd')")
      try sqlite(store, "BEGIN; DELETE FROM Tag; ROLLBACK")
      try sqlite(
        store,
        """
        BEGIN; INSERT INTO Trip (name) VALUES ('Oslo'); INSERT INTO Tag_trips VALUES (1, 1);
        SAVEPOINT s; DELETE FROM Tag; ROLLBACK TO s; COMMIT
        """
      )
      #expect(
        try foreignChanges(of: store) == [
          [#"insert Tag 1 {"word":"a"}"#, #"insert Tag 2 {"word":"b"}"#],
          [#"update Tag 1 ["word"] {"word":"a"} {"word":"c"}"#],
          [#"update Tag 2 ["word"] {"word":"b"} {"word":"d"}"#],
          [
            #"insert Trip 1 {"name":"Oslo","price":null,"image":null,"plan":null}"#,
            #"update Tag 1 ["trips"] {"trips":[]} {"trips":[{"entity":"Trip","id":"1"}]}"#,
          ],
        ]
      )
      try expectAgreement(store)
    }
  }

  @Test(
    "Values that a foreign program writes keep their storage class and every bit.",
    .enabled(if: shell != nil, "there is no sqlite3 on the PATH")
  )
  func values() throws {
    try withForeignStore(schema: Self.everyType) { store, _ in
      for values in Self.odd {
        let names = values.map { $0.0 }.joined(separator: ", ")
        let list = values.map { $0.1 }.joined(separator: ", ")
        try sqlite(
          store,
          "PRAGMA ignore_check_constraints = ON; INSERT INTO A (\(names)) VALUES (\(list))"
        )
        try sqlite(
          store,
          "PRAGMA ignore_check_constraints = ON; UPDATE A SET "
            + values.map { "\($0.0) = NULL" }.joined(separator: ", ")
        )
        try sqlite(
          store,
          "PRAGMA ignore_check_constraints = ON; UPDATE A SET "
            + values.map { "\($0.0) = \($0.1)" }.joined(separator: ", ")
        )
        try expectAgreement(store, list)
      }
      let special = try rows("SELECT DISTINCT special FROM history_change", in: store)
      #expect(special.contains { $0.contains("nan") })
      #expect(special.contains { $0.contains("text:blue") })
      #expect(special.contains { $0.contains("text64:/0HDKA==") })
    }
  }

  @Test(
    "A script that rolls back half of its work leaves the other half.",
    .enabled(if: python != nil, "there is no python3 on the PATH")
  )
  func script() throws {
    try withForeignStore { store, _ in
      let script = """
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1])
        for index in range(10):
            connection.execute("INSERT INTO Tag (word) VALUES (?)", (f"w{index}",))
            if index % 2:
                connection.rollback()
            else:
                connection.commit()
        try:
            with connection:
                connection.execute("INSERT OR REPLACE INTO Trip (name, price) VALUES ('x', ?)", (1.5,))
                connection.execute("INSERT INTO Trip (name) VALUES ('x')")
        except sqlite3.IntegrityError:
            pass
        with connection:
            connection.executemany(
                "INSERT OR REPLACE INTO Trip (name, image) VALUES (?, ?)",
                [("é\\0z", b"\\x00\\xff"), ("é\\0z", b"")])
        """
      let output = try run(Self.python, ["-c", script, store.location.path])
      #expect(output == "")
      try expectAgreement(store)
      #expect(try rows("SELECT word FROM Tag", in: store) == ["w0", "w2", "w4", "w6", "w8"])
      let changes = try foreignChanges(of: store).flatMap { $0 }
      #expect(changes.filter { $0.contains("Tag") }.count == 5)
      #expect(changes.filter { $0.contains("Trip") }.count == 1)
    }
  }

  /// One entity with an attribute of each type.
  private static let everyType = StoreSchema(
    version: "1",
    entities: [
      Entity(
        name: "A",
        attributes: ValueType.declared.map { Attribute(name: "\($0)", type: $0, isOptional: true) }
      )
    ]
  )

  /// Values of each type as SQL: unusual ones, and ones of a wrong type.
  private static let odd: [[(String, String)]] = [
    [
      ("bool", "1"), ("int8", "-128"), ("int64", "-9223372036854775808"),
      ("uint64", "'18446744073709551615'"), ("float16", "'NaN'"), ("float", "-9e999"),
      ("double", "-0.0"), ("decimal", "'NaN'"), ("string", "'a' || char(0) || 'é'"),
      ("date", "1e15"), ("data", "x''"), ("uuid", "'0E984725-C51C-4BF4-9960-E1C80E27ABA0'"),
      ("url", "'http://a b'"), ("json", "'{}'"), ("transformed", "x'00'"),
    ],
    [
      ("bool", "7"), ("int8", "128"), ("uint8", "-1"), ("uint32", "4294967296"),
      ("uint64", "-1"), ("float16", "1"), ("double", "9007199254740993"), ("float", "'blue'"),
      ("decimal", "'1e5'"), ("date", "'yesterday'"), ("uuid", "'blue'"), ("string", "''"),
    ],
    [
      ("double", "9223372036854775807"), ("date", "0"), ("uint64", "x'00'"),
      ("float", "4.9e-324"), ("decimal", "''"), ("url", "''"), ("json", "'not json'"),
    ],
    [
      ("string", "CAST(x'ff41c328' AS TEXT)"), ("url", "CAST(x'ed' AS TEXT)"),
      ("json", "CAST(x'7bfe7d' AS TEXT)"), ("decimal", "CAST(x'80' AS TEXT)"),
      ("float", "CAST(x'f09f98' AS TEXT)"), ("uuid", "CAST(x'c0af' AS TEXT)"),
    ],
    [("string", "CAST(x'fe41c328' AS TEXT)")],
    [("date", "-0.0"), ("double", "1e308 * 10"), ("int64", "9223372036854775807")],
  ]
}
