import Changes
import Testing

@Suite("Wording")
struct WordingTests {
  @Test("The second line of a literal is the hint, whatever line breaks its values have")
  func lines() {
    let value = "two\nlines"
    let wording: Wording = "No \(value)." + " Nothing was done." + "\nGive \(value)."
    #expect(wording.message == "No two\nlines. Nothing was done.")
    #expect(wording.hint == "Give two\nlines.")
    let alone: Wording = "No \(value)."
    #expect(alone.message == "No two\nlines." && alone.hint.isEmpty)
  }

  @Test("A hint that the message ends with is taken out of it")
  func repeatedHints() {
    let joined = Wording(message: "It failed. Try again.", hint: "Try again.")
    #expect(joined == Wording(message: "It failed.", hint: "Try again."))
    #expect(joined.message == "It failed." && joined.hint == "Try again.")
  }
}
