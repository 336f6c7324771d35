import Testing

@testable import ChangeLog

@Suite("Parsing a line")
struct LinePartsTests {
  @Test("Skipping stops before the given text, and does not move if the text is missing.")
  func skipping() {
    let line = Array("one,two,,three".utf8)
    line.withUnsafeBytes { bytes in
      var parts = LineParts(bytes)
      let steps: [(text: StaticString, isThere: Bool, position: Int)] = [
        (",t", true, 3), (",th", true, 8), ("two", false, 8), ("threes", false, 8), ("e", true, 12),
      ]
      for step in steps {
        let isThere = parts.skip(to: step.text)
        #expect(isThere == step.isThere)
        #expect(parts.position == step.position)
        #expect(!parts.isAtEnd)
      }
      let hasRest = parts.has("ee")
      #expect(hasRest)
      #expect(parts.isAtEnd)
    }
  }

  private func taking<Result>(
    _ line: String,
    from position: Int = 0,
    _ body: (inout LineParts) throws -> Result
  ) rethrows -> Result {
    try Array(line.utf8).withUnsafeBytes { bytes in
      var parts = LineParts(bytes, from: position)
      return try body(&parts)
    }
  }

  @Test("An error shows at most 40 bytes of the unexpected text.")
  func expectation() throws {
    let shown = String(repeating: "a", count: 40)
    for line in [shown, shown + "b"] {
      let error = #expect(throws: Refusal.self) { try taking(line) { try $0.expect("x") } }
      #expect(error?.message.hasSuffix("'\(shown)'") == true)
    }
    let position = try taking("abc", from: 1) { parts in
      try parts.expect("b")
      return parts.position
    }
    #expect(position == 2)
  }

  @Test("A number in a line ends before the first byte that is not a digit or a minus.")
  func numbers() throws {
    let numbers: [(line: String, number: Int64, position: Int)] = [
      ("0,", 0, 1), ("-12}", -12, 3), ("9223372036854775807", .max, 19), ("10:", 10, 2),
      ("9/", 9, 1),
    ]
    for (line, number, position) in numbers {
      try taking(line) { parts in
        let found = try parts.integer()
        #expect(found == number)
        #expect(parts.position == position)
      }
    }
    for line in ["", "x", "-", "01", "1-1", "-0", "9223372036854775808"] {
      #expect(throws: Refusal.self, "\(line)") { try taking(line) { try $0.integer() } }
    }
  }

  @Test("A text ends at its closing quote, or at the end of the line if the quote is missing.")
  func texts() throws {
    let texts: [(line: String, text: String, position: Int)] = [
      (#""a\"b",1"#, #""a\"b""#, 6), (#""""#, #""""#, 2), (#""a"#, #""a"#, 2), ("a", "", 0),
      ("", "", 0),
    ]
    for (line, text, position) in texts {
      taking(line) { parts in
        let quoted = String(decoding: parts.quoted(), as: UTF8.self)
        #expect(quoted == text)
        #expect(parts.position == position)
      }
    }
    #expect(try taking(#""a\n","#) { try $0.string() } == "a\n")
    #expect(throws: Refusal.self) { try taking("1") { try $0.string() } }
    #expect(try taking(#"ab","#) { try $0.word() } == "ab")
    #expect(throws: Refusal.self) { try taking("ab") { try $0.word() } }
  }

  @Test("A value is found only after its key, and ends before the next comma.")
  func values() {
    taking(#""a":[1,2],"b":3}"#) { parts in
      #expect(parts.value(#""b":"#).isEmpty && parts.position == 0)
      #expect(parts.value(#""a":"#).elementsEqual("[1,2]".utf8) && parts.position == 9)
      #expect(!parts.isAtEnd)
    }
  }

  @Test(
    "The values of a line begin with the first of four keys, and a line without them has none.",
    arguments: ["before", "after", "special", "large"]
  )
  func beginningOfValues(_ key: String) {
    let line = #"a,b,"\#(key)":1,"large":2"#
    taking(line) { parts in
      #expect(parts.beginningOfValues(upTo: line.utf8.count) == 3)
      #expect(parts.beginningOfValues(upTo: 4) == 3)
      #expect(parts.beginningOfValues(upTo: 3) == 3)
      #expect(parts.beginningOfValues(upTo: 2) == 2)
      #expect(parts.position == 0)
    }
    taking(line, from: 4) { parts in
      #expect(parts.beginningOfValues(upTo: line.utf8.count) == line.utf8.count - 10)
    }
    let other = #"a,"\#(key)s":1,"\#(key)"#
    taking(other) { parts in
      #expect(parts.beginningOfValues(upTo: other.utf8.count) == other.utf8.count)
    }
  }

  @Test("A text that is expected and missing is named in the error.")
  func missingText() {
    for (line, message) in [
      ("abc", "the line should continue with 'x' before 'abc'"),
      ("", "the line should continue with 'x' before ''"),
    ] {
      let error = #expect(throws: Refusal.self) { try taking(line) { try $0.expect("x") } }
      #expect(error?.message == message)
    }
  }
}
