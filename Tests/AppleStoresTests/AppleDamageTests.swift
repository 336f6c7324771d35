import AppleFiles
import AppleStores
import Format
import Foundation
import SQLite
import TestSupport
import Testing

/// Bad input in tables whose pages are right: each row of history is read or named, and each object
/// is read or counted.
@Suite("Wrong rows and columns in Apple's layout")
struct AppleDamageTests {
  @Test("Nothing is dropped in silence, whatever a random statement did.")
  func statements() throws {
    var random = SeededGenerator(for: "wrong rows in Apple's layout")
    for _ in 0..<trials(40, long: 2000) {
      try withTemporaryFolder { folder in
        let file = try AppleFile(
          folder.appending(path: "Music.sqlite"),
          .random(using: &random),
          history: [.inline, .interned].randomElement(using: &random) ?? .inline
        )
        for _ in 0..<4 { try file.runRandomly(changes: 6, using: &random) }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          try damage(file.connection, using: &random)
        }
        do {
          try readAll(file.connection, beside: file.url.path)
        } catch let error as StoreError {
          // The message has the name of the table.
          #expect(error.message.contains("The table A") || error.message.contains("damaged"))
        }
      }
    }
  }

  private func damage(
    _ connection: Connection,
    using random: inout SeededGenerator
  ) throws {
    let tables = try FileTables(connection).columns.filter { $0.key != "Z_METADATA" }
    guard let table = tables.keys.sorted().randomElement(using: &random),
      let column = tables[table]?.randomElement(using: &random)
    else { return }
    let value =
      [
        "NULL", "-1", "99", "9223372036854775807", "1.5", "'text'", "x''", "x'FFFFFF'", "Z_PK + 1",
        "x'0299'", "zeroblob(9)", "CAST(x'FF' AS TEXT)",
      ].randomElement(using: &random) ?? ""
    let statements = [
      "UPDATE \(table) SET \(column) = \(value)",
      "UPDATE \(table) SET \(column) = \(value) WHERE rowid % 3 = 0",
      "DELETE FROM \(table) WHERE rowid % 2 = 0", "DELETE FROM \(table)", "DROP TABLE \(table)",
      "ALTER TABLE \(table) DROP COLUMN \(column)",
      "ALTER TABLE \(table) ADD COLUMN ZSURPRISE INTEGER",
      "ALTER TABLE \(table) RENAME COLUMN \(column) TO ZSURPRISE2",
    ]
    do {
      try connection.execute(statements.randomElement(using: &random) ?? "")
    } catch is SQLiteError {
      // A constraint or a missing column does not allow the statement.
    }
  }

  private func readAll(_ connection: Connection, beside path: String) throws {
    func count(_ sql: String) throws -> Int64 { try connection.number("SELECT \(sql)") }
    let store = try AppleStore(connection)
    if let history = try AppleHistory(store) {
      var transactions: [Int64] = []
      var changes: [Int64] = []
      while let transaction = try history.next() {
        transactions.append(transaction.number)
        while let change = try history.nextChange() { changes.append(change.number) }
      }
      while let change = try history.nextChange() {
        #expect(change.unread.contains(.missingTransaction))
        changes.append(change.number)
      }
      #expect(Int64(Set(changes).count) == Int64(changes.count))
      #expect(try Int64(changes.count) == count("count(*) FROM ACHANGE"))
      #expect(transactions == transactions.sorted())
      #expect(try Int64(transactions.count) == count("count(*) FROM ATRANSACTION"))
    }
    let schema = try AppleSchema(store)
    for table in store.layout.tables where !table.columns.isEmpty {
      let rows = try AppleRows(
        store,
        schema,
        root: table.root,
        external: ExternalFolder(besideStore: path)
      )
      var all = 0
      while try rows.next() != nil { all += 1 }
      #expect(try Int64(all) + rows.unknownCount == count("count(*) FROM \(table.name)"))
    }
    for join in store.layout.joins {
      let links = try AppleLinks(store, join)
      var all: Int64 = 0
      while try links.next() != nil { all += 1 }
      #expect(try all == count("count(*) FROM \(join.table)"))
    }
  }

  @Test(
    "Names that no file has are read or refused.",
    arguments: [
      ["a\u{0}b", "a"], ["note", "Note"], ["'\"", "x]"], [String(repeating: "long", count: 5000)],
      ["Z_PK", "ENT"], ["ß", "ss"], ["MODELCACHE", "_METADATA"],
    ]
  )
  func names(_ names: [String]) throws {
    let attributes = names.map { FileModel.Attribute(name: $0, type: 700) }
    let model = FileModel(
      entities: names.map { FileModel.Entity(name: $0, attributes: attributes) }
    )
    let connection = try Fixture(cache: deflated(model.archive())).open()
    do {
      try readAll(connection, beside: "/nowhere/Music.sqlite")
    } catch let error as StoreError {
      #expect(!error.message.isEmpty)
    }
  }

  @Test("Of two entities with one name, the first is read, and the other is named.")
  func twins() throws {
    let builder = ArchiveBuilder()
    let other = builder.object("NSEntityDescription", [("NSEntityName", builder.text("Song"))])
    let root = builder.object(
      "NSManagedObjectModel",
      [("NSEntities", builder.dictionary([("Song", other), ("Other", other)]))]
    )
    let cache = deflated(builder.bytes(root: root))
    let model = try AppleStore(Fixture(cache: cache).open(), isStrict: true).model
    #expect(model.entities.map(\.name) == ["Song"])
    #expect(model.findings.first == "The model has two entities named Song.")
    // Without a model, the names of entities are those of Z_PRIMARYKEY.
    var fixture = Fixture(cache: nil)
    fixture.changes = "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Note' WHERE Z_ENT < 10"
    try readAll(fixture.open(), beside: "/nowhere/Music.sqlite")
  }

  @Test("A text of 10 MiB is read, and so is one with NUL.")
  func texts() throws {
    try withTemporaryFolder { folder in
      let model = FileModel(entities: [
        FileModel.Entity(name: "Note", attributes: [FileModel.Attribute(name: "text", type: 700)])
      ])
      let file = try AppleFile(folder.appending(path: "Notes.sqlite"), model)
      let text = String(repeating: "0123456789abcde\u{0}", count: 640 << 10)
      _ = file.insert("Note", ["text": .text(text)])
      try file.save()
      let store = try AppleStore(file.connection)
      let rows = try AppleRows(
        store,
        AppleSchema(store),
        root: 0,
        external: ExternalFolder(besideStore: file.url.path)
      )
      #expect(try rows.next()?.values == [.value(.text(text))])
    }
  }
}
