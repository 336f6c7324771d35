import Foundation
import FoundationExtras
import Testing

@Suite("StringTransform")
struct StringTransformTests {
  @Test("A transform is applied to strings and substrings, and an unknown transform is nil.")
  func transforms() {
    #expect("Привет".applyingTransform(.toLatin, reverse: false) == "Privet")
    #expect("Привет".dropFirst().applyingTransform(.toLatin, reverse: false) == "rivet")
    #expect("café".applyingTransform(.stripDiacritics, reverse: false) == "cafe")
    #expect("privet".applyingTransform(.latinToCyrillic, reverse: false) == "привет")
    #expect("привет".applyingTransform(.latinToCyrillic, reverse: true) == "privet")
    #expect("alpha".applyingTransform(.latinToGreek, reverse: false) == "ἀλφα")
    #expect("é".applyingTransform(StringTransform("Any-Hex/XML"), reverse: false) == "&#xE9;")
    #expect("x".applyingTransform(StringTransform("no such transform"), reverse: false) == nil)
  }
}
