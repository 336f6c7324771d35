import Changes
import Store
import StoreTesting
import Testing

@Suite("IDs that foreign programs use")
struct ForeignIDTests {
  @Test("An id that a foreign insertion refers to is never given to a new object.")
  func referencedID() throws {
    try withForeignStore { store, connection in
      try connection.execute("INSERT INTO Trip (name, plan) VALUES ('a', 50)")
      try seal(store)
      #expect(try rows("SELECT seq FROM sqlite_sequence WHERE name = 'Plan'", in: store) == ["50"])
    }
  }

  @Test("The ids from 1 to 2^53 - 1 that foreign programs refer to are reserved.")
  func reservedIDs() throws {
    for (id, reserved) in [
      (1, ["1"]), (2, ["2"]), (1 << 53 - 1, ["9007199254740991"]), (1 << 53, []),
    ] as [(Int64, [String])] {
      try withForeignStore { store, connection in
        try connection.execute("INSERT INTO Trip (name, plan) VALUES ('a', \(id))")
        try seal(store)
        let found = try rows("SELECT seq FROM sqlite_sequence WHERE name = 'Plan'", in: store)
        #expect(found == reserved, "\(id)")
      }
    }
  }

  @Test("A read-only store shows its last sealed transaction while others wait to be sealed.")
  func sealedTransaction() throws {
    try withForeignStore { store, connection in
      try store.write(Author(name: "Ann")) { try $0.insert(Kind.tag, id: 1, values: [.text("a")]) }
      let reading = try Store.open(store.location, options: Options(isReadOnly: true))
      try connection.execute("INSERT INTO Tag (word) VALUES ('b')")
      try connection.execute("UPDATE history_foreign SET time = time - 10000")
      try reading.read { reader in
        let sealed = try reader.transaction(1)
        #expect(sealed?.author == "Ann")
        #expect(sealed?.count == 1)
        let waiting = try reader.transaction(2)
        #expect(waiting?.operation == .foreign)
      }
    }
  }
}
