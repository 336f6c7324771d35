import Foundation
import Pages
import SQLite
import TestSupport
import Testing

@Suite("Rows in the pages of a database")
struct RowTests {
  private static let shapes = RandomDatabase.pageSizes.flatMap { size in
    RandomDatabase.encodings.map { (size, $0) }
  }

  @Test(
    "Rows, values and storage classes are those that SQLite reads, in pages of every size.",
    arguments: shapes.indices
  )
  func random(_ shape: Int) throws {
    let (size, encoding) = Self.shapes[shape]
    var random = SeededGenerator(for: "rows in pages \(size) \(encoding)")
    for vacuum in ["NONE", "FULL", "INCREMENTAL"] {
      try withTemporaryFolder { folder in
        let database = try RandomDatabase(
          folder.appending(path: "app.db"),
          pageSize: size,
          encoding: encoding,
          vacuum: vacuum,
          reserved: vacuum == "FULL" ? 32 : 0,
          random: SeededGenerator(seed: random.next())
        )
        for round in 0..<trials(3, long: 40) {
          try database.commit(statements: Int.random(in: 1...80, using: &random))
          if round % 3 == 2 { try database.connection.execute("VACUUM") }
          let descriptor = open(database.url.path, O_RDONLY)
          defer { close(descriptor) }
          let view = try DatabaseView(.descriptor(descriptor))
          let expected = try dump(database.connection)
          expectEqual(try dump(view), expected, "\(vacuum), round \(round)")
          expectEqual(
            try dump(DatabaseView(ByteSource(contentsOf: database.url))),
            expected,
            "\(vacuum) in memory, round \(round)"
          )
          try expectPageUses(view, database.connection)
        }
      }
    }
  }

