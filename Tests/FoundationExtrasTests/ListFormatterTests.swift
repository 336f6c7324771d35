import Foundation
import FoundationExtras
import Testing

@Suite("ListFormatter")
struct ListFormatterTests {
  private func formatter(_ language: String) -> ListFormatter {
    let formatter = ListFormatter()
    formatter.locale = Locale(identifier: language)
    return formatter
  }

  @Test("A list is joined in the language of the formatter.")
  func languages() {
    let words = ["a", "b", "c"]
    #expect(formatter("en_US").string(from: words) == "a, b, and c")
    #expect(formatter("en_GB").string(from: words) == "a, b and c")
    #expect(formatter("de_DE").string(from: words) == "a, b und c")
    #expect(formatter("ja_JP").string(from: words) == "a、b、c")
    #expect(formatter("en_US").string(from: ["a", "b"]) == "a and b")
    #expect(formatter("en_US").string(from: ["a"]) == "a")
    #expect(formatter("en_US").string(from: []) == "")
    #expect(ListFormatter.localizedString(byJoining: words).hasPrefix("a"))
  }

  @Test("The items of a list are written by the item formatter, or as their descriptions.")
  func items() {
    let list = formatter("en_US")
    #expect(list.string(from: [1, true, "x"]) == "1, true, and x")
    let numbers = NumberFormatter()
    numbers.locale = Locale(identifier: "en_US")
    numbers.numberStyle = .spellOut
    list.itemFormatter = numbers
    #expect(list.string(from: [1, 2, "x"]) == "one, two, and x")
    #expect(list.string(for: [1, 2]) == "one and two")
    #expect(list.string(for: 1) == nil)
  }
}
