import Testing

@testable import Format

@Suite("Parts of error messages")
struct ErrorTextTests {
  @Test("Only the number 1 has a noun without an s.")
  func counts() {
    #expect((0...2).map { countText($0, noun: "row") } == ["0 rows", "1 row", "2 rows"])
  }

  @Test("A list of sentences shows twenty, each in a line, and counts the others.")
  func items() {
    func text(_ items: some Collection<some CustomStringConvertible>) -> String {
      let wording: Wording = "\(items: items)"
      return wording.message
    }
    let lines = (1...20).map { "\n- \($0)" }.joined()
    #expect(text([Int]()) == "")
    #expect(text(1...20) == lines)
    #expect(text(1...21) == lines + "\n- and 1 more")
    #expect(text(1...30) == lines + "\n- and 10 more")
    #expect(text(["a\nb"]) == #"\#n- a\u{a}b"#)
  }

  @Test("Characters that control a terminal or the direction of a line are escaped.")
  func visibleTexts() {
    #expect(visible("Zürich 🏔️ “a”…") == "Zürich 🏔️ “a”…")
    #expect(visible("a\nb\u{1b}[2J\u{7}") == #"a\u{a}b\u{1b}[2J\u{7}"#)
    #expect(visible("\u{85}\u{202e}\u{2028}") == #"\u{85}\u{202e}\u{2028}"#)
    #expect(visible(visible("a\nb")) == visible("a\nb"))
  }
}
