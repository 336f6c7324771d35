extension Change {
  /// Calls `body` with a copy of the change in which some values are erased.
  ///
  /// `erases` is not called for lists of links, which are never erased because they contain only ids.
  package func withErased<Result>(
    _ erases: (ToldValue) -> Bool,
    _ body: (Change) throws -> Result
  ) rethrows -> Result {
    try withNotes {
      erases($0) ? SpecialValue.erasedName : nil
    } _: {
      try body($0)
    }
  }

  /// Calls `body` with a copy of the change in which notes such as `erased` replace some values.
  ///
  /// A value for which `note` returns nil remains.
  package func withNotes<Result>(
    _ note: (ToldValue) throws -> String?,
    _ body: (Change) throws -> Result
  ) rethrows -> Result {
    var text = ChangeText()
    text.before = try noted(.before, note)
    text.after = try noted(.after, note)
    return try text.withChange(kind, sequence: sequence, entity: entity, object: object) { noted in
      var noted = noted
      noted.name = name
      noted.changed = changed
      if before.isEmpty { noted.before = before }
      if after.isEmpty { noted.after = after }
      return try body(noted)
    }
  }

  /// One side of the change, in which notes replace some values.
  private func noted(_ side: Side, _ note: (ToldValue) throws -> String?) rethrows -> ChangeSide {
    var result = ChangeSide()
    for (key, value) in values(side) {
      let text = try value.isLinks ? nil : note(ToldValue(key, value: value, side: side))
      result.append(key, value: text.map { EncodedValue(note: $0) } ?? value)
    }
    return result
  }
}

/// A value in a change, with the facts that decide whether it must be erased.
package struct ToldValue: Hashable, Sendable {
  /// The property's key with quotes and colon.
  package let key: [UInt8]
  /// Whether the value is on the side after the change.
  package let isAfter: Bool
  /// Whether the value was erased, or was never known, so that there is nothing to erase.
  package let isErased: Bool
  package let isNull: Bool
  /// The text of the value in a line, or the text of its note or reference if it has one.
  package let text: [UInt8]
  /// The digests of the value's blob files.
  package let files: [String]

  fileprivate init(_ key: [UInt8], value: EncodedValue, side: Change.Side) {
    self.key = key
    isAfter = side == .after
    isErased = value.isUnknown
    isNull = value == .null
    text = !value.large.isEmpty ? value.large : !value.special.isEmpty ? value.special : value.json
    files = LargeReference(value.large).map { [$0.digest] } ?? []
  }

  /// The digest of the value's text.
  ///
  /// Equal values have equal digests.
  package var digest: Digest { SHA256.digest(of: text) }
}

extension Change {
  /// The values before and after the change, without links.
  package var toldValues: [ToldValue] {
    [Side.before, .after].flatMap { side in
      values(side).filter { !$0.value.isLinks }.map {
        ToldValue($0.key, value: $0.value, side: side)
      }
    }
  }
}
