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
    text.before = try noted(.before, note)
    text.after = try noted(.after, note)
    return try text.withChange(kind, sequence: sequence, entity: entity, object: object) { noted in
      var noted = noted
      noted.changed = changed
      if before.isEmpty { noted.before = before }
      if after.isEmpty { noted.after = after }
      return try body(noted)
    }
  }

  /// One side with notes in the place of values.
  private func noted(_ side: Side, _ note: (ToldValue) throws -> String?) rethrows -> ChangeSide {
    var result = ChangeSide()
    for (key, value) in values(side) {
      let text = try value.isLinks ? nil : note(ToldValue(key, value: value, side: side))
      result.append(key, value: text.map { EncodedValue(note: $0) } ?? value)
    }
    return result
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

  fileprivate init(_ key: [UInt8], value: EncodedValue, side: Change.Side) {
    self.key = key
    isAfter = side == .after
    isErased = value == .erased
    isNull = value == .null
    text = !value.large.isEmpty ? value.large : !value.special.isEmpty ? value.special : value.json
    files = LargeReference(value.large).map { [$0.digest] } ?? []
  }

  /// A digest of the value, which tells whether two are the same.
  package var digest: Digest { SHA256.digest(of: text) }
}

extension Change {
  /// The values that the change tells of, before and after it, without links.
  package var toldValues: [ToldValue] {
    [Side.before, .after].flatMap { side in
      values(side).filter { !$0.value.isLinks }.map {
        ToldValue($0.key, value: $0.value, side: side)
      }
    }
  }
}
