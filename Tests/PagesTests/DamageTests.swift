import Foundation
import LogFuzzing
import Pages
import SQLite
import TestSupport
import Testing

@Suite("Damaged pages and logs")
struct DamageTests {
  /// What a reader finds in a database: all rows, or an error.
  private func read(_ file: ByteSource, log: [UInt8]?) throws -> [String: [[Stored]]]? {
    let clock = ContinuousClock()
    let start = clock.now
    defer { #expect(clock.now - start < .seconds(20)) }
    do {
      let view = try DatabaseView(file, log: log.flatMap { try WriteAheadLog(.bytes($0)) })
      for page in 0...min(view.pageCount, 200) { _ = try? view.use(of: page) }
      // The results of these functions are not compared. They must end without a crash.
      try? view.forEachFreePage { _ in }
      try? view.forEachDigest { _, _ in }
      try? compareStates(view)
      return try dump(view)
    } catch is PageError {
      return nil
    }
  }

  private func compareStates(_ view: DatabaseView) throws {
    guard let log = view.log else { return }
    _ = try log.firstReadableCommit(in: view.file)
    for commit in 0..<view.commit {
      let comparison = try Comparison(DatabaseView(view.file, log: log, commit: commit), view)
      for root in try view.roots().values {
        guard try !comparison.isSame(tree: root, newRoot: root), try view.hasRowIDs(tree: root)
        else { continue }
        _ = try comparison.forEachChangedRow(ofTable: root, newRoot: root) { _ in }
      }
    }
  }

  /// The rows that SQLite reads; nil if SQLite finds the database or its schema damaged.
  private func rowsOfSQLite(
    _ folder: URL,
    _ bytes: [UInt8],
    log: [UInt8],
    schema: [String]
  ) -> [String: [[Stored]]]? {
    let file = folder.appending(path: "damaged.db")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        // A file that does not exist can't be removed.
        try? FileManager.default.removeItem(atPath: file.path + suffix)
      }
    }
    do {
      try Data(bytes).write(to: file)
      if !log.isEmpty { try Data(log).write(to: PagesTests.log(of: file)) }
      let connection = try Connection(path: file.path, mode: .readWrite)
      let check = try connection.prepare("PRAGMA integrity_check")
      guard try check.step(), check.string(at: 0) == "ok" else { return nil }
      check.reset()
      guard try Self.schema(connection) == schema else { return nil }
      return try dump(connection)
    } catch {
      return nil
    }
  }

  private static func schema(_ connection: Connection) throws -> [String] {
    let reading = try connection.prepare("SELECT name || ' ' || sql FROM sqlite_schema ORDER BY 1")
    var result: [String] = []
    while try reading.step() { result.append(reading.string(at: 0)) }
    return result
  }

  /// Changes some bytes, mostly those that describe a page.
  private func damage(_ bytes: inout [UInt8], pageSize: Int, _ random: inout SeededGenerator) {
    let pages = max(1, bytes.count / pageSize)
    func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    for _ in 0..<number(1..<4) {
      let page = number(0..<pages) * pageSize
      let header = page == 0 ? 100 : page
      func write(_ values: [UInt8], at offset: Int) {
        for (index, value) in values.enumerated() where offset + index < bytes.count {
          bytes[offset + index] = value
        }
      }
      switch number(0..<8) {
      case 0: write([UInt8(number(0..<256))], at: header + number(0..<12))
      case 1: write([UInt8(number(0..<256))], at: header + number(8..<60))
      case 2: write([0, 0, 0, UInt8(number(0..<pages + 2) & 0xff)], at: header + number(0..<13))
      case 3: write([0, 0, 0, UInt8(number(0..<pages + 2) & 0xff)], at: number(0..<bytes.count))
      case 4: write([UInt8](repeating: 0xff, count: 9), at: number(0..<bytes.count))
      case 5:
        write(
          Array(bytes[page..<min(page + pageSize, bytes.count)]),
          at: number(0..<pages) * pageSize
        )
      case 6: write([UInt8(number(0..<256))], at: number(0..<100))
      default: write([UInt8(number(0..<256))], at: number(0..<bytes.count))
      }
    }
    if number(0..<20) == 0 { bytes.removeSubrange(number(0..<bytes.count)...) }
  }

  @Test(
    "Damaged pages are refused, or read as SQLite reads them if its check finds no damage.",
    arguments: [512, 1024, 4096]
  )
  func pages(_ pageSize: Int) throws {
    var random = SeededGenerator(for: "damaged pages \(pageSize)")
    var counts = (tried: 0, refused: 0, equal: 0)
    for vacuum in ["NONE", "FULL"] {
      try withTemporaryFolder { folder in
        let database = try RandomDatabase(
          folder.appending(path: "app.db"),
          pageSize: pageSize,
          vacuum: vacuum,
          random: SeededGenerator(seed: random.next())
        )
        try database.commit(statements: 60)
        try database.commit(statements: 30)
        let whole = Array(try Data(contentsOf: database.url))
        let schema = try Self.schema(database.connection)
        for _ in 0..<trials(150, long: 20_000) {
          var bytes = whole
          damage(&bytes, pageSize: pageSize, &random)
          counts.tried += 1
          guard let rows = try read(.bytes(bytes), log: nil) else {
            counts.refused += 1
            continue
          }
          guard let expected = rowsOfSQLite(folder, bytes, log: [], schema: schema) else {
            continue
          }
          counts.equal += 1
          expectEqual(rows, expected, "\(vacuum), trial \(counts.tried)")
        }
      }
    }
    print("damaged pages \(pageSize): \(counts)")
    #expect(counts.refused > counts.tried / 10 && counts.equal > counts.tried / 50)
  }

  @Test(
    "Damaged logs are read up to the damage, and damage behind right checksums is refused.",
    arguments: [512, 4096]
  )
  func logs(_ pageSize: Int) throws {
    var random = SeededGenerator(for: "damaged logs \(pageSize)")
    var counts = (tried: 0, refused: 0, equal: 0)
    try withTemporaryFolder { folder in
      let database = try LoggedDatabase(
        folder,
        pageSize: pageSize,
        encoding: "UTF-8",
        vacuum: "NONE",
        seed: random.next()
      )
      for _ in 0..<5 { try database.commit(statements: 4) }
      let (file, whole) = (try database.file, try database.logBytes)
      let schema = try Self.schema(database.database.connection)
      guard case .bytes(let bytes) = file else { return }
      for _ in 0..<trials(150, long: 20_000) {
        var log = whole
        if Bool.random(using: &random) {
          damage(&log, pageSize: pageSize + 24, &random)
        } else {
          var frames = Array(log.dropFirst(32))
          damage(&frames, pageSize: pageSize + 24, &random)
          log = withChecksums(Array(log.prefix(32)) + frames)
        }
        counts.tried += 1
        guard let rows = try read(file, log: log) else {
          counts.refused += 1
          continue
        }
        guard let expected = rowsOfSQLite(folder, bytes, log: log, schema: schema) else { continue }
        counts.equal += 1
        expectEqual(rows, expected, "trial \(counts.tried)")
      }
    }
    print("damaged logs \(pageSize): \(counts)")
    #expect(counts.equal > counts.tried / 10)
  }

  @Test("A tree that refers to a page twice ends with an error, in as many ways as there are.")
  func sharedPages() throws {
    // Each page of the index refers to the next one 40 times, so no one can follow each way.
    let record: [UInt8] = [2, 2, 9]
    var bytes = try firstPage()
    for page in 2..<15 {
      bytes += self.page(2, cells: 40, last: page + 1, [0, 0, 0, UInt8(page + 1)] + record)
    }
    bytes += page(10, cells: 1, last: 0, record)
    #expect(try error(bytes) == .corrupt)
    // A page that is its own child.
    #expect(try error(firstPage() + page(5, cells: 0, last: 2, [])) == .corrupt)
    // A page of an index in a table.
    let parent = page(5, cells: 1, last: 3, [0, 0, 0, 3, 1])
    #expect(try error(firstPage() + parent + page(10, cells: 1, last: 0, record)) == .corrupt)
    // A record without its last byte, and one with a byte too many.
    for row: [UInt8] in [[2, 7, 2, 1], [3, 7, 2, 9, 0]] {
      #expect(try error(firstPage() + page(13, cells: 1, last: 0, row)) == .corrupt)
    }
    // A leaf with two rows that have the same row ID.
    let row: [UInt8] = [2, 7, 2, 9]
    #expect(try error(firstPage() + page(13, cells: 1, last: 0, row)) == nil)
    #expect(try error(firstPage() + page(13, cells: 2, last: 0, row)) == .corrupt)
  }

  /// A page of a b-tree whose cells all are the same bytes.
  private func page(_ type: UInt8, cells: Int, last: Int, _ cell: [UInt8]) -> [UInt8] {
    var content = [UInt8](repeating: 0, count: 512)
    let start = type < 8 ? 12 : 8
    content[0] = type
    content[4] = UInt8(cells)
    if type < 8 { content[11] = UInt8(last) }
    for index in 0..<cells {
      content.replaceSubrange(start + 2 * index..<start + 2 * index + 2, with: [1, 0])
    }
    content.replaceSubrange(256..<256 + cell.count, with: cell)
    return content
  }

  /// The error of reading the rows of the second page.
  private func error(_ bytes: [UInt8]) throws -> PageError.Code? {
    do throws(PageError) {
      var rows = try Cursor(DatabaseView(.bytes(bytes)), root: 2)
      while try rows.next() { _ = try rows.fields }
      return nil
    } catch {
      return error.code
    }
  }

  /// The first page of a database with a table, whose header does not say the number of pages.
  private func firstPage() throws -> [UInt8] {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "app.db")
      try Connection(path: file.path, mode: .readWriteCreate)
        .execute("PRAGMA page_size = 512; CREATE TABLE note (text)")
      var bytes = Array(try Data(contentsOf: file).prefix(512))
      bytes[31] = 0
      return bytes
    }
  }

  @Test("A record that claims to be larger than the file is refused before memory is allocated.")
  func largeClaim() throws {
    // The payload of the only cell has 2³¹ − 1 bytes.
    let cell: [UInt8] = [0x87, 0xff, 0xff, 0xff, 0x7f, 1] + [UInt8](repeating: 2, count: 200)
    #expect(try error(firstPage() + page(13, cells: 1, last: 0, cell)) == .corrupt)
  }
}
