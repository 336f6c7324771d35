import Testing

@testable import Changes

@Suite("Writing the texts of a change")
struct ChangeTextTests {
  private let first = memberKey("a")
  private let second = memberKey("b")
  private let large = LargeReference(digest: "0a", size: 7)

  private func string(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
  }

  private func texts(_ side: ChangeSide) -> [String] {
    [side.json, side.special, side.large].map { string($0) }
  }

  @Test("A side has commas between its values, and notes only for the values that have some.")
  func sides() {
    var side = ChangeSide()
    #expect(side.isEmpty && texts(side) == ["{", "", ""])
    side.append(first, value: EncodedValue(json: [0x31]))
    #expect(!side.isEmpty && texts(side) == [#"{"a":1"#, "", ""])
    side.append(second, value: .erased)
    side.append(first, value: EncodedValue(large: large))
    side.append(second, value: .missing)
    #expect(
      texts(side) == [
        #"{"a":1,"b":null,"a":null,"b":null"#, #"{"b":"erased","b":"missing""#,
        #"{"a":{"sha256":"0a","size":7}"#,
      ]
    )
    side.close()
    #expect(
      texts(side) == [
        #"{"a":1,"b":null,"a":null,"b":null}"#, #"{"b":"erased","b":"missing"}"#,
        #"{"a":{"sha256":"0a","size":7}}"#,
      ]
    )
    side.removeAll()
    #expect(side.isEmpty && texts(side) == ["{", "", ""])
    side.close()
    #expect(texts(side) == ["{}", "", ""])
  }

  @Test("A change has the sides of its kind, and the texts can be used again for the next change.")
  func kinds() {
    var text = ChangeText()
    for _ in 0..<2 {
      for kind in ChangeKind.allCases {
        text.removeAll()
        text.before.append(first, value: EncodedValue(json: [0x31]))
        text.after.append(first, value: .erased)
        text.after.append(second, value: EncodedValue(large: large))
        if kind == .update {
          text.appendChanged(first)
          text.appendChanged(second)
        }
        let parts = bytes("E") { entity in
          text.withChange(kind, sequence: 3, entity: entity, object: -7) { change in
            #expect(change.kind == kind && change.sequence == 3 && change.id == -7)
            return [
              change.entity, change.changed, change.before, change.after, change.special,
              change.large,
            ]
            .map { string($0) }
          }
        }
        #expect(
          parts == [
            "E", kind == .update ? #"["a","b"]"# : "", kind == .insert ? "" : #"{"a":1}"#,
            kind == .delete ? "" : #"{"a":null,"b":null}"#, #"{"after":{"a":"erased"}}"#,
            #"{"after":{"b":{"sha256":"0a","size":7}}}"#,
          ]
        )
      }
    }
  }
}
