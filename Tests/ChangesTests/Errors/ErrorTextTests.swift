import Testing

@testable import Changes

@Suite("Parts of error messages")
struct ErrorTextTests {
  @Test("A text of more than 80 characters is shown by its first 50 and its length.")
  func abbreviation() {
    for count in [0, 1, 79, 80] {
      let text = String(repeating: "é", count: count)
      #expect(abbreviated(text) == text)
    }
    let shown = String(repeating: "é", count: 50)
    #expect(abbreviated(String(repeating: "é", count: 81)) == shown + "… (81 characters)")
  }

  @Test("Only the number 1 has a noun without an s.")
  func counts() {
    #expect((0...2).map { countText($0, noun: "row") } == ["0 rows", "1 row", "2 rows"])
  }

  @Test("A range of one transaction is named by its number.")
  func ranges() {
    #expect(rangeText(3...3) == "Transaction 3")
    #expect(rangeText(3...4) == "Transactions 3 to 4")
  }

  @Test("A list shows ten names and counts the others, also those that are not in the list.")
  func lists() {
    let names = (1...12).map(String.init)
    let ten = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"
    #expect(listText([]) == "")
    #expect(listText(["1"]) == "1")
    #expect(listText(Array(names.prefix(10))) == ten)
    #expect(listText(Array(names.prefix(11))) == ten + " and 1 more")
    #expect(listText(names) == ten + " and 2 more")
    #expect(listText(["1"], of: 1) == "1")
    #expect(listText(["1"], of: 3) == "1 and 2 more")
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
