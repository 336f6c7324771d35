import Changes
import Testing

@testable import ChangeLog

@Suite("The last line of a log")
struct LogTrailerTests {
  private let trailer = LogTrailer(
    last: 12,
    transactions: 3,
    changes: 40,
    digest: SHA256.digest(of: [1])
  )

  private var line: String { String(decoding: trailer.line(), as: UTF8.self) }

  private func totals(_ text: String) throws -> LogTrailer {
    var read = LogTrailer(last: 5, transactions: 0, changes: 0, digest: SHA256.digest(of: [2]))
    try Array(text.utf8).withUnsafeBytes { try read.takeTotals(of: $0) }
    return read
  }

  @Test("The trailer is one exact line.")
  func form() {
    #expect(
      line == #"{"kind":"trailer","digest":"\#(SHA256.digest(of: [1]))","#
        + #""meta":{"last":12,"transactions":3,"changes":40}}"# + "\n"
    )
  }

  @Test("The digest and the counts are read from a trailer, but not the last transaction.")
  func reading() throws {
    var expected = trailer
    expected.last = 5
    #expect(try totals(line) == expected)
  }

  @Test("A digest that is not one keeps the digest before, so that the comparison fails.")
  func digest() throws {
    let read = try totals(line.replacing("\(trailer.digest)", with: "0a"))
    #expect(read.digest == SHA256.digest(of: [2]))
    #expect(read.changes == 40)
  }

  @Test(
    "A trailer with another key, a missing key or a text instead of a number is refused.",
    arguments: [
      ("trailer", "header"), ("{\"kind\"", " {\"kind\""), ("\"last\":12", "\"last\":\"12\""),
      ("\"last\":12,", ""), ("\"last\":12", "\"last\":"), ("\"transactions\"", "\"changes\""),
      (":3,", ":,"), (":3,", ":x,"), (":40", ":"), (",\"changes\":40", ""), ("\"meta\":", ""),
    ]
  )
  func refused(part: String, replacement: String) {
    #expect(line.contains(part))
    #expect(throws: Refusal.self) { try totals(line.replacing(part, with: replacement)) }
  }
}
