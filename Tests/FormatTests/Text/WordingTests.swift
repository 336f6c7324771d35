import Format
import Testing

@Suite("Messages and hints")
struct WordingTests {
  @Test("The second line of a literal is the hint, whatever line breaks its values contain.")
  func lines() {
    let value = "two\nlines"
    let wording: Wording = "No \(value)." + " Nothing was done." + "\nGive \(value)."
    #expect(wording.message == #"No two\u{a}lines. Nothing was done."#)
    #expect(wording.hint == #"Give two\u{a}lines."#)
    let alone: Wording = "No \(value)."
    #expect(alone.message == #"No two\u{a}lines."# && alone.hint.isEmpty)
  }

  @Test("A given hint is used only if the literal has no second line.")
  func givenHints() {
    let alone: Wording = "It failed."
    #expect(alone.withHint("Try again.") == "It failed.\nTry again.")
    #expect(alone.withHint("") == alone)
    for own: Wording in ["It failed.\nGive it up.", "It failed.\n"] {
      #expect(own.withHint("Try again.") == own)
    }
  }

  @Test("Each path in a text can get another name, whose control characters are escaped.")
  func names() {
    let wording: Wording = "No /a:\(items: ["/a", "c"]).\nRemove /a."
    let named = wording.naming { $0.replacing("/a", with: "b\n") }
    #expect(named.message == "No b\\u{a}:\n- b\\u{a}\n- c." && named.hint == "Remove b\\u{a}.")
  }
}
