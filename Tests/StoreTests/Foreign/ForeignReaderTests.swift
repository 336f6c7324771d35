import Foundation
import SQLite
import StoreTesting
import Testing

@testable import Format
@testable import Store

@Suite("Reading foreign changes")
struct ForeignReaderTests {
  private func head(_ store: Store) throws -> Int64 {
    try store.read { try $0.historyRange().head.transaction }
  }

  private func open(_ store: Store, readOnly: Bool = false) throws -> Store {
    try Store.open(store.location, options: Options(isReadOnly: readOnly))
  }

  @Test("A store seals foreign changes before its history is read.", arguments: [false, true])
  func sealing(isReadOnly: Bool) throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      let reading = try self.open(store, readOnly: isReadOnly)
      #expect(try reading.sealForeignChanges())
      let found = try reading.read { reader in
        let cursor = try reader.history()
        let transaction = try cursor.nextTransaction()
        let change = try cursor.nextChange()
        return (transaction, change?.object, try reader.point(1), try reader.historyRange())
      }
      #expect(found.0?.operation == .foreign)
      #expect(found.1 == 1)
      #expect(found.3.head == found.2)
      #expect(found.3.oldest == 1)
      #expect(try capturedCount(connection) == 0)
      try store.read { try $0.check(found.2) }
    }
  }

  @Test("Reading only rows seals nothing.")
  func rowsAlone() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      #expect(try rows("SELECT word FROM Tag", in: store) == ["a"])
      #expect(try capturedCount(connection) == 1)
    }
  }

  @Test("While another program writes, nothing is sealed, and nobody waits for it.")
  func open() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      let other = try foreignConnection(to: store)
      try other.execute("BEGIN; INSERT INTO Tag (word) VALUES ('b')")
      let start = ContinuousClock.now
      let reading = try self.open(store, readOnly: true)
      for store in [reading, store] {
        #expect(try !store.sealForeignChanges())
        #expect(try self.head(store) == 0)
        #expect(try store.read { try $0.unshownChanges() } == 1)
      }
      #expect(ContinuousClock.now - start < .seconds(5))
      try other.execute("COMMIT")
      #expect(try reading.sealForeignChanges())
      #expect(try self.head(reading) == 2)
      #expect(try self.head(store) == 2)
    }
  }

  @Test("A reader that began before others sealed and wrote keeps its snapshot.")
  func snapshot() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Tag (word) VALUES ('a')")
      let reader = try store.takeReader()
      defer { store.giveBack(reader) }
      let other = try self.open(store)
      try other.write(Author()) { try $0.insert(Kind.tag, id: 9, values: [.text("c")]) }
      #expect(try reader.historyRange().head.transaction == 0)
      #expect(try reader.unshownChanges() == 1)
      try reader.refresh()
      #expect(try reader.historyRange().head.transaction == 2)
    }
  }

  @Test("A script can name the author of its changes of a store, as in an adopted file.")
  func author() throws {
    try withForeignStore { store, connection in
      try connection.execute(
        """
        BEGIN; UPDATE travelog_context SET author = 'Ann', reason = 'cleaning', request = '7';
        INSERT INTO Tag (word) VALUES ('a'); UPDATE Tag SET word = 'b';
        UPDATE travelog_context SET author = NULL; COMMIT; INSERT INTO Tag (word) VALUES ('c');
        """
      )
      try seal(store)
      let found = try store.read { reader in try (1...2).map { try reader.transaction($0) } }
      #expect(found.map { $0?.author } == ["Ann", nil])
      #expect(found[0]?.reason == "cleaning" && found[0]?.request == "7")
      #expect(found.map { $0?.details } == Array(repeating: #"{"boundary":"proven"}"#, count: 2))
      #expect(found.map { $0?.operation } == [.foreign, .foreign])
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
      // The write-ahead log no longer proves where transactions end.
      try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      try other.execute(
        """
        UPDATE travelog_rows_0 SET time = 2440587.5 + (1000000000000 + CASE id WHEN 1 THEN 0
          WHEN 2 THEN 1000 WHEN 3 THEN 2001 WHEN 4 THEN 2000 ELSE 2000 END) / 86400000.0
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

  @Test("Large values that another program wrote into rows are read after sealing.")
  func values() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Trip (image) VALUES (zeroblob(2000000))")
      let reading = try self.open(store, readOnly: true)
      let digest = SHA256.digest(of: [UInt8](repeating: 0, count: 2_000_000)).description
      #expect(try self.head(reading) == 1)
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
