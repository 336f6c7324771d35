import SQLite
import TestSupport
import Testing

@Suite("Texts of a database in UTF-16")
struct UTF16TextTests {
  private static let encodings = ["UTF-16le", "UTF-16be"]

  private static let examples: [[UInt16]] = [
    [], [0x61], [0], [0x61, 0, 0x62], [0x7f], [0x80], [0x7ff], [0x800], [0xd7ff], [0xe000],
    [0xfffd], [0xfffe], [0xffff], [0xfffe, 0x61], [0xfeff], [0xfeff, 0x62], [0xfeff, 0xfeff],
    [0xd83d, 0xde00], [0xdbff, 0xdfff], [0xd800], [0xdbff], [0xdc00], [0xdfff], [0xd800, 0x61],
    [0xdc00, 0xd800], [0xd800, 0xd800, 0xdc00], [0xd800, 0xdc00, 0xdc00], [0xe9, 0xd800, 0xe9],
  ]

  private func open(_ encoding: String) throws -> Connection {
    let connection = try Connection(path: "", mode: .memory)
    try connection.execute(
      "PRAGMA encoding = '\(encoding)'; CREATE TABLE t(id INTEGER PRIMARY KEY, a)"
    )
    try connection.useTables(prefix: "x_")
    return connection
  }

  /// The units of a text as the digits of its bytes in a database.
  private func digits(_ units: [UInt16], _ encoding: String) -> String {
    func hexadecimal(_ number: UInt16) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: 4 - text.count) + text
    }
    return units.map { hexadecimal(encoding == "UTF-16le" ? $0.byteSwapped : $0) }.joined()
  }

  /// The units in UTF-8, with three bytes for an unpaired surrogate, by another way.
  private func bytes(_ units: [UInt16]) -> [UInt8] {
    var rest = units[...]
    var result: [UInt8] = []
    while let unit = rest.first {
      let pair = String(decoding: rest.prefix(2), as: UTF16.self).unicodeScalars
      if UTF16.isLeadSurrogate(unit), pair.count == 1, rest.count > 1 {
        result += Array(String(pair).utf8)
        rest = rest.dropFirst(2)
        continue
      }
      result +=
        UTF16.isSurrogate(unit)
        ? [0xed, UInt8(0x80 | unit >> 6 & 0x3f), UInt8(0x80 | unit & 0x3f)]
        : Array(String(decoding: [unit], as: UTF16.self).utf8)
      rest = rest.dropFirst()
    }
    return result
  }

  private func check(_ units: [UInt16], on connection: Connection, _ encoding: String) throws {
    let text = digits(units, encoding)
    try connection.execute(
      "DELETE FROM t; INSERT INTO t VALUES (1, CAST(x'\(text)' AS TEXT))"
    )
    let reading = try connection.prepare("SELECT a FROM t WHERE id = 1")
    #expect(try reading.step())
    let found = reading.withText(at: 0) { Array($0) }
    #expect(found == bytes(units), "\(text)")
    // The value can be read in any way and again.
    #expect(reading.string(at: 0).utf8.count >= 0)
    let writing = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    for id in Int64(2)...3 {
      try writing.bind(1, id)
      try found.withUnsafeBytes {
        if id == 2 { try writing.bind(2, text: $0) } else { try writing.bind(2, borrowedText: $0) }
        try writing.run()
      }
      let written = try connection.prepare(
        "SELECT hex(CAST(a AS BLOB)), typeof(a), a IS (SELECT a FROM t WHERE id = 1)"
          + " FROM t WHERE id = \(id)"
      )
      #expect(try written.step())
      #expect(written.string(at: 0) == text)
      #expect(written.string(at: 1) == "text")
      #expect(written.int64(at: 2) == 1)
    }
  }

  @Test("Every text is read and written with the same code units.", arguments: encodings)
  func roundTrip(encoding: String) throws {
    let connection = try open(encoding)
    for units in Self.examples { try check(units, on: connection, encoding) }
    var random = SeededGenerator(for: "texts in \(encoding)")
    let kinds: [ClosedRange<UInt16>] = [
      0...0x7f, 0x80...0x7ff, 0xd800...0xdbff, 0xdc00...0xdfff, 0xfffd...0xffff, 0...0xffff,
    ]
    for _ in 0..<trials(2000, long: 100_000) {
      let units = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        UInt16.random(in: kinds.randomElement(using: &random) ?? 0...0, using: &random)
      }
      try check(units, on: connection, encoding)
    }
  }

  @Test("A text of Travelog is read without a copy of its own.", arguments: encodings)
  func ownTexts(encoding: String) throws {
    let connection = try open(encoding)
    let text = "{\"é\":\"\u{ffff}\u{fffe}\u{feff}🧳\0\"}"
    let writing = try connection.prepare("INSERT INTO t VALUES (1, ?1), (2, x'00ff61')")
    try writing.bind(1, text)
    try writing.run()
    let reading = try connection.prepare("SELECT a FROM t ORDER BY id")
    #expect(try reading.step())
    #expect(reading.bytes(at: 0).elementsEqual(text.utf8))
    #expect(reading.string(at: 0) == text)
    #expect(try reading.step())
    #expect(reading.data(at: 0).elementsEqual([0, 0xff, 0x61]))
  }

  @Test(
    "Bytes that are not a text in UTF-16 are refused.",
    arguments: [
      [0xff], [0x61, 0xc3], [0xc0, 0x80], [0xed, 0xa0], [0xe0, 0x80, 0x80],
      [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xed, 0xa0, 0x80, 0xff],
    ] as [[UInt8]]
  )
  func refused(bytes: [UInt8]) throws {
    let statement = try open("UTF-16le").prepare("SELECT ?1")
    #expect(throws: SQLiteError.self) {
      try bytes.withUnsafeBytes { try statement.bind(1, text: $0) }
    }
  }
}
