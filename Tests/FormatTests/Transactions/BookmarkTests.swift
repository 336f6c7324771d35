import Format
import Foundation
import Testing

@Suite("The texts of bookmarks")
struct BookmarkTests {
  private static let first = "11111111-2222-3333-4444-555555555555"
  private static let second = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE"

  private static func digest(_ digit: Character) -> Digest {
    Digest(hexadecimal: String(repeating: digit, count: 64))
      ?? TransactionDigest.beginning(ofStore: first, lineage: 0)
  }

  private let bookmark = Bookmark(
    store: second,
    points: [
      second: HistoryPoint(lineage: 0, transaction: 7, digest: digest("a")),
      first: HistoryPoint(lineage: 2, transaction: 1 << 62 - 1, digest: digest("0")),
    ]
  )

  private var text: String { String(decoding: bookmark.json(), as: UTF8.self) }

  @Test("A bookmark has one text: stores sorted, no blanks, a line break at the end.")
  func canonical() {
    let zeros = String(repeating: "0", count: 64)
    let letters = String(repeating: "a", count: 64)
    #expect(
      text
        == #"{"kind":"travelog-token","version":1,"store":"\#(Self.second)","stores":{"#
        + #""\#(Self.first)":{"lineage":2,"transaction":4611686018427387903,"digest":"\#(zeros)"},"#
        + #""\#(Self.second)":{"lineage":0,"transaction":7,"digest":"\#(letters)"}}}"# + "\n"
    )
    #expect(Bookmark(store: Self.second, points: bookmark.points).json() == bookmark.json())
  }

  @Test(
    "A bookmark is read from its text, from JSON in any order, and from property lists."
  )
  func reading() throws {
    #expect(try Bookmark(json: bookmark.json()) == bookmark)
    #expect(try JSONDecoder().decode(Bookmark.self, from: Data(bookmark.json())) == bookmark)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    #expect(try Bookmark(json: encoder.encode(bookmark)) == bookmark)
    let plist = try PropertyListEncoder().encode(bookmark)
    #expect(try PropertyListDecoder().decode(Bookmark.self, from: plist) == bookmark)
  }

  @Test("Identifiers with unusual characters are read back, and have one text.")
  func oddIdentifiers() throws {
    let point = HistoryPoint(lineage: 0, transaction: 0, digest: Self.digest("5"))
    for store in ["", "\"", "\\", "a\nb", "é", "e\u{301}", "\u{1}", "日本"] {
      let bookmark = Bookmark(store: store, points: [store: point])
      let again = try Bookmark(json: bookmark.json())
      #expect(again == bookmark)
      #expect(again.json() == bookmark.json())
    }
  }

  @Test(
    "A text that is not a bookmark is refused with a sentence.",
    arguments: [
      (#""kind":"travelog-token""#, #""kind":"x""#, "not a history token"),
      (#""kind":"travelog-token","#, "", "not a history token"),
      (#""version":1"#, #""version":1,"extra":0"#, "token has the unknown keys [extra]"),
      (#""version":1"#, #""version":1,"version":1"#, "the key version occurs twice"),
      (#""version":1"#, #""version":"1""#, "version: "),
      (#""version":1,"#, "", "can't be read"),
      (#""lineage":0,"#, "", "token lacks the keys [lineage]"),
      (#""lineage":0"#, #""lineage":-1"#, "impossible"),
      (#""lineage":0"#, #""lineage":null"#, "can't be"),
      (#""transaction":7"#, #""transaction":-7"#, "impossible"),
      (#""transaction":7"#, #""transaction":7.5"#, "can't be"),
      (#""transaction":7"#, #""transaction":9223372036854775808"#, "can't be"),
      (#""digest":""#, #""digest":"0"#, "impossible"),
      (#""store":""#, #""store":"x"#, "contains no position"),
      (#"}}}"#, #"}}"#, "can't be read"),
      (#"}}}"#, #"}}}x"#, "can't be read"),
    ]
  )
  func strictness(_ part: String, _ other: String, _ reason: String) throws {
    let altered = text.replacingOccurrences(of: part, with: other)
    #expect(altered != text)
    let error = #expect(throws: StoreError.self) { try Bookmark(json: Array(altered.utf8)) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test("A bookmark that was cut at any byte is refused.")
  func cut() throws {
    let whole = bookmark.json()
    // The text is complete without its line break.
    for count in 0..<whole.count - 1 {
      let error = #expect(throws: StoreError.self) { try Bookmark(json: whole.prefix(count)) }
      #expect(error?.code == .damaged)
    }
  }

  @Test("A bookmark of a newer program is refused, and the error says so.")
  func newer() throws {
    let newer = text.replacingOccurrences(of: #""version":1"#, with: #""version":2,"more":[]"#)
    let error = #expect(throws: StoreError.self) { try Bookmark(json: Array(newer.utf8)) }
    #expect(error?.code == .newerFormat)
    #expect(error?.message.contains("version 2") == true)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Bookmark.self, from: Data(newer.utf8))
    }
  }

  @Test("The numbers of a point are from 0 to less than 2 to the power of 62.")
  func limits() throws {
    func read(_ lineage: Int64, _ transaction: Int64) throws -> Bookmark {
      let point = HistoryPoint(
        lineage: lineage,
        transaction: transaction,
        digest: Self.digest("a")
      )
      return try Bookmark(json: Bookmark(store: "s", points: ["s": point]).json())
    }
    let last: Int64 = 1 << 62 - 1
    #expect(try read(0, 0).points["s"]?.transaction == 0)
    #expect(try read(last, last).points["s"]?.transaction == last)
    for (lineage, transaction) in [(-1, 0), (0, -1), (last + 1, 0), (0, last + 1)] {
      #expect(throws: StoreError.self) { try read(lineage, transaction) }
    }
  }
}
