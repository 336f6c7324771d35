import Testing

@testable import Changes

@Suite("The notes on the values of a change")
struct ChangeNotesTests {
  private let digest = String(repeating: "0a", count: 32)

  private func hidden(_ special: String) -> [Bool] {
    var change = SampleChange.noted
    change.special = special
    return change.withChange { [$0.hasHiddenValues, $0.hasErasedValues] }
  }

  @Test("A change has hidden values if a note on either side says erased, redacted or a hash.")
  func hiddenValues() {
    #expect(hidden("") == [false, false])
    for side in ["after", "before"] {
      #expect(hidden(#"{"\#(side)":{"name":"erased"}}"#) == [true, true])
      #expect(hidden(#"{"\#(side)":{"rating":"nan","name":"erased"}}"#) == [true, true])
      for name in ["redacted", "hash:" + digest] {
        #expect(hidden(#"{"\#(side)":{"name":"\#(name)"}}"#) == [true, false])
      }
      for name in ["nan", "missing", "text:erased", "hash:0a"] {
        #expect(hidden(#"{"\#(side)":{"name":"\#(name)"}}"#) == [false, false])
      }
    }
  }

  @Test("Large values are listed by side, except those whose files were missing.")
  func largeReferences() {
    func references(_ special: String, _ large: String) -> [Int64] {
      var change = SampleChange.noted
      (change.special, change.large) = (special, large)
      return change.withChange { $0.largeReferences.map(\.size) }
    }
    func note(_ size: Int) -> String { #"{"sha256":"\#(digest)","size":\#(size)}"# }
    let large =
      #"{"after":{"name":\#(note(1)),"rating":\#(note(2))},"before":{"name":\#(note(3))}}"#
    #expect(references("", "") == [])
    #expect(references("", large) == [1, 2, 3])
    #expect(references(#"{"after":{"name":"missing"}}"#, large) == [2, 3])
    #expect(references(#"{"before":{"name":"missing"}}"#, large) == [1, 2])
    #expect(references(#"{"after":{"rating":"nan"}}"#, large) == [1, 2, 3])
  }

  @Test("Each value has its text, or the text of its note or reference if it has one.")
  func toldValues() {
    var change = SampleChange.noted
    change.before = #"{"name":null,"rating":1.0,"tags":[]}"#
    let told = change.withChange(\.toldValues)
    #expect(
      told.map { String(decoding: $0.key, as: UTF8.self) }
        == [#""name":"#, #""rating":"#, #""name":"#, #""rating":"#]
    )
    #expect(told.map(\.isAfter) == [false, false, true, true])
    #expect(told.map(\.isErased) == [true, false, false, false])
    #expect(told.map(\.isNull) == [false, false, false, false])
    #expect(told.map(\.files) == [[], [], [digest], []])
    #expect(
      told.map { String(decoding: $0.text, as: UTF8.self) }
        == [#""erased""#, "1.0", #"{"sha256":"\#(digest)","size":2000000}"#, #""nan""#]
    )
    #expect(told[1].digest == SHA256.digest(of: Array("1.0".utf8)))
    let plain = SampleChange.update.withChange(\.toldValues)
    #expect(plain.map(\.isNull) == [false, true, false, false])
    #expect(SampleChange.links.withChange(\.toldValues).isEmpty)
  }

  /// The texts of a change in which the values under these keys are erased.
  private func erased(_ change: SampleChange, _ keys: [String], isAfter: Bool) -> [String] {
    change.withChange {
      $0.withErased { key, side in
        side == isAfter && keys.contains(String(decoding: key, as: UTF8.self))
      } _: {
        [$0.changed, $0.before, $0.after, $0.special, $0.large].map {
          String(decoding: $0, as: UTF8.self)
        }
      }
    }
  }

  @Test("An erased value becomes null with a note, and all other values remain.")
  func erasing() {
    let update = SampleChange.update
    #expect(
      erased(update, [], isAfter: true) == [update.changed, update.before, update.after, "", ""]
    )
    #expect(
      erased(update, [#""name":"#], isAfter: true) == [
        update.changed, update.before, #"{"name":null,"leader":{"entity":"Person","id":"-3"}}"#,
        #"{"after":{"name":"erased"}}"#, "",
      ]
    )
    #expect(
      erased(update, [#""name":"#, #""leader":"#], isAfter: false) == [
        update.changed, #"{"name":null,"leader":null}"#, update.after,
        #"{"before":{"name":"erased","leader":"erased"}}"#, "",
      ]
    )
    let noted = SampleChange.noted
    #expect(
      erased(noted, [#""name":"#], isAfter: true) == [
        noted.changed, noted.before, noted.after,
        #"{"after":{"name":"erased","rating":"nan"},"before":{"name":"erased"}}"#, "",
      ]
    )
    let links = SampleChange.links
    #expect(
      erased(links, [#""trips":"#], isAfter: true)
        == [links.changed, links.before, links.after, "", ""]
    )
    let insert = erased(.insert, [#""rating":"#], isAfter: true)
    #expect(insert[1] == "" && insert[3] == #"{"after":{"rating":"erased"}}"#)
    let delete = erased(.delete, [#""name":"#], isAfter: false)
    #expect(delete[2] == "" && delete[3] == #"{"before":{"name":"erased"}}"#)
  }

  @Test("An object without values keeps its empty sides.")
  func empty() {
    let change = SampleChange(kind: .update)
    #expect(
      SampleChange(kind: .insert).withChange { $0.withErased({ _, _ in true }, \.after.isEmpty) }
    )
    #expect(change.withChange { $0.withErased({ _, _ in true }, \.before.isEmpty) })
  }

  @Test("Two sides of notes are joined with the side after the change first.")
  func joined() {
    func joined(_ before: String, _ after: String) -> String {
      text { joinSides(Array(before.utf8), Array(after.utf8), to: &$0) }
    }
    #expect(joined("", "") == "")
    #expect(joined("1", "") == #"{"before":1}"#)
    #expect(joined("", "2") == #"{"after":2}"#)
    #expect(joined("1", "2") == #"{"after":2,"before":1}"#)
  }

  @Test("The values of each side are found by their keys, with the notes of the same side.")
  func valuesByKey() {
    let (name, rating) = (memberKey("name"), memberKey("rating"))
    SampleChange.noted.withChange { change in
      let before = change.valuesByKey(.before)
      #expect(before.count == 2 && before[name] == .erased)
      #expect(before[rating] == EncodedValue(json: Array("1.0".utf8)))
      let after = change.valuesByKey(.after)
      #expect(after[name] == EncodedValue(large: LargeReference(digest: digest, size: 2_000_000)))
      #expect(after[rating] == EncodedValue(note: "nan"))
      #expect(change.values(.after).map(\.key) == [name, rating])
      #expect(
        change.notes(on: .after).value(rating)
          == after[rating].map {
            var value = $0
            value.json = []
            return value
          }
      )
    }
    SampleChange.insert.withChange { change in
      #expect(change.valuesByKey(.before).isEmpty && change.valuesByKey(.after).count == 4)
    }
    let none = ChangeNotes(special: [], large: [])
    #expect(none.large.isEmpty && none.value(name, json: [0x31]) == EncodedValue(json: [0x31]))
  }

  @Test("Each value that gets a note becomes null, and the closure sees the values in order.")
  func notes() {
    var seen: [String] = []
    let parts = SampleChange.update.withChange { change in
      change.withNotes { told -> String? in
        seen.append(String(decoding: told.text, as: UTF8.self))
        return told.isNull ? nil : told.isAfter ? "redacted" : "erased"
      } _: { change in
        [change.changed, change.before, change.after, change.special, change.large].map {
          String(decoding: $0, as: UTF8.self)
        }
      }
    }
    #expect(
      seen == [
        #""ab""#, "null", #""cd""#, #"{"entity":"Person","id":"-3"}"#,
      ]
    )
    #expect(
      parts == [
        #"["name","leader"]"#, #"{"name":null,"leader":null}"#, #"{"name":null,"leader":null}"#,
        #"{"after":{"name":"redacted","leader":"redacted"},"before":{"name":"erased"}}"#, "",
      ]
    )
  }
}
