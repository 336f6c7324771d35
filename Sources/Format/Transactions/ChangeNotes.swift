/// The notes on the values of one side of a change: names of special values, and references to
/// large values.
package struct ChangeNotes {
  private let special: [(key: [UInt8], value: [UInt8])]
  /// The references to large values, by the keys of their properties.
  package let large: [(key: [UInt8], value: [UInt8])]

  package init(special: [UInt8], large: [UInt8]) {
    self.special = CanonicalText(special).members
    self.large = CanonicalText(large).members
  }

  /// Reads the notes of one side from the notes of both sides.
  package init(on side: Change.Side, special: CanonicalText, large: CanonicalText) {
    self.init(
      special: special.value(of: side.rawValue) ?? [],
      large: large.value(of: side.rawValue) ?? []
    )
  }

  /// The value of a property, from its text and its notes.
  package func value(_ key: [UInt8], json: [UInt8] = []) -> EncodedValue {
    var value = EncodedValue(json: json)
    if let note = special.first(where: { $0.key == key }) { value.special = note.value }
    if let note = large.first(where: { $0.key == key }) { value.large = note.value }
    return value
  }

  /// The values of an object, in the order of its keys in the text.
  package func values(of object: CanonicalText) -> [(key: [UInt8], value: EncodedValue)] {
    object.members.map { ($0.key, value($0.key, json: $0.value)) }
  }

  package func valuesByKey(of object: CanonicalText) -> [[UInt8]: EncodedValue] {
    Dictionary(values(of: object)) { first, _ in first }
  }

  fileprivate var hasHidden: Bool {
    special.contains {
      let name = String(decoding: $0.value.dropFirst().dropLast(), as: UTF8.self)
      return name == SpecialValue.erasedName || SpecialValue.isRedacted(name)
    }
  }

  fileprivate var hasUnknown: Bool {
    special.contains { EncodedValue.unknownNotes.contains($0.value) }
  }

  fileprivate var hasErased: Bool {
    special.contains { $0.value == EncodedValue.erased.special }
  }
}

extension Change {
  /// The two sides of a change, in the order in which notes contain them.
  package enum Side: String, Sendable, CaseIterable { case after, before }

  private func object(_ side: Side) -> CanonicalText {
    CanonicalText(side == .before ? before : after)
  }

  package func notes(on side: Side) -> ChangeNotes {
    if special.isEmpty, large.isEmpty { return ChangeNotes(special: [], large: []) }
    return ChangeNotes(on: side, special: CanonicalText(special), large: CanonicalText(large))
  }

  package func values(_ side: Side) -> [(key: [UInt8], value: EncodedValue)] {
    notes(on: side).values(of: object(side))
  }

  package func valuesByKey(_ side: Side) -> [[UInt8]: EncodedValue] {
    notes(on: side).valuesByKey(of: object(side))
  }

  /// Whether a value of the change was erased, or left out by a filter.
  package var hasHiddenValues: Bool {
    !special.isEmpty && Side.allCases.contains { notes(on: $0).hasHidden }
  }

  /// Whether a value of the change was erased, or is not in the history of the origin.
  package var hasUnknownValues: Bool {
    !special.isEmpty && Side.allCases.contains { notes(on: $0).hasUnknown }
  }

  package var hasErasedValues: Bool {
    !special.isEmpty && Side.allCases.contains { notes(on: $0).hasErased }
  }

  /// The large values that the change refers to, except values whose files were missing when the
  /// change was recorded.
  package var largeReferences: [LargeReference] {
    guard !large.isEmpty else { return [] }
    return Side.allCases.flatMap { side in
      let notes = notes(on: side)
      return notes.large.compactMap {
        notes.value($0.key).isMissing ? nil : LargeReference($0.value)
      }
    }
  }
}
