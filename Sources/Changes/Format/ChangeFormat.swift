/// Checks that changes have the canonical form for their schema.
///
/// Each change has one canonical text. Every other text is refused, because the change was altered,
/// or was written by another program.
package final class ChangeFormat {
  private let layouts: [EntityLayout]
  package let decoders: [ObjectDecoder]
  private let entityKeys: [[UInt8]]
  private var lastEntity: EntityIndex = 0
  private let acceptsRedacted: Bool
  /// The values before and after the change that was checked last.
  package private(set) var before: [ObjectDecoder.Member] = []
  package private(set) var after: [ObjectDecoder.Member] = []

  /// Creates a check for a schema.
  package convenience init(_ schema: StoreSchema, acceptsRedacted: Bool = false) throws {
    self.init(try schema.layouts(), acceptsRedacted: acceptsRedacted)
  }

  /// Creates a check for entities.
  ///
  /// `acceptsRedacted` allows redacted values, as in filtered logs.
  package init(_ layouts: [EntityLayout], acceptsRedacted: Bool = false) {
    self.layouts = layouts
    self.acceptsRedacted = acceptsRedacted
    let joins = joinTables(among: layouts)
    decoders = layouts.map { ObjectDecoder($0, tables: joins, layouts: layouts) }
    entityKeys = layouts.map { Array($0.entity.name.utf8) }
  }

  /// The index of a change's entity; nil if the schema does not have it.
  package func entity(of change: Change) -> EntityIndex? {
    if !entityKeys.isEmpty, isSame(change.entity, entityKeys[lastEntity]) {
      return lastEntity
    }
    guard let index = entityKeys.firstIndex(where: { isSame(change.entity, $0) }) else {
      return nil
    }
    lastEntity = EntityIndex(index)
    return lastEntity
  }

  /// Splits a change into its values, and checks that a change of its kind may have these values.
  ///
  /// When the caller decodes the values, it must check that they are canonical.
  package func split(_ change: Change, of entity: EntityIndex) throws(CanonicalEncodingError) {
    let decoder = decoders[entity]
    before.removeAll(keepingCapacity: true)
    after.removeAll(keepingCapacity: true)
    guard change.name.isEmpty || decoder.hasNames && RowName(canonical: change.name) != nil else {
      throw CanonicalEncodingError(message: "the id is not the canonical text of a key")
    }
    let hasBefore = change.kind != .insert
    let hasAfter = change.kind != .delete
    if hasBefore { try decoder.split(change.before, into: &before) }
    if hasAfter { try decoder.split(change.after, into: &after) }
    let isWhole =
      switch change.kind {
      case .insert: hasAll(after, columns: decoder.columnCount)
      case .delete: hasAll(before, columns: decoder.columnCount)
      case .update: hasBothSides()
      }
    guard isWhole, hasBefore || change.before.isEmpty, hasAfter || change.after.isEmpty else {
      throw CanonicalEncodingError(
        message: "a change of this kind has other properties before and after"
      )
    }
    try checkChanged(change, decoder: decoder)
  }

  private func hasBothSides() -> Bool {
    guard !before.isEmpty, before.count == after.count else { return false }
    for place in before.indices where before[place].index != after[place].index { return false }
    return true
  }

  private func hasAll(_ members: [ObjectDecoder.Member], columns: Int) -> Bool {
    guard members.count >= columns else { return false }
    for index in 0..<columns where members[index].index != index { return false }
    return true
  }

  /// Throws unless every byte of a change is canonical.
  package func check(_ change: Change) throws(CanonicalEncodingError) {
    guard let entity = entity(of: change) else {
      let name = String(decoding: change.entity, as: UTF8.self)
      throw CanonicalEncodingError(message: "the schema has no entity \(name)")
    }
    let decoder = decoders[entity]
    try split(change, of: entity)
    guard !change.special.isEmpty || !change.large.isEmpty else {
      for member in before { try decoder.check(member) }
      for member in after { try decoder.check(member) }
      return
    }
    let special = try sides(of: change.special)
    let large = try sides(of: change.large)
    try check(
      before,
      decoder: decoder,
      special: special.before,
      large: large.before,
      change: change
    )
    try check(after, decoder: decoder, special: special.after, large: large.after, change: change)
  }

  /// Checks the list of changed names.
  ///
  /// An update lists the names of all properties that it changes. An insertion or deletion has an
  /// empty list.
  private func checkChanged(
    _ change: Change,
    decoder: ObjectDecoder
  ) throws(CanonicalEncodingError) {
    let list = change.changed
    var position = 0
    var isRight = true
    if change.kind == .update {
      for member in after {
        let key = decoder.key(member.index)
        let end = position + key.count
        // In the list, each name follows a bracket or a comma.
        guard end < list.count else { throw wrongList }
        isRight = isRight && list[position] == (position == 0 ? 0x5b : 0x2c)
        isRight =
          isRight
          && isSame(
            UnsafeRawBufferPointer(rebasing: list[position + 1..<end]),
            UnsafeRawBufferPointer(rebasing: key.dropLast())
          )
        position = end
      }
      isRight = isRight && position + 1 == list.count && list[position] == 0x5d
    } else {
      isRight = list.isEmpty
    }
    guard isRight else { throw wrongList }
  }

  private var wrongList: CanonicalEncodingError {
    CanonicalEncodingError(message: "the list of changed names does not match the values")
  }

  private typealias Notes = [(key: [UInt8], value: [UInt8])]

  /// Checks that the notes on both sides of a change have the canonical form.
  private func sides(
    of object: UnsafeRawBufferPointer
  ) throws(CanonicalEncodingError) -> (before: Notes, after: Notes) {
    guard !object.isEmpty else { return ([], []) }
    var result: (before: Notes, after: Notes) = ([], [])
    var canonical: [UInt8] = []
    for side in CanonicalText(object).members {
      let notes = CanonicalText(side.value).members
      var text: [UInt8] = []
      for note in notes { appendMember(note.key, value: note.value, to: &text) }
      text.append(0x7d)
      appendMember(side.key, value: text, to: &canonical)
      if side.key.elementsEqual(#""after":"#.utf8), result.before.isEmpty {
        result.after = notes
      } else if side.key.elementsEqual(#""before":"#.utf8) {
        result.before = notes
      } else {
        canonical.removeAll()
      }
      if notes.isEmpty { canonical.removeAll() }
    }
    canonical.append(0x7d)
    guard canonical.elementsEqual(object) else {
      throw CanonicalEncodingError(
        message: "the notes on the values do not have the required form"
      )
    }
    return result
  }

  private func check(
    _ members: [ObjectDecoder.Member],
    decoder: ObjectDecoder,
    special: Notes,
    large: Notes,
    change: Change
  ) throws(CanonicalEncodingError) {
    var nextSpecial = 0
    var nextLarge = 0
    for member in members {
      let key = decoder.keys[member.index]
      let isMissing =
        nextSpecial < special.count && special[nextSpecial].key == key
        && special[nextSpecial].value == EncodedValue.missing.special
      if isMissing, nextLarge < large.count, large[nextLarge].key == key {
        // The value has a note under `special` and one under `large`, because its file was missing
        // when the change was written.
        try check(reference: large[nextLarge].value, of: member, decoder: decoder)
        nextSpecial += 1
        nextLarge += 1
      } else if nextSpecial < special.count, special[nextSpecial].key == key {
        try check(special[nextSpecial].value, of: member, decoder: decoder)
        nextSpecial += 1
      } else if nextLarge < large.count, large[nextLarge].key == key {
        try check(reference: large[nextLarge].value, of: member, decoder: decoder)
        nextLarge += 1
      } else {
        try decoder.check(member)
      }
    }
    guard nextSpecial == special.count, nextLarge == large.count else {
      throw CanonicalEncodingError(message: "the notes name values that the change does not have")
    }
  }

  private func check(
    _ note: [UInt8],
    of member: ObjectDecoder.Member,
    decoder: ObjectDecoder
  ) throws(CanonicalEncodingError) {
    guard let name = note.withUnsafeBytes({ parseJSONString($0) }) else {
      throw decoder.refusal(member.value)
    }
    if name == SpecialValue.erasedName || acceptsRedacted && SpecialValue.isRedacted(name) {
      guard member.value.elementsEqual("null".utf8) else { throw decoder.refusal(member.value) }
      return
    }
    guard member.index < decoder.columnCount, let special = SpecialValue(name: name) else {
      throw decoder.refusal(member.value)
    }
    _ = try decoder.value(member, special: special)
  }

  private func check(
    reference: [UInt8],
    of member: ObjectDecoder.Member,
    decoder: ObjectDecoder
  ) throws(CanonicalEncodingError) {
    guard decoder.isLargeForm(member), let large = LargeReference(reference),
      Digest(hexadecimal: large.digest) != nil, large.json == reference
    else { throw decoder.refusal(member.value) }
  }
}
