import Adoption
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("The commits in a write-ahead log")
struct LoggedCommitTests {
  private let folder: TemporaryFolder
  private let path: String
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    path = folder.url.appending(path: "app.db").path
    connection = try Connection(path: path, mode: .readWriteCreate)
    try connection.execute(
      """
      PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE other(x);
      CREATE TABLE context(id INTEGER PRIMARY KEY, clock, author);
      INSERT INTO context VALUES (1, 0, NULL);
      PRAGMA wal_checkpoint(TRUNCATE);
      """
    )
  }

  /// The clock at each commit that the log of this database contains, or of a copy.
  private func clocks(in database: String? = nil) throws -> [Int64?] {
    let reading = try connection.prepare(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'context'"
    )
    let page = try reading.step() ? UInt32(reading.int64(at: 0)) : 0
    var clocks: [Int64?] = []
    try forEachLoggedCommit(of: database ?? path, with: page) {
      clocks.append(clock(inContextPage: $0))
    }
    return clocks
  }

  private func tick(_ count: Int) throws {
    for _ in 0..<count { try connection.execute("UPDATE context SET clock = clock + 1") }
  }

  @Test("Each commit has the clock at its end, and transactions that were rolled back have none.")
  func commits() throws {
    #expect(try clocks() == [])
    try tick(2)
    try connection.execute("BEGIN")
    try tick(3)
    try connection.execute("COMMIT; BEGIN")
    try tick(7)
    try connection.execute("ROLLBACK; INSERT INTO other VALUES (1)")
    try tick(1)
    #expect(try clocks() == [1, 2, 5, 5, 6])
  }

  @Test("Clocks of all sizes are read, also beside an author that overflows the page.")
  func sizes() throws {
    let values: [Int64] = [
      0, 1, 2, 127, 128, 32767, 32768, 1 << 23, 1 << 31, 1 << 40, 1 << 47, 1 << 62, .max, -1, .min,
    ]
    let author = String(repeating: "a", count: 5000)
    for value in values {
      // SQLite reads the smallest integer as a number with a fraction, unless it is computed.
      try connection.execute(
        "UPDATE context SET clock = \(value == .min ? "-9223372036854775807 - 1" : "\(value)"),"
          + " author = '\(author)'"
      )
    }
    #expect(try clocks() == values)
  }

  @Test("Frames that a reset log has left behind are not read.")
  func reset() throws {
    try tick(9)
    try connection.execute("PRAGMA wal_checkpoint(RESTART)")
    try tick(2)
    #expect(try clocks() == [10, 11])
  }

  @Test("A log that is cut or damaged at any place has the commits before that place.")
  func damage() throws {
    try tick(4)
    let whole = try clocks()
    #expect(whole == [1, 2, 3, 4])
    let bytes = try Data(contentsOf: URL(filePath: path + "-wal"))
    let copy = folder.url.appending(path: "copy.db").path
    for place in stride(from: 0, to: bytes.count, by: 37) {
      var damaged = bytes
      damaged[place] ^= 0x10
      for content in [bytes.prefix(place), damaged] {
        try content.write(to: URL(filePath: copy + "-wal"))
        let found = try clocks(in: copy)
        // Frames of one page each follow the header.
        #expect(found.count == max(0, place - 32) / (24 + 1024))
        #expect(whole.starts(with: found))
      }
    }
  }

  @Test("Arbitrary bytes are not taken for a context page, and do not stop the reader.")
  func anyBytes() {
    var generator = SeededGenerator(for: "contextPages")
    for _ in 0..<trials(5000, long: 200_000) {
      var page = (0..<512).map { _ in UInt8.random(in: 0...255, using: &generator) }
      page[0] = 0x0d
      page[3] = 0
      page[4] = 1
      page[8] = UInt8.random(in: 0...2, using: &generator)
      _ = page.withUnsafeBytes { clock(inContextPage: $0) }
    }
    #expect([UInt8](repeating: 0, count: 512).withUnsafeBytes { clock(inContextPage: $0) } == nil)
  }
}
