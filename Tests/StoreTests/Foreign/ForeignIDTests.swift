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
}
