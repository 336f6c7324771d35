/// The values of a change, split by its decoder.
///
/// The arrays are used again for each change, so that they are not allocated again.
struct ChangeMembers {
  private(set) var before: [ObjectDecoder.Member] = []
  private(set) var after: [ObjectDecoder.Member] = []

  /// Splits a change, and checks that a change of its kind may have these values.
  mutating func split(
    _ change: Change,
    with decoder: ObjectDecoder,
    acceptsUnknown: Bool
  ) throws(CanonicalEncodingError) {
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
      case .update: hasBothSides || acceptsUnknown && before.isEmpty && after.isEmpty
      }
    guard isWhole, hasBefore || change.before.isEmpty, hasAfter || change.after.isEmpty else {
      throw CanonicalEncodingError(
        message: "a change of this kind has other properties before and after"
      )
    }
    guard isRight(change.changed, kind: change.kind, decoder: decoder) else {
      throw CanonicalEncodingError(message: "the list of changed names does not match the values")
    }
  }

  private var hasBothSides: Bool {
    guard !before.isEmpty, before.count == after.count else { return false }
    for place in before.indices where before[place].index != after[place].index { return false }
    return true
  }

  private func hasAll(_ members: [ObjectDecoder.Member], columns: Int) -> Bool {
    guard members.count >= columns else { return false }
    for index in 0..<columns where members[index].index != index { return false }
    return true
  }

  /// Whether a list of changed names matches the values.
  ///
  /// An update lists the names of all properties that it changes. An insertion or deletion has an
  /// empty list.
  private func isRight(
    _ list: UnsafeRawBufferPointer,
    kind: ChangeKind,
    decoder: ObjectDecoder
  ) -> Bool {
    guard kind == .update else { return list.isEmpty }
    if after.isEmpty { return isSame(list, "[]") }
    var position = 0
    for member in after {
      let key = decoder.key(member.index)
      let end = position + key.count
      // In the list, each name follows a bracket or a comma.
      guard end < list.count, list[position] == (position == 0 ? 0x5b : 0x2c),
        isSame(
          UnsafeRawBufferPointer(rebasing: list[position + 1..<end]),
          UnsafeRawBufferPointer(rebasing: key.dropLast())
        )
      else { return false }
      position = end
    }
    return position + 1 == list.count && list[position] == 0x5d
  }
}
