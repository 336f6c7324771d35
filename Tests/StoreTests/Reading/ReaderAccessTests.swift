import Format
import SQLite
import StoreTesting
import Testing

@testable import Store

@Suite("Access rights of a reader")
struct ReaderAccessTests {
  private static let writing = [
    "INSERT INTO Tag (id, word) VALUES (9, 'smuggled')",
    "UPDATE main.Tag SET word = 'smuggled'",
    "DELETE FROM Tag",
    "DROP TABLE Tag",
    "CREATE TABLE other (x)",
    "CREATE TEMP TRIGGER t AFTER INSERT ON Tag BEGIN DELETE FROM Tag; END",
    "PRAGMA user_version = 7",
    "ATTACH ':memory:' AS other",
    "BEGIN",
  ]

  @Test(
    "A reader refuses statements that change the store without history.",
    arguments: Place.allCases,
    [false, true]
  )
  func refused(_ place: Place, hasTemporaryTables: Bool) throws {
    try withStore(place) { store, _ in
      try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("t")]) }
      let ways: [(Connection, String) throws -> Void] = [
        { try $0.execute($1) }, { _ = try $0.prepare($1) }, { _ = try $0.cached($1) },
      ]
      for (sql, write) in Self.writing.flatMap({ sql in ways.map { (sql, $0) } }) {
        let error = #expect(throws: StoreError.self, "\(sql)") {
          try store.read { reader in
            if hasTemporaryTables { try reader.allowTemporaryTables() }
            try write(reader.connection, sql)
          }
        }
        #expect(error?.code == .readOnly, "\(sql)")
      }
      #expect(try rows("SELECT word FROM Tag", in: store) == ["t"])
      // The writer of a store in memory uses the same connection, and can still write.
      try store.write(Author()) { try $0.insert(tag, id: 2, values: [.text("u")]) }
      #expect(try rows("SELECT word FROM Tag ORDER BY id", in: store) == ["t", "u"])
    }
  }

  @Test(
    "A reader writes temporary tables, and the store does not contain them.",
    arguments: Place.allCases
  )
  func temporary(_ place: Place) throws {
    try withStore(place) { store, _ in
      try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("t")]) }
      let reader = try store.takeReader()
      try reader.allowTemporaryTables()
      try reader.connection.execute(
        """
        CREATE TEMP TABLE words AS SELECT word FROM main.Tag;
        CREATE UNIQUE INDEX temp.word ON words (word);
        CREATE TEMP VIEW twice AS SELECT word || word AS word FROM temp.words;
        """
      )
      try reader.connection.cached("INSERT INTO temp.words VALUES ('u')").run()
      let read = try reader.connection.prepare("SELECT group_concat(word) FROM temp.twice")
      #expect(try read.step())
      #expect(read.string(at: 0) == "tt,uu")
      read.reset()
      try reader.connection.execute("DROP VIEW temp.twice; DROP TABLE temp.words")
      store.giveBack(reader)
      #expect(try rows("SELECT name FROM sqlite_schema WHERE name = 'words'", in: store) == [])
    }
  }
}
