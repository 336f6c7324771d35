import TestSupport
import Testing

@testable import Format

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

  /// Whether a change with these notes is accepted.
  private func isAccepted(special: String, large: String) throws -> Bool {
    var change = SampleChange.noted
    (change.special, change.large) = (special, large)
    return isAccepted(change, try ChangeFormat(tripSchema))
  }

  @Test("A reference to a large value has a digest of 64 digits and a canonical size.")
  func references() throws {
    let digits = String(repeating: "0a", count: 32)
    func isAccepted(_ reference: String) throws -> Bool {
      try self.isAccepted(
        special: SampleChange.noted.special,
        large: #"{"after":{"name":\#(reference)}}"#
      )
    }
    #expect(try isAccepted(#"{"sha256":"\#(digits)","size":7}"#))
    for reference in [
      #"{"sha256":"","size":7}"#, #"{"sha256":"0a","size":7}"#,
      #"{"sha256":"\#(digits)0","size":7}"#, #"{"sha256":"\#(digits.uppercased())","size":7}"#,
      #"{"sha256":"\#(digits.dropLast())","size":7}"#, #"{"size":7,"sha256":"\#(digits)"}"#,
      #"{"sha256":"\#(digits)"}"#, #"{"digest":"\#(digits)","size":7}"#,
      #"{"sha256":"\#(digits)","size":07}"#,
    ] {
      #expect(try !isAccepted(reference), "\(reference)")
    }
  }

  @Test("Each side can have notes only once, the values after the change first.")
  func repeatedSides() throws {
    let after = #""after":{"rating":"nan"}"#
    let before = #""before":{"name":"erased"}"#
    let large = SampleChange.noted.large
    #expect(try isAccepted(special: "{\(after),\(before)}", large: large))
    for sides in [
      [before, after], [after, after, before], [after, before, before], [after, before, after],
    ] {
      let special = "{" + sides.joined(separator: ",") + "}"
      #expect(try !isAccepted(special: special, large: large), "\(special)")
    }
  }
}
