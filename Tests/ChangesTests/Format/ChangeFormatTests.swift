import TestSupport
import Testing

@testable import Changes

@Suite("The format of changes")
struct ChangeFormatTests {
  private func isAccepted(_ change: SampleChange, _ format: ChangeFormat) -> Bool {
    do {
      try change.withChange { try format.check($0) }
      return true
    } catch {
      return false
    }
  }

  @Test("A change that has all properties of its kind, in their order, is accepted.")
  func accepted() throws {
    let format = try ChangeFormat(tripSchema)
    for change in SampleChange.all { #expect(isAccepted(change, format), "\(change)") }
  }

  @Test("A change is refused if a brace, bracket, quote, comma or colon has any other byte.")
  func structure() throws {
    let format = try ChangeFormat(tripSchema)
    let structural = Set("{}[]\",:".utf8)
    for change in SampleChange.all {
      for text in SampleChange.texts {
        let bytes = Array(change[keyPath: text].utf8)
        for place in bytes.indices where structural.contains(bytes[place]) {
          // The colons of a date are a part of the value.
          let isInDate =
            place > 2 && (0x30...0x39).contains(bytes[place - 1])
            && bytes[place] == UInt8(ascii: ":")
          for other in UInt8(0)...0x7f where other != bytes[place] && !isInDate {
            var altered = change
            var altering = bytes
            altering[place] = other
            altered[keyPath: text] = String(decoding: altering, as: UTF8.self)
            guard isAccepted(altered, format) else { continue }
            Issue.record("\(altered)")
          }
          var longer = bytes
          longer.insert(bytes[place], at: place)
          var altered = change
          altered[keyPath: text] = String(decoding: longer, as: UTF8.self)
          #expect(!isAccepted(altered, format), "\(altered)")
        }
      }
    }
  }

  @Test("A change whose text ends early is refused.")
  func prefixes() throws {
    let format = try ChangeFormat(tripSchema)
    for change in SampleChange.all {
      for text in SampleChange.texts {
        let whole = change[keyPath: text]
        // A change need not have notes.
        let least = text == \.special || text == \.large ? 1 : 0
        for count in least..<max(least, whole.utf8.count) {
          var altered = change
          altered[keyPath: text] = String(whole.prefix(count))
          #expect(!isAccepted(altered, format), "\(altered)")
        }
      }
    }
  }

  @Test(
    "A change is refused unless it has exactly the sides of its kind.",
    arguments: [
      SampleChange(after: SampleChange.update.after),
      SampleChange(kind: .delete, before: SampleChange.update.after),
      SampleChange(before: SampleChange.insert.after, after: SampleChange.insert.after),
      SampleChange(changed: #"["name"]"#, after: SampleChange.insert.after),
      SampleChange(kind: .delete, before: SampleChange.delete.before, after: "{}"),
      SampleChange(kind: .update, changed: "[]", before: "{}", after: "{}"),
      SampleChange(kind: .update, changed: "", before: "{}", after: "{}"),
      SampleChange(
        kind: .update,
        changed: #"["name"]"#,
        before: #"{"rating":1.0}"#,
        after: #"{"name":"a"}"#
      ),
      SampleChange(
        kind: .update,
        changed: #"["name"]"#,
        before: #"{"name":"a","rating":1.0}"#,
        after: #"{"name":"b"}"#
      ),
      SampleChange(
        kind: .update,
        changed: #"["rating","name"]"#,
        before: #"{"rating":1.0,"name":"a"}"#,
        after: #"{"rating":2.0,"name":"b"}"#
      ),
      SampleChange(entity: "Voyage", after: SampleChange.insert.after),
    ]
  )
  func sides(_ change: SampleChange) throws {
    let format = try ChangeFormat(tripSchema)
    #expect(!isAccepted(change, format))
  }

  @Test(
    "Notes that do not name a value of the change, or have another spelling, are refused.",
    arguments: [
      (#"{"before":{"name":"redacted"}}"#, ""),
      (#"{"after":{"name":"erased","rating":"nan"},"before":{"leader":"erased"}}"#, ""),
      (#"{"before":{"name":"erased"},"after":{"rating":"nan"}}"#, ""),
      (#"{"after":{},"before":{"name":"erased"}}"#, ""),
      (#"{"after":{"rating":"missing"},"before":{"name":"erased"}}"#, ""),
      (#"{"after":{"rating":"nan"},"before":{"name":"erased"}}"#, #"{"after":{}}"#),
      (
        #"{"after":{"rating":"nan"},"before":{"name":"erased"}}"#,
        #"{"after":{"name":{"sha256":"0a","size":1}}}"#
      ),
      (
        #"{"after":{"rating":"nan"},"before":{"name":"erased"}}"#,
        #"{"before":{"rating":{"sha256":"\#(String(repeating: "0", count: 64))","size":1}}}"#
      ),
    ]
  )
  func notes(special: String, large: String) throws {
    let format = try ChangeFormat(tripSchema)
    var change = SampleChange.noted
    change.after = #"{"name":"a","rating":null}"#
    change.large = ""
    #expect(isAccepted(change, format))
    change.special = special
    change.large = large
    #expect(!isAccepted(change, format))
  }

  @Test("Redacted values are accepted only in filtered logs.")
  func redacted() throws {
    let format = try ChangeFormat(tripSchema, acceptsRedacted: true)
    let hash = SpecialValue.hashPrefix + String(repeating: "0a", count: 32)
    for name in [SpecialValue.redactedName, hash] {
      var change = SampleChange.noted
      change.special = change.special.replacing("erased", with: name)
      #expect(!isAccepted(change, try ChangeFormat(tripSchema)))
      #expect(isAccepted(change, format))
      change.special = change.special.replacing(name, with: name + "0")
      #expect(!isAccepted(change, format))
      change = SampleChange.noted
      change.before = change.before.replacing("null", with: #""x""#)
      #expect(!isAccepted(change, format))
    }
  }

  /// The reason why a change is refused; nil if it is accepted.
  private func refusal(_ change: Change, _ format: ChangeFormat) -> String? {
    do {
      try format.check(change)
      return nil
    } catch {
      return error.message
    }
  }

  private func refusal(_ change: SampleChange, _ format: ChangeFormat) -> String? {
    change.withChange { refusal($0, format) }
  }

  private func refusal(
    special: String,
    large: String,
    of change: SampleChange = .noted
  ) throws -> String? {
    var change = change
    (change.special, change.large) = (special, large)
    return refusal(change, try ChangeFormat(tripSchema))
  }

  @Test("A reference to a large value has a digest of 64 digits and a canonical size.")
  func references() throws {
    let digits = String(repeating: "0a", count: 32)
    let special = SampleChange.noted.special
    func refusal(_ reference: String) throws -> String? {
      try self.refusal(special: special, large: #"{"after":{"name":\#(reference)}}"#)
    }
    #expect(try refusal(#"{"sha256":"\#(digits)","size":7}"#) == nil)
    let reason =
      "null is not the canonical form of properties of Trip; the text was altered or written by"
      + " another program"
    for reference in [
      #"{"sha256":"","size":7}"#, #"{"sha256":"0a","size":7}"#,
      #"{"sha256":"\#(digits)0","size":7}"#, #"{"sha256":"\#(digits.uppercased())","size":7}"#,
      #"{"sha256":"\#(digits.dropLast())","size":7}"#, #"{"size":7,"sha256":"\#(digits)"}"#,
      #"{"sha256":"\#(digits)"}"#, #"{"digest":"\#(digits)","size":7}"#,
    ] {
      #expect(try refusal(reference) == reason, "\(reference)")
    }
  }

  @Test("Each side can have notes only once, the values after the change first.")
  func repeatedSides() throws {
    let after = #""after":{"rating":"nan"}"#
    let before = #""before":{"name":"erased"}"#
    let form = "the notes on the values do not have the required form"
    for (sides, isRight) in [
      ([after, before], true), ([before, after], false), ([after, after], false),
      ([after, after, before], false), ([after, before, before], false),
      ([before, before], false), ([after, before, after], false),
    ] {
      let special = "{" + sides.joined(separator: ",") + "}"
      let found = try refusal(special: special, large: "")
      #expect((found == form) == !isRight, "\(special)")
    }
  }

  @Test("Only a value whose file was missing can have a special and a large note.")
  func bothNotes() throws {
    let digits = String(repeating: "0a", count: 32)
    let large = #"{"after":{"name":{"sha256":"\#(digits)","size":7}}}"#
    let missing = #"{"after":{"name":"missing","rating":"nan"},"before":{"name":"erased"}}"#
    #expect(try refusal(special: missing, large: large) == nil)
    let names = "the notes name values that the change does not have"
    let erased = missing.replacing("missing", with: "erased")
    #expect(try refusal(special: erased, large: large) == names)
    let form =
      "is not the canonical form of properties of Trip; the text was altered or written by another"
      + " program"
    #expect(try refusal(special: missing, large: "") == "null \(form)")
    let wrong = large.replacing(digits, with: "0a")
    #expect(try refusal(special: missing, large: wrong) == "null \(form)")
    var shown = SampleChange.noted
    shown.after = shown.after.replacing(#""name":null"#, with: #""name":"x""#)
    #expect(try refusal(special: missing, large: large, of: shown) == "\"x\" \(form)")
    #expect(
      try refusal(special: erased, large: "", of: shown) == "\"x\" \(form)"
    )
    let late = #"{"before":{"rating":{"sha256":"\#(digits)","size":7}}}"#
    #expect(try refusal(special: SampleChange.noted.special, large: late) == "1.0 \(form)")
  }

  @Test("A list of links has neither a special nor a large note.")
  func notesOnLinks() throws {
    let links = SampleChange.links
    #expect(try refusal(special: "", large: "", of: links) == nil)
    for name in ["erased", "nan", "text:a", "missing", "7"] {
      let special = #"{"before":{"trips":"\#(name)"}}"#
      #expect(
        try refusal(special: special, large: "", of: links)?.hasPrefix("[] is not the") == true,
        "\(name)"
      )
    }
    let reference = #"{"sha256":"\#(String(repeating: "0a", count: 32))","size":7}"#
    let large = #"{"before":{"trips":\#(reference)}}"#
    #expect(
      try refusal(special: "", large: large, of: links)?.hasPrefix("[] is not the") == true
    )
  }

  @Test("The errors about the parts of a change say which part is wrong.")
  func reasons() throws {
    let format = try ChangeFormat(tripSchema)
    var change = SampleChange.insert
    change.entity = "Voyage"
    #expect(refusal(change, format) == "the schema has no entity Voyage")
    #expect(refusal(change, ChangeFormat([])) == "the schema has no entity Voyage")
    let sides = "a change of this kind has other properties before and after"
    change = .insert
    change.before = change.after
    #expect(refusal(change, format) == sides)
    change = .delete
    change.after = "{}"
    #expect(refusal(change, format) == sides)
    change = .delete
    change.before = #"{"name":"ab"}"#
    #expect(refusal(change, format) == sides)
    let list = "the list of changed names does not match the values"
    for names in ["", "[]", #"["name"]"#, #"["name","leader"#, #"["name","leader"] "#] {
      change = .update
      change.changed = names
      #expect(refusal(change, format) == list, "\(names)")
    }
    change = .insert
    change.changed = "[]"
    #expect(refusal(change, format) == list)
    #expect(
      try refusal(special: #"{"after":{}}"#, large: "")
        == "the notes on the values do not have the required form"
    )
    #expect(
      try refusal(special: "", large: #"{"before":{"leader":1}}"#)
        == "the notes name values that the change does not have"
    )
  }

  @Test("Only an entity with a key accepts a name as an id, and only in its canonical text.")
  func names() throws {
    let schema = StoreSchema(
      version: "1",
      entities: [
        Entity(name: "Keyed", identity: RowIdentity(columns: ["a"])), Entity(name: "Plain"),
      ]
    )
    let format = try ChangeFormat(schema)
    func refusal(_ entity: String, _ name: String) -> String? {
      SampleChange(entity: entity, after: "{}").withChange { change in
        bytes(name) { name in
          var change = change
          change.name = name
          return self.refusal(change, format)
        }
      }
    }
    let reason = "the id is not the canonical text of a key"
    #expect(refusal("Keyed", "") == nil && refusal("Plain", "") == nil)
    #expect(refusal("Keyed", #"["text:a"]"#) == nil)
    #expect(refusal("Plain", #"["text:a"]"#) == reason)
    for name in ["07", #"["text:a" ]"#, "[]", "a"] {
      #expect(refusal("Keyed", name) == reason, "\(name)")
      #expect(refusal("Plain", name) == reason, "\(name)")
    }
  }
}
