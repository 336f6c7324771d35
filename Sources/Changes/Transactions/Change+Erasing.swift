extension Change {
  /// Calls with the change without the values of some properties, which are erased in it.
  ///
  /// Links are lists, which name objects and hold no value, and stay. What goes is asked by the
  /// property's key, with quotes and colon, and the side.
  package func withErased<Result>(
    _ erases: (_ key: [UInt8], _ isAfter: Bool) -> Bool,
    _ body: (Change) throws -> Result
  ) rethrows -> Result {
    try withNotes {
      erases($0.key, $0.isAfter) ? SpecialValue.erasedName : nil
    } _: {
      try body($0)
    }
  }

  /// Calls with the change with notes in the place of some values, such as that one was erased; nil
  /// leaves a value as it is.
  package func withNotes<Result>(
    _ note: (ToldValue) throws -> String?,
    _ body: (Change) throws -> Result
  ) rethrows -> Result {
    var text = ChangeText()
    text.before = try noted(before, isAfter: false, note)
    text.after = try noted(after, isAfter: true, note)
    return try text.withChange(kind, sequence: sequence, entity, object) { noted in
      var noted = noted
      noted.changed = changed
      if before.isEmpty { noted.before = before }
      if after.isEmpty { noted.after = after }
      return try body(noted)
    }
  }

  /// One side with notes in the place of values.
  private func noted(
    _ object: UnsafeRawBufferPointer,
    isAfter: Bool,
    _ note: (ToldValue) throws -> String?
  ) rethrows -> ChangeSide {
    var result = ChangeSide()
    for (key, value) in values(of: object, isAfter: isAfter) {
      let isLinks = value.json.first == UInt8(ascii: "[")
      if !isLinks, let text = try note(ToldValue(key, value, isAfter: isAfter)) {
        var noted = EncodedValue(json: Array("null".utf8))
        appendJSONString(text, to: &noted.special)
        result.append(key, noted)
      } else {
        result.append(key, value)
      }
    }
    return result
  }

  private func values(
    of object: UnsafeRawBufferPointer,
    isAfter: Bool
  ) -> [(key: [UInt8], value: EncodedValue)] {
    guard !object.isEmpty else { return [] }
    let side = isAfter ? #""after":"# : #""before":"#
    func notes(_ all: UnsafeRawBufferPointer) -> [(key: [UInt8], value: [UInt8])] {
      guard !all.isEmpty else { return [] }
      let found = members(of: Array(all)).first { $0.key.elementsEqual(side.utf8) }
      return found.map { members(of: $0.value) } ?? []
    }
    let special = notes(self.special)
    let large = notes(self.large)
    return members(of: Array(object)).map { member in
      var value = EncodedValue(json: member.value)
      value.special = special.first { $0.key == member.key }?.value ?? []
      value.large = large.first { $0.key == member.key }?.value ?? []
      return (member.key, value)
    }
  }
}

/// A value that a change tells of, as those see it who look for values to erase.
package struct ToldValue: Hashable, Sendable {
  /// The property's key with quotes and colon.
  package let key: [UInt8]
  /// True for what was after the change.
  package let isAfter: Bool
  /// True for a value that is not there any more.
  package let isErased: Bool
  /// True for one that is null.
  package let isNull: Bool
  /// The value as it stands in a line: its note or reference where it has one.
  package let text: [UInt8]
  /// The digests of the files that it is in.
  package let files: [String]

  fileprivate init(_ key: [UInt8], _ value: EncodedValue, isAfter: Bool) {
    self.key = key
    self.isAfter = isAfter
    isErased = value == .erased
    isNull = value == EncodedValue(json: Array("null".utf8))
    text = !value.large.isEmpty ? value.large : !value.special.isEmpty ? value.special : value.json
    let reference = members(of: value.large).first?.value.dropFirst().dropLast()
    files = reference.map { [String(decoding: $0, as: UTF8.self)] } ?? []
  }

  /// A digest of the value, which tells whether two are the same.
  package var digest: Digest { SHA256.digest(of: text) }
}

extension Change {
  /// The values that the change tells of, before and after it, without links.
  package var toldValues: [ToldValue] {
    [(before, false), (after, true)].flatMap { object, isAfter in
      values(of: object, isAfter: isAfter).compactMap { key, value in
        value.json.first == UInt8(ascii: "[") ? nil : ToldValue(key, value, isAfter: isAfter)
      }
    }
  }
}
