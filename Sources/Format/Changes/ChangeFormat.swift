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
  private let acceptsUnknown: Bool
  /// The values of the change that was checked last.
  private var members = ChangeMembers()

  package convenience init(_ schema: StoreSchema, acceptsRedacted: Bool = false) throws {
    self.init(
      try schema.layouts(),
      acceptsRedacted: acceptsRedacted,
      acceptsUnknown: schema.hasUnknownValues == true
    )
  }

  /// Creates a check for entities.
  ///
  /// `acceptsRedacted` allows redacted values, as in filtered logs, and `acceptsUnknown` allows what a
  /// history without values needs: unknown values, and updates that name no property.
  package init(
    _ layouts: [EntityLayout],
    acceptsRedacted: Bool = false,
    acceptsUnknown: Bool = false
  ) {
    self.layouts = layouts
    self.acceptsRedacted = acceptsRedacted
    self.acceptsUnknown = acceptsUnknown
    let joins = joinTables(among: layouts)
    let places = Dictionary(
      joins.indices.map { (joins[$0].name, JoinIndex($0)) },
      uniquingKeysWith: { first, _ in first }
    )
    decoders = layouts.map {
      ObjectDecoder($0, tables: joins, places: places, layouts: layouts)
    }
    entityKeys = layouts.map { Array($0.entity.name.utf8) }
  }

  /// The values before the change that was checked last.
  package var before: [ObjectDecoder.Member] { members.before }
  /// The values after the change that was checked last.
  package var after: [ObjectDecoder.Member] { members.after }

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
    try members.split(change, with: decoders[entity], acceptsUnknown: acceptsUnknown)
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
      if side.key.elementsEqual(#""after":"#.utf8), result.after.isEmpty, result.before.isEmpty {
        result.after = notes
      } else if side.key.elementsEqual(#""before":"#.utf8), result.before.isEmpty {
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
    if name == SpecialValue.erasedName || acceptsRedacted && SpecialValue.isRedacted(name)
      || acceptsUnknown && name == SpecialValue.unknownName
    {
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
