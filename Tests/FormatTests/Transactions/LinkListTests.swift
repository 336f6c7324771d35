import TestSupport
import Testing

@testable import Format

@Suite("Lists of links")
struct LinkListTests {
  private let prefix = Array(#"{"entity":"Tag","id":""#.utf8)

  private func text(_ targets: [Int64]) -> [UInt8] {
    var json: [UInt8] = []
    appendLinkList(targets, prefix: prefix, to: &json)
    return json
  }

  private func links(_ text: [UInt8]) -> [Int64]? {
    var result: [Int64] = []
    return text.withUnsafeBytes { readLinkList($0, prefix: prefix, to: &result) } ? result : nil
  }

  @Test("A list is read as it was written, with ids of any size.")
  func roundTrip() {
    var random = SeededGenerator(for: "lists of links")
    for count in 0..<40 {
      let targets = Set((0..<count).map { _ in Int64.random(in: .min ... .max, using: &random) })
      let written = targets.union([.min, 0, .max]).sorted()
      #expect(links(text(written)) == written)
    }
    #expect(links(text([])) == [])
  }

  @Test("A text with another byte is refused, or is the exact text of another list.")
  func bytes() {
    let list = text([-32, 8])
    var read = 0
    for place in list.indices {
      #expect(links(Array(list[..<place])) == nil)
      for byte in UInt8.min ... .max where byte != list[place] {
        var other = list
        other[place] = byte
        guard let meant = links(other) else { continue }
        read += 1
        #expect(text(meant) == other)
      }
      var longer = list
      longer.insert(list[place], at: place)
      if let meant = links(longer) { #expect(text(meant) == longer) }
    }
    // Texts with other digits are other lists.
    #expect(read > 20)
  }

  @Test(
    "A text that the writer would not write is refused.",
    arguments: [
      "", "[", "]", "null", "{}", "[ ]", "[,]", "[]]", "[{}]",
      #"[{"entity":"Tag","id":"1"},]"#,
      #"[{"entity":"Tag","id":"1"}{"entity":"Tag","id":"2"}]"#,
      #"[{"entity":"Tag","id":"2"},{"entity":"Tag","id":"1"}]"#,
      #"[{"entity":"Tag","id":"1"},{"entity":"Tag","id":"1"}]"#,
      #"[{"entity":"Tag","id":"01"}]"#, #"[{"entity":"Tag","id":"-0"}]"#,
      #"[{"entity":"Tag","id":""}]"#, #"[{"entity":"Tag","id":"9223372036854775808"}]"#,
      #"[{"entity":"Trip","id":"1"}]"#, #"[{"entity":"Tag","id":1}]"#,
      #"[{"entity":"Tag","id":"1","position":1}]"#,
    ]
  )
  func refusals(_ text: String) {
    #expect(links(Array(text.utf8)) == nil)
  }

  @Test("Each link in a reference or in a list is visited with its entity and its id.")
  func visits() throws {
    func visited(_ text: String) -> [String] {
      var result: [String] = []
      Array(text.utf8).withUnsafeBytes {
        forEachLink(in: $0) { result.append(String(decoding: $0, as: UTF8.self) + " \($1)") }
      }
      return result
    }
    let one = #"{"entity":"Tag","id":"7"}"#
    let two = #"{"entity":"A\"b","id":"-8"}"#
    #expect(visited(one) == ["Tag 7"])
    #expect(visited("[\(one)]") == ["Tag 7"])
    #expect(visited("[\(one),\(two)]") == ["Tag 7", #"A\"b -8"#])
    for text in [
      "", "[", "[]", "null", "7", #""{""#, #"{"entity":""#, #"{"entity":"Tag"}"#,
      #"{"entity":"Tag","id":""#, #"{"entity":"Tag","id":"7"#, #"{"entity":"Tag","id":"x"}"#,
      #"{"entity":"Tag","id":""}"#, #"{"Entity":"Tag","id":"7"}"#,
    ] {
      #expect(visited(text) == [], "\(text)")
    }
    #expect(visited(#"{"entity":"Tag","id":"7""#) == ["Tag 7"])
    #expect(visited("[\(one),{}]") == ["Tag 7"])
  }
}
