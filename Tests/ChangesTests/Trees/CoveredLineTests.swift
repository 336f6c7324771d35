import Testing

@testable import Changes

@Suite("The parts of a line that its leaf covers")
struct CoveredLineTests {
  private let digits = String(repeating: "0a", count: 32)
  private let seed = "AAECAwQFBgcICQoLDA0ODw=="

  private func line(_ text: String) throws -> CoveredLine { try CoveredLine(Array(text.utf8)) }

  private func string(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
  }

  private func found(_ text: StaticString, _ bytes: String, before end: Int? = nil) -> Range<Int>? {
    firstRange(of: text, in: Array(bytes.utf8), before: end)
  }

  @Test("The first position of a text is found at the start, at the end, and after other commas.")
  func positions() {
    #expect(found(",a", "") == nil)
    #expect(found(",a", ",") == nil)
    #expect(found(",a", ",a") == 0..<2)
    #expect(found(",a", "x,a") == 1..<3)
    #expect(found(",a", ",,a") == 1..<3)
    #expect(found(",a", ",,,a") == 2..<4)
    #expect(found(",a", ",b,a,a") == 2..<4)
    #expect(found(",a", ",b,") == nil)
    #expect(found(",", ",") == 0..<1)
    #expect(found(",abc", "x,ab") == nil)
    #expect(found(",a", "x,a", before: 3) == 1..<3)
    #expect(found(",a", "x,a", before: 2) == nil)
    #expect(found(",a", "x,a", before: 1) == nil)
    #expect(found(",a", "x,a", before: 0) == nil)
    #expect(found(",a", ",b,a", before: 3) == nil)
  }

  @Test("The values of a line begin with the first key of values.")
  func parts() throws {
    let prefix = #"{"kind":"change","txn":3,"seq":0"#
    let known = #""op":"update","entity":"E","id":"1","changed":["a"]"#
    for values in [
      "", #","before":{"a":1}"#, #","after":{"a":1}"#, #","special":{}"#, #","large":{}"#,
      #","after":{"a":1},"before":{"a":2}"#,
    ] {
      let line = try line(prefix + "," + known + values + "}")
      #expect(string(line.line[line.prefix]) == prefix)
      #expect(string(line.line[line.known]) == known)
      #expect(string(line.line[line.values]) == values)
      #expect(line.valuesDigest == nil && line.seed == nil)
      #expect(line.shown == line.line)
    }
  }

  @Test("A line without its operation or its last brace is refused.")
  func refused() {
    for text in ["", "{}", #"{"a":1}"#, #"{"a":1,"op":"x""#, #"{"a":1,"op":"x"} "#, #"{"op":"x"}"#]
    {
      #expect(
        throws: ProofError("A line of the transaction does not have the form of a line in a log.")
      ) { try line(text) }
    }
  }

  @Test("The seed of a line is a number and 16 bytes, and is not shown.")
  func seeds() throws {
    func text(_ member: String) -> String { #"{"seq":0\#(member),"op":"delete"}"# }
    let whole = try line(text(#","seed":"12:\#(seed)""#))
    #expect(whole.seed?.lines == 12 && whole.seed?.seed.bytes == Array(0..<16))
    #expect(string(whole.shown) == text(""))
    for member in [
      "", #","seed":"12""#, #","seed":"12:\#(seed):1""#, #","seed":"x:\#(seed)""#,
      #","seed":"12:AAAA""#, #","seed":"12:\#(seed.dropLast())""#, #","salt":"\#(seed)""#,
    ] {
      #expect(try line(text(member)).seed == nil, "\(member)")
      #expect(try string(line(text(member)).shown) == text(""))
    }
    let late = try line(#"{"seq":0,"op":"delete","before":{"a":1,"seed":"12:\#(seed)"}}"#)
    #expect(late.seed == nil && late.shown == late.line)
  }

  @Test("A line with hidden values has their digest, and shows neither the salt nor the values.")
  func hidden() throws {
    let digest = try #require(Digest(hexadecimal: digits))
    let start = #"{"seq":0,"values":"\#(digits)""#
    let hidden = try line(start + #","salt":"\#(seed)","op":"delete","before":{"a":1}}"#)
    #expect(hidden.valuesDigest == digest)
    #expect(string(hidden.shown) == start + #","op":"delete"}"#)
    let leaf = Array(#""op":"delete""#.utf8).withUnsafeBytes { lineHash($0, values: digest) }
    #expect(hidden.leaf(salt: nil) == leaf)
    #expect(hidden.leaf(salt: Seed(bytes: Array(0..<16))) == leaf)
    let wrong = try line(#"{"seq":0,"values":"\#(digits)0","op":"delete"}"#)
    #expect(wrong.valuesDigest == nil)
  }

  @Test("The leaf of a line with values needs the salt of the line.")
  func leaf() throws {
    let whole = try line(#"{"seq":0,"op":"delete","before":{"a":1}}"#)
    #expect(whole.leaf(salt: nil) == nil)
    let salt = try #require(Seed(bytes: Array(0..<16)))
    let values = Array(#","before":{"a":1}"#.utf8).withUnsafeBytes { valuesDigest($0, salt: salt) }
    let leaf = Array(#""op":"delete""#.utf8).withUnsafeBytes { lineHash($0, values: values) }
    #expect(whole.leaf(salt: salt) == leaf)
  }
}
