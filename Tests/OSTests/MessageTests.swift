import Foundation
import Testing

@testable import os

@Suite("Messages of loggers")
struct MessageTests {
  struct Refused: Error, CustomStringConvertible {
    var description: String { "refused" }
  }

  private func shown(_ message: OSLogMessage) -> String {
    message.text(showsPrivate: false)
  }

  @Test("Numbers and Booleans are public by default, and everything else is private.")
  func privacyOfKinds() {
    let name = "Oslo"
    #expect(shown("\(3) \(UInt8(7)) \(2.5) \(Float(0.5)) \(true)") == "3 7 2.500000 0.500000 true")
    #expect(shown("\(name) \([1]) \(Refused())") == "<private> <private> <private>")
    #expect(shown("words only") == "words only")
    #expect(shown("") == "")
  }

  @Test(
    "Each privacy is applied, with and without private values shown.",
    arguments: [
      (OSLogPrivacy.public, true, "x", "x"), (.public, false, "x", "x"),
      (.auto, true, "x", "x"), (.auto, false, "<private>", "x"),
      (.private, true, "<private>", "x"), (.private, false, "<private>", "x"),
      (.sensitive, true, "<private>", "<private>"), (.sensitive, false, "<private>", "<private>"),
      (.private(mask: .none), true, "<private>", "x"),
      (.auto(mask: .hash), true, "x", "x"),
    ]
  )
  func privacies(privacy: OSLogPrivacy, isScalar: Bool, hidden: String, shown: String) {
    #expect(privacy.shown("x", isScalar: isScalar, showsPrivate: false) == hidden)
    #expect(privacy.shown("x", isScalar: isScalar, showsPrivate: true) == shown)
  }

  @Test("A hash distinguishes values without showing them.")
  func hashes() {
    let one = shown("\("one", privacy: .private(mask: .hash))")
    #expect(one == shown("\("one", privacy: .sensitive(mask: .hash))"))
    #expect(one != shown("\("two", privacy: .private(mask: .hash))"))
    #expect(one.hasPrefix("<mask.hash: '") && !one.contains("one"))
  }

  @Test("Integers are written in decimal, hexadecimal and octal.")
  func integers() {
    #expect(shown("\(255, format: .hex) \(255, format: .octal)") == "ff 377")
    #expect(shown("\(255, format: .hex(includePrefix: true, uppercase: true))") == "0xFF")
    #expect(shown("\(-7, format: .decimal(minDigits: 3))") == "-007")
    #expect(shown("\(7, format: .decimal(explicitPositiveSign: true))") == "+7")
    #expect(shown("\(8, format: .octal(includePrefix: true))") == "010")
    #expect(shown("\(Int64.min) \(UInt64.max)") == "-9223372036854775808 18446744073709551615")
  }

  @Test("Fractions are written in the formats of C.")
  func fractions() {
    #expect(shown("\(2.345, format: .fixed(precision: 1))") == "2.3")
    #expect(shown("\(2.5, format: .fixed(precision: 0, explicitPositiveSign: true))") == "+2")
    #expect(shown("\(1500.0, format: .exponential(precision: 1))") == "1.5e+03")
    #expect(shown("\(0.5, format: .hybrid) \(0.5, format: .hex)") == "0.5 0x1p-1")
  }

  @Test("Booleans and aligned columns are written.")
  func wordsAndColumns() {
    #expect(shown("\(true, format: .answer) \(false, format: .answer)") == "yes no")
    #expect(
      shown("|\(7, align: .right(columns: 3))|\(7, align: .left(columns: 3))|") == "|  7|7  |"
    )
    #expect(shown("|\("abc", align: .right(columns: 2), privacy: .public)|") == "|abc|")
    #expect(shown("|\("abc", align: .left(columns: 10))|") == "|<private> |")
  }

  @Test(
    "Values are written in the formats of C.",
    arguments: [
      ("plain", [], "plain"),
      ("%d of %d", [1, 2], "1 of 2"),
      ("%{public}@", ["Oslo"], "Oslo"),
      ("%@", ["Oslo"], "<private>"),
      ("%{private}d", [7], "<private>"),
      ("%{public, mask.hash}s", ["x"], "x"),
      ("100%%", [], "100%"),
      ("%.2f %5.1f", [1.0, 2.25], "1.00   2.2"),
      ("%x %u %lu", [255, UInt64.max, 3], "ff 18446744073709551615 3"),
      ("%lld|%03ld", [Int64.min, 7], "-9223372036854775808|007"),
      ("%d", [], "<missing argument>"),
      ("%", [], ""),
    ] as [(String, [any Sendable], String)]
  )
  func formats(format: String, arguments: [any Sendable], text: String) {
    #expect(shown(formatted(format, arguments: arguments)) == text)
  }
}
