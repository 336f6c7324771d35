import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("Reading foreign changes")
struct ForeignReaderTests {
  private func head(_ store: Store) throws -> Int64 {
    try store.read { try $0.historyRange().head.transaction }
  }

  private func open(_ store: Store, readOnly: Bool = false) throws -> Store {
    try Store.open(store.location, options: Options(isReadOnly: readOnly))
  }

  private func later(_ connection: Connection) throws {
    try connection.execute("UPDATE history_foreign SET time = time - 10000")
  }

  @Test("A writable store seals foreign changes when its history is read.")
  func sealing() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      let found = try store.read { reader in
        let cursor = try reader.history()
        let transaction = try cursor.nextTransaction()
        let change = try cursor.nextChange()
        return (transaction, change?.object, try reader.point(1), try reader.historyRange())
      }
      #expect(found.0?.operation == .foreign)
      #expect(found.1 == 1)
      #expect(found.3.head == found.2)
      #expect(found.3.oldest == 1)
      #expect(try rows("SELECT * FROM history_foreign", in: store).isEmpty)
      #expect(try store.read { try $0.transaction(1) }?.digest == found.2.digest)
      try store.read { try $0.check(found.2) }
    }
  }

  @Test("Reading only rows seals nothing.")
  func rowsAlone() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      #expect(try rows("SELECT word FROM Tag", in: store) == ["a"])
      #expect(try rows("SELECT count(*) FROM history_foreign", in: store) == ["1"])
    }
  }

  @Test("A read-only reader sees the last foreign transaction once nothing can be added to it.")
  func unsealed() throws {
    try withForeignStore { store, connection in
      let reading = try self.open(store, readOnly: true)
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      #expect(try self.head(reading) == 0)
      try self.later(connection)
      #expect(try self.head(reading) == 1)
      try connection.execute("INSERT INTO Tag (word) VALUES ('b')")
      // The two are ten seconds apart, so only the first is shown.
      #expect(try self.head(reading) == 1)
      let shown = try lines(of: reading)
      let point = try reading.read { try $0.point(1) }
      try store.write(Author()) { try $0.insert(Kind.tag, id: 9, values: [.text("c")]) }
      #expect(try self.head(reading) == 3)
      #expect(try lines(of: reading, through: 1) == shown)
      try store.read { try $0.check(point) }
    }
  }

  @Test("The last foreign transaction is not shown while another program may add to it.")
  func open() throws {
    try withForeignStore { store, connection in
      let reading = try self.open(store, readOnly: true)
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      try self.later(connection)
      let other = try foreignConnection(to: store)
      try other.execute("BEGIN; INSERT INTO Tag (word) VALUES ('b')")
      #expect(try self.head(reading) == 0)
      // A store that could seal does not see it either, and does not wait.
      let start = ContinuousClock.now
      #expect(try self.head(store) == 0)
      #expect(ContinuousClock.now - start < .seconds(5))
      try other.execute("COMMIT")
      #expect(try self.head(reading) == 1)
      #expect(try self.head(store) == 2)
    }
  }

  @Test("A reader that began before others sealed and wrote keeps its snapshot.")
  func snapshot() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      try self.later(connection)
      try connection.execute("INSERT INTO Tag (word) VALUES ('b')")
      try self.later(connection)
      let reader = try store.takeReader()
      defer { store.giveBack(reader) }
      let other = try self.open(store)
      try other.write(Author()) { try $0.insert(Kind.tag, id: 9, values: [.text("c")]) }
      // Another program sealed the second, perhaps with more changes.
      #expect(try reader.historyRange().head.transaction == 1)
      #expect(try reader.transaction(2) == nil)
      try reader.refresh()
      #expect(try reader.historyRange().head.transaction == 3)
    }
  }

  @Test("A pause, a clock set back and another connection each begin a transaction.")
  func boundaries() throws {
    try withForeignStore { store, connection in
      for word in ["a", "b", "c", "d", "e"] {
        try connection.execute("INSERT INTO Tag (word) VALUES ('\(word)')")
      }
      let other = try foreignConnection(to: store)
      try other.execute("INSERT INTO Tag (word) VALUES ('f')")
      try other.execute(
        """
        UPDATE history_foreign SET time = 1000000000000 + CASE id WHEN 1 THEN 0 WHEN 2 THEN 1000
          WHEN 3 THEN 2001 WHEN 4 THEN 2000 ELSE 2000 END
        """
      )
      #expect(
        try foreignChanges(of: store).map { $0.count } == [2, 1, 2, 1]
      )
      #expect(
        try rows("SELECT time FROM history_transaction WHERE op = 'foreign'", in: store) == [
          "2001-09-09T01:46:41.000000Z", "2001-09-09T01:46:42.001000Z",
          "2001-09-09T01:46:42.000000Z", "2001-09-09T01:46:42.000000Z",
        ]
      )
    }
  }

  @Test("A large transaction has the same digest in memory and sealed.")
  func large() throws {
    try withForeignStore { store, connection in
      try connection.execute(
        """
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
          INSERT INTO Tag (word) SELECT 'w' || i FROM n;
        UPDATE Tag SET word = word || 'x' WHERE id % 2 = 0;
        """
      )
      try self.later(connection)
      try connection.execute("DELETE FROM Tag WHERE id > 10")
      try expectAgreement(store)
      let found = try rows("SELECT changes, digest IS NULL FROM history_transaction", in: store)
      #expect(found == ["2500|0", "2490|0"])
    }
  }

  @Test("Large values that another program wrote into rows are read before and after sealing.")
  func values() throws {
    try withForeignStore { store, connection in
      let reading = try self.open(store, readOnly: true)
      try connection.execute("INSERT INTO Trip (image) VALUES (zeroblob(2000000))")
      try self.later(connection)
      let digest = SHA256.digest(of: [UInt8](repeating: 0, count: 2_000_000)).description
      #expect(try self.head(reading) == 1)
      #expect(try reading.read { try $0.externalData(digest).count } == 2_000_000)
      try seal(store)
      #expect(try reading.read { try $0.externalData(digest).count } == 2_000_000)
      #expect(try rows("SELECT rows, history FROM store_blob", in: store) == ["0|1"])
    }
  }

  @Test("Blob files stay as long as rows or history need them, for any program.")
  func files() throws {
    try withForeignStore { store, connection in
      let folder = store.location.path + "-blobs"
      func files() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder).count
      }
      try store.write(Author()) { writer in
        for id in Int64(1)...2 {
          try writer.insert(
            Kind.trip,
            id: id,
            values: [.null, .null, .blob(Data(count: 200_000)), .null]
          )
        }
      }
      try connection.execute("DELETE FROM Trip WHERE id = 1")
      try seal(store)
      #expect(try rows("SELECT rows FROM store_blob", in: store) == ["1"])
      #expect(try files() == 1)
      try connection.execute(
        "INSERT INTO Trip (image) SELECT image FROM Trip; DELETE FROM Trip WHERE id = 2"
      )
      try expectAgreement(store)
      #expect(try rows("SELECT rows FROM store_blob", in: store) == ["1"])
      try connection.execute("UPDATE Trip SET image = NULL")
      try expectAgreement(store)
      #expect(try rows("SELECT rows FROM store_blob", in: store) == [])
      #expect(try files() == 0)
    }
  }
}
