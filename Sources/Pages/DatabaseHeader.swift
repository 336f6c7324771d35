/// The first 100 bytes of a database.
///
/// Comments of this module name the headings of https://www.sqlite.org/fileformat2.html; this is
/// "The Database Header".
package struct DatabaseHeader: Hashable, Sendable {
  package static let size = 100

  package enum Encoding: UInt32, Sendable {
    case utf8 = 1
    case utf16LittleEndian = 2
    case utf16BigEndian = 3
  }

  package let layout: PageLayout
  /// Whether writers use a write-ahead log.
  package let usesLog: Bool
  /// Increases with each transaction that writes without a write-ahead log.
  package let changeCounter: UInt32
  /// The change counter of the transaction that wrote the number of pages to the header.
  package let versionValidFor: UInt32
  /// The number of pages, if it is valid; old versions of SQLite do not write it.
  package let pageCount: UInt32?
  package let firstFreeTrunk: UInt32
  package let freePageCount: UInt32
  /// Increases with each change of the schema.
  package let schemaCookie: UInt32
  package let encoding: Encoding
  /// Whether the file has pages that map each page to its parent.
  package let hasPointerMap: Bool
  package let isIncrementalVacuum: Bool
  package let userVersion: UInt32
  package let applicationID: UInt32

  init(_ bytes: [UInt8]) throws(PageError) {
    guard bytes.starts(with: "SQLite format 3\0".utf8) else { throw Self.foreign(bytes) }
    guard bytes.count >= Self.size else {
      throw PageError(.truncated, page: 1, "the file ends inside its header")
    }
    guard bytes[19] <= 2 else {
      throw PageError(.newerFormat, page: 1, "readers need version \(bytes[19]) of the file format")
    }
    guard let layout = PageLayout(header: bytes), bytes[21...23].elementsEqual([64, 32, 32]) else {
      throw PageError(.notADatabase, page: 1, "the header has a size that SQLite never writes")
    }
    // The schema's format is zero in a database that never had a table; so is the encoding.
    guard bytes.uint32(at: 44) <= 4 else {
      throw PageError(
        .newerFormat,
        page: 1,
        "the schema has the unknown format \(bytes.uint32(at: 44))"
      )
    }
    guard let encoding = Encoding(rawValue: max(bytes.uint32(at: 56), 1)) else {
      throw PageError.corrupt(page: 1, "the header has an unknown encoding of texts")
    }
    self.layout = layout
    self.encoding = encoding
    usesLog = bytes[19] == 2
    changeCounter = bytes.uint32(at: 24)
    versionValidFor = bytes.uint32(at: 92)
    pageCount =
      bytes.uint32(at: 28) != 0 && bytes.uint32(at: 24) == bytes.uint32(at: 92)
      ? bytes.uint32(at: 28) : nil
    firstFreeTrunk = bytes.uint32(at: 32)
    freePageCount = bytes.uint32(at: 36)
    schemaCookie = bytes.uint32(at: 40)
    hasPointerMap = bytes.uint32(at: 52) != 0
    isIncrementalVacuum = bytes.uint32(at: 64) != 0
    userVersion = bytes.uint32(at: 60)
    applicationID = bytes.uint32(at: 68)
  }

  /// The error for a file without SQLite's first bytes.
  private static func foreign(_ bytes: [UInt8]) -> PageError {
    // SQLite's encryption extension leaves the bytes from 16 to 23 readable.
    if bytes.count >= size, bytes[18...19].allSatisfy({ 1...2 ~= $0 }),
      bytes[21...23].elementsEqual([64, 32, 32]), PageLayout(header: bytes) != nil
    {
      return PageError(.encrypted, page: 1, "the database is encrypted")
    }
    return PageError(
      .notADatabase,
      "the file is not a SQLite database, or the whole file is encrypted"
    )
  }
}
