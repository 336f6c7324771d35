import SQLite
import StoreTesting
import Testing

@testable import Changes
@testable import Store

@Suite("Ids and errors of a writer")
struct WriterTests {
  private func reserve(_ count: Int, in store: Store) throws -> Int64 {
    try store.write(Author()) { try $0.reserveIDs("Tag", count: count) }
  }

  @Test("Reserved ids follow all earlier ones, and the ids of rows that another program wrote.")
  func reservedIDs() throws {
    try withStore(.memory) { store, _ in
      #expect(try reserve(1, in: store) == 1)
      #expect(try reserve(3, in: store) == 2)
      #expect(try reserve(1, in: store) == 5)
      try store.write(Author()) { try $0.insert(tag, id: 9, values: [.text("t")]) }
      #expect(try reserve(1, in: store) == 10)
      try store.inTransaction { try $1.execute("DELETE FROM sqlite_sequence") }
      #expect(try reserve(2, in: store) == 10)
      #expect(try reserve(1, in: store) == 12)
      #expect(try store.write(Author()) { try $0.reserveIDs("Trip", count: 1) } == 1)
    }
  }

  @Test("The highest possible id can be reserved, and then the table has no ids left.")
  func lastID() throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) { try $0.insert(tag, id: .max - 2, values: [.text("t")]) }
      let early = try storeError { _ = try reserve(3, in: store) }
      #expect(early.code == .invalidValue)
      #expect(
        early.message
          == "The table Tag has no ids left: another program gave a row the id \(Int64.max - 2)."
      )
      #expect(try reserve(2, in: store) == .max - 1)
      let error = try storeError { _ = try reserve(1, in: store) }
      #expect(
        error.message
          == "The table Tag has no ids left: another program gave a row the id \(Int64.max)."
      )
    }
  }

  @Test("The columns in an error of SQLite are those of the entity's table, in the same order.")
  func columnsOfErrors() throws {
    let layout = try sampleSchema.layouts()[trip]
    func columns(_ message: String) -> [ColumnIndex] {
      failedColumns(
        SQLiteError(code: SQLiteError.constraintUnique, message: message, path: ""),
        layout: layout
      )
    }
    let start = "UNIQUE constraint failed:"
    #expect(columns("\(start) Trip.name") == [0])
    #expect(columns("\(start) Trip.leader, Trip.name") == [3, 0])
    #expect(columns("\(start) Trip.startDate,Trip.rating") == [1, 2])
    #expect(columns("\(start) Tag.name, Trip.name, Trip.other, Trips.name") == [0])
    #expect(columns("\(start) Item.name") == [])
    #expect(columns("\(start) name") == [])
    #expect(columns("\(start)") == [])
    #expect(columns("Trip.name") == [])
  }

  @Test("Each constraint that a row violates has its own error.")
  func refusals() throws {
    try withStore(.memory) { store, _ in
      func failure(_ values: [Value], id: Int64 = 2) throws -> StoreError {
        try storeError { try store.write(Author()) { try $0.insert(trip, id: id, values: values) } }
      }
      try store.write(Author()) { try $0.insert(trip, id: 1, values: tripValues("a")) }
      let missing = try failure([.null, .real(0), .null, .null])
      #expect(missing.code == .missingValue)
      #expect(missing.message == "Trip 2 can't be saved because name must have a value.")
      let type = try failure([.text("b"), .text("x"), .null, .null])
      #expect(type.code == .invalidValue)
      let sameID = try failure(tripValues("b"), id: 1)
      #expect(sameID.code == .duplicate && sameID.objects == [ObjectName("Trip", id: 1)])
      #expect(
        sameID.message == "Trip 1 can't be inserted because an object with this id exists."
      )
      let sameName = try failure(tripValues("a"))
      #expect(sameName.message == "Trip 2 can't be saved because Trip 1 has the same name.")
      #expect(try failure(tripValues("b", leader: 7)).code == .missingReference)
      #expect(try rows("SELECT id, name FROM Trip", in: store) == ["1|a"])
    }
  }

  @Test("An object is found by its unique values, also while it waits for another object.")
  func find() throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) { writer in
        try writer.insert(trip, id: 1, values: tripValues("a"))
        try writer.insert(trip, id: 2, values: tripValues("b"))
        func find(_ name: Value) throws -> Int64? {
          try writer.find(trip, unique: ["name"], values: [name])
        }
        #expect(try find(.text("a")) == 1)
        #expect(try find(.text("b")) == 2)
        #expect(try find(.text("c")) == nil)
        #expect(try find(.null) == nil)
        // The second trip takes over the name before the first trip gets another one.
        #expect(try writer.update(trip, id: 2, columns: [0], values: [.text("a")]))
        #expect(try find(.text("b")) == nil)
        #expect(try writer.update(trip, id: 1, columns: [0], values: [.text("c")]))
        #expect(try find(.text("a")) == 2)
        #expect(try find(.text("c")) == 1)
        let error = try storeError {
          _ = try writer.find(trip, unique: ["tags"], values: [.text("a")])
        }
        #expect(error.message == "Trip.tags is not stored in a column.")
      }
    }
  }

  @Test("An update reports whether the object exists, and records only columns that change.")
  func updates() throws {
    try withStore(.memory) { store, _ in
      try store.write(Author()) { try $0.insert(trip, id: 1, values: tripValues("a")) }
      try store.write(Author()) { writer in
        #expect(try writer.update(trip, id: 1, columns: [], values: []))
        #expect(try !writer.update(trip, id: 2, columns: [], values: []))
        #expect(try !writer.update(trip, id: 2, columns: [0], values: [.text("b")]))
        #expect(try writer.update(trip, id: 1, columns: [0], values: [.text("a")]))
        let missing = try writer.update([
          RowChange(entity: trip, id: 1, columns: [0], values: [.text("a")]),
          RowChange(entity: trip, id: 3, columns: [0], values: [.text("c")]),
        ])
        #expect(missing == [RowKey(entity: trip, id: 3)])
      }
      #expect(try history(of: store).count == 1)
      try store.write(Author()) { writer in
        // The last value of a column counts, and history lists columns in the order of the schema.
        try writer.update(
          trip,
          id: 1,
          columns: [2, 0, 0],
          values: [.real(5), .text("b"), .text("c")]
        )
      }
      #expect(
        try lastChanges(of: store) == [
          #"update Trip 1 ["name","rating"] {"name":"a","rating":null} {"name":"c","rating":5.0}"#
        ]
      )
    }
  }

  @Test("Unused readers are kept for later reads, up to eight.")
  func readers() throws {
    try withStore(.file) { store, _ in
      let readers = try (0..<10).map { _ in try store.takeReader() }
      #expect(Set(readers.map { ObjectIdentifier($0) }).count == 10)
      for reader in readers { store.giveBack(reader) }
      let again = try (0..<10).map { _ in try store.takeReader() }
      let kept = Set(readers.map { ObjectIdentifier($0) })
        .intersection(again.map { ObjectIdentifier($0) })
      #expect(kept.count == 8)
      for reader in again { store.giveBack(reader) }
    }
  }

  @Test("A write creates the triggers again that another program has dropped.")
  func droppedTriggers() throws {
    try withStore(.file) { store, _ in
      try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("a")]) }
      let capture = try ForeignCapture.of(sampleSchema)
      let other = try Connection(path: store.location.path, mode: .readWrite)
      #expect(try capture.isInstalled(on: other))
      for id in [2, 3] as [Int64] {
        try other.execute("DROP TRIGGER history_after_insert_Tag")
        #expect(try !capture.isInstalled(on: other))
        try store.write(Author()) { try $0.insert(tag, id: id, values: [.text("b")]) }
        #expect(try capture.isInstalled(on: other))
      }
    }
  }

  @Test("Dropped triggers are created again also if another program set a negative schema version.")
  func negativeVersion() throws {
    for version in [-2, -1] as [Int64] {
      try withStore(.file) { store, _ in
        let other = try Connection(path: store.location.path, mode: .readWrite)
        try other.execute(
          "DROP TRIGGER history_after_insert_Tag; PRAGMA schema_version = \(version)"
        )
        #expect(try other.integer("PRAGMA schema_version") == version)
        try store.write(Author()) { try $0.insert(tag, id: 1, values: [.text("a")]) }
        #expect(try ForeignCapture.of(sampleSchema).isInstalled(on: other))
      }
    }
  }
}