  /// Each page has one use, and the pointer map says the same.
  private func expectPageUses(_ view: DatabaseView, _ connection: Connection) throws {
    let header = try #require(view.header)
    func number(_ pragma: String) throws -> Int64 {
      let reading = try connection.prepare("PRAGMA \(pragma)")
      return try reading.step() ? reading.int64(at: 0) : -1
    }
    #expect(try Int64(view.pageCount) == number("page_count"))
    #expect(try Int64(header.freePageCount) == number("freelist_count"))
    #expect(try Int64(header.schemaCookie) == number("schema_version"))
    #expect(try header.hasPointerMap == (number("auto_vacuum") != 0))
    #expect(try header.isIncrementalVacuum == (number("auto_vacuum") == 2))
    var free: [UInt32] = []
    try view.forEachFreePage { free.append($0.number) }
    #expect(free.count == Int(header.freePageCount))
    guard header.hasPointerMap else {
      #expect(try view.use(of: 3) == nil)
      return
    }
    for page in free { #expect(try view.use(of: page) == .free) }
    let roots = Set(try view.roots().values)
    var found = 0
    for page in 3...view.pageCount {
      if try view.use(of: page) == .root { found += 1 }
      if roots.contains(page) { #expect(try view.use(of: page) == .root) }
    }
    #expect(found == roots.count)
  }

  @Test("A value of any size is read in parts, and one that is too large is refused as a whole.")
  func largeValue() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "app.db")
      let connection = try Connection(path: file.path, mode: .readWriteCreate)
      let count = Cursor.largestRecord + 5
      try connection.execute(
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, first, bytes, last, text);
        INSERT INTO note VALUES (1, 'before', zeroblob(\(count)), -70000, 'after');
        INSERT INTO note VALUES (2, 'x', zeroblob(\(count - 1000)), 1e9, 'y');
        """
      )
      let view = try DatabaseView(ByteSource(contentsOf: file))
      var rows = try Cursor(view, root: 2)
      #expect(try rows.next())
      #expect(try rows.value(at: 1).map { Stored($0) } == .text(Array("before".utf8)))
      #expect(try rows.value(at: 3).map { Stored($0) } == .integer(-70_000))
      let error = #expect(throws: PageError.self) { try value(&rows, 2) }
      #expect(error?.code == .tooLarge)
      #expect(throws: PageError.self) { try value(&rows, 4) }
      var sum = 0
      let field = try rows.fields[2]
      try rows.forEachPart(of: field) { sum += $0.count }
      #expect(sum == count && field.count == count && field.isBlob)
      var text: [UInt8] = []
      let last = try rows.fields[4]
      try rows.forEachPart(of: last) { text += $0 }
      #expect(text == Array("after".utf8) && last.isText)
      #expect(try rows.next())
      #expect(try value(&rows, 4).map { Stored($0) } == .text(Array("y".utf8)))
      #expect(try !rows.next())
    }
  }

  @Test("A list of free pages that does not have the length in the header is refused.")
  func freePages() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "app.db")
      try Connection(path: file.path, mode: .readWriteCreate).execute(
        "CREATE TABLE note (text); INSERT INTO note VALUES (zeroblob(90000)); DELETE FROM note"
      )
      let bytes = Array(try Data(contentsOf: file))
      for change in [0, 1, -1] {
        var changed = bytes
        changed[39] = UInt8(Int(changed[39]) + change)
        let view = try DatabaseView(.bytes(changed))
        var pages: [FreePage] = []
        do throws(PageError) {
          try view.forEachFreePage { pages.append($0) }
        } catch {
          #expect(change != 0 && error.code == .corrupt)
          continue
        }
        #expect(change == 0 && pages.count > 20 && pages.filter(\.isTrunk).count == 1)
      }
    }
  }

  /// A closure can't capture a cursor.
  private func value(_ rows: inout Cursor, _ column: Int) throws -> StoredValue? {
    try rows.value(at: column)
  }

  @Test("The header of a record can be larger than a page.")
  func manyColumns() throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "app.db")
      let connection = try Connection(path: file.path, mode: .readWriteCreate)
      let columns = (0..<1900).map { "c\($0)" }.joined(separator: ", ")
      let values = (0..<1900).map { "\($0 * 77)" }.joined(separator: ", ")
      try connection.execute(
        "PRAGMA page_size = 512; CREATE TABLE wide (\(columns)); INSERT INTO wide VALUES (\(values))"
      )
      var rows = try Cursor(DatabaseView(ByteSource(contentsOf: file)), root: 2)
      #expect(try rows.next())
      #expect(try rows.fields.count == 1900)
      for column in 0..<1900 {
        #expect(try value(&rows, column).map { Stored($0) } == .integer(Int64(column) * 77))
      }
    }
  }

  // With pages of 1,024 bytes, the pointer map has a page at the same place.
  @Test(
    "Pages after the page for locks are read, and the page itself is not.",
    arguments: [1024, 65_536]
  )
  func lockBytePage(_ size: Int) throws {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "app.db")
      let connection = try Connection(path: file.path, mode: .readWriteCreate)
      try connection.execute(
        "PRAGMA page_size = \(size); PRAGMA auto_vacuum = FULL; CREATE TABLE note (text)"
      )
      let last = UInt32(0x4000_0000 / size) - 2
      try withExtendedLifetime(connection) {
        // The pages between are never used, and need no room on the disk.
        let handle = try FileHandle(forUpdating: file)
        try handle.truncate(atOffset: UInt64(last) * UInt64(size))
        try handle.seek(toOffset: 28)
        try handle.write(contentsOf: withUnsafeBytes(of: last.bigEndian) { Data($0) })
        try handle.close()
      }
      let writer = try Connection(path: file.path, mode: .readWrite)
      try writer.execute(
        """
        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60)
          INSERT INTO note SELECT i || zeroblob(20000) FROM n;
        """
      )
      let descriptor = open(file.path, O_RDONLY)
      defer { close(descriptor) }
      let view = try DatabaseView(.descriptor(descriptor))
      #expect(view.layout.lockBytePage == last + 3 && view.pageCount > last + 10)
      let error = #expect(throws: PageError.self) {
        try view.read(view.layout.lockBytePage, into: PageBuffer(view.layout))
      }
      #expect(error?.code == .corrupt)
      let root = try view.roots()["note"] ?? 0
      var rows = try Cursor(view, root: root)
      var (count, pages): (Int64, Set<UInt32>) = (0, [])
      while try rows.next() {
        count += 1
        pages.insert(rows.page)
        #expect(rows.rowID == count)
      }
      pages = pages.filter { $0 > last + 3 }
      #expect(count == 60 && pages.count > 2)
      for page in pages { #expect(try view.use(of: page) == .child(of: root)) }
    }
  }

  @Test("An empty file is an empty database, and other files are refused with a reason.")
  func otherFiles() throws {
    let empty = try DatabaseView(.bytes([]))
    #expect(empty.pageCount == 0 && empty.header == nil)
    #expect(try empty.roots().isEmpty)
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "app.db")
      try Connection(path: file.path, mode: .readWriteCreate)
        .execute("CREATE TABLE note (text); INSERT INTO note VALUES ('a')")
      let bytes = Array(try Data(contentsOf: file))
      func code(_ change: (inout [UInt8]) -> Void) -> PageError.Code? {
        var changed = bytes
        change(&changed)
        do throws(PageError) {
          let view = try DatabaseView(.bytes(changed))
          try view.forEachSchemaEntry { _ in }
          return nil
        } catch {
          #expect(error.message.hasSuffix("."))
          return error.code
        }
      }
      #expect(code { _ in } == nil)
      #expect(code { $0 = Array("Some other text".utf8) } == .notADatabase)
      #expect(code { $0.replaceSubrange(0..<100, with: (100..<200).map { $0 }) } == .notADatabase)
      #expect(code { $0.replaceSubrange(0..<16, with: (0..<16).map { $0 }) } == .encrypted)
      #expect(code { $0[19] = 3 } == .newerFormat)
      #expect(code { $0[47] = 5 } == .newerFormat)
      #expect(code { $0[17] = 3 } == .notADatabase)
      #expect(code { $0[59] = 9 } == .corrupt)
      #expect(code { $0[100] = 6 } == .corrupt)
      #expect(code { $0 = Array($0.prefix(60)) } == .truncated)
      #expect(code { $0 = Array($0.dropLast()) } == .truncated)
    }
    let directory = open("/", O_RDONLY)
    defer { close(directory) }
    let error = #expect(throws: PageError.self) { try DatabaseView(.descriptor(directory)) }
    #expect(error?.code == .inputOutput && error?.systemError == EISDIR)
  }
}
