import Store
import StoreTesting
import Testing

@Suite("IDs that foreign programs use")
struct ForeignIDTests {
  @Test("The ids from 1 to 2^53 - 1 that foreign programs refer to are reserved.")
  func reservedIDs() throws {
    for (id, reserved) in [
      (1, ["1"]), (1 << 53 - 1, ["9007199254740991"]), (1 << 53, []),
    ] as [(Int64, [String])] {
      try withForeignStore { store, connection in
        try connection.execute("INSERT INTO Trip (name, plan) VALUES ('a', \(id))")
        try seal(store)
        let found = try rows("SELECT seq FROM sqlite_sequence WHERE name = 'Plan'", in: store)
        #expect(found == reserved, "\(id)")
      }
    }
  }
}
