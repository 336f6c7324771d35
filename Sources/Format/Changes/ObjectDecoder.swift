/// Reads the text that ``ObjectEncoder`` writes: the objects of one entity as canonical JSON.
///
/// A text contains the values of the columns and then the links of the join tables, in a fixed
/// order. So each value is found by comparing its key with the next expected key.
package final class ObjectDecoder {
  /// One property of an object, with its value.
  ///
  /// The bytes of the value are valid as long as the text of the object.
  package struct Member {
    /// The index in ``keys``, which has first the columns, then the links.
    package let index: Int
    /// The value's canonical text.
    package let value: UnsafeRawBufferPointer
  }

  package let layout: EntityLayout
  /// The JSON keys, with quotes and a colon.
  package let keys: [[UInt8]]
  /// The text before the id of a to-one relationship; empty for attributes.
  private let references: [[UInt8]]
  /// For each join table, the text before the id of a link.
  private let linkPrefixes: [[UInt8]]
  /// The indexes of the join tables whose links are in changes of the entity, in the order of the
  /// links.
  package let joins: [JoinIndex]
  /// The declared types of the columns; nil for relationships.
  let types: [ValueType?]
  /// All keys in one buffer, one after the other, and their offsets.
  ///
  /// With one buffer, the comparison of keys needs no arrays.
  private let keyBytes: UnsafeMutableRawBufferPointer
  private let keyStarts: UnsafeMutableBufferPointer<Int>

  /// `places` has the index of each join table by its name.
  init(
    _ layout: EntityLayout,
    tables: [JoinTable],
    places: [String: JoinIndex],
    layouts: [EntityLayout]
  ) {
    self.layout = layout
    // An entity lists the relationships that it inherits, so the size of the schema limits the
    // number of keys of all entities.
    let owned = layout.entity.relationships.compactMap { relationship -> JoinIndex? in
      guard case .joinTable(let name, _, _) = relationship.storage, let place = places[name] else {
        return nil
      }
      let owner = tables[place].owner
      return owner == layout.index || layout.ancestors.contains(owner) ? place : nil
    }
    joins = Set(owned).sorted()
    references = layout.columns.map { column in
      column.destination.map { referencePrefix(layouts[$0].entity.name) } ?? []
    }
    linkPrefixes = joins.map { referencePrefix(layouts[tables[$0].destination].entity.name) }
    types = layout.columns.map(\.type)
    let names =
      layout.columns.map(\.logName)
      + joins.map { tables[$0].logName(layouts) }
    let keys = names.map(memberKey)
    self.keys = keys
    keyBytes = .allocate(byteCount: keys.reduce(0) { $0 + $1.count }, alignment: 1)
    keyStarts = .allocate(capacity: keys.count + 1)
    keyBytes.copyBytes(from: keys.joined())
    var start = 0
    for (index, key) in keys.enumerated() {
      keyStarts.initializeElement(at: index, to: start)
      start += key.count
    }
    keyStarts.initializeElement(at: keys.count, to: start)
  }

  deinit {
    keyBytes.deallocate()
    keyStarts.deallocate()
  }

  /// A JSON key with its quotes and colon.
  func key(_ index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: keyBytes[keyStarts[index]..<keyStarts[index + 1]])
  }

  /// Whether objects can have names instead of integers as ids.
  var hasNames: Bool { layout.entity.identity != nil }

  /// Whether a text belongs to a large value, whose bytes are elsewhere.
  ///
  /// The text of a large value is null, or the storage class if the type does not imply it.
  package func isLargeForm(_ member: Member) -> Bool {
    guard member.index < types.count, types[member.index] == .any else {
      return isSame(member.value, "null")
    }
    return EncodedValue.largeForms.contains { member.value.elementsEqual($0.json) }
  }

  /// The number of properties with a column.
  package var columnCount: Int { layout.columns.count }

  /// Appends the properties of an object's text.
  package func split(
    _ object: UnsafeRawBufferPointer,
    into members: inout [Member]
  ) throws(CanonicalEncodingError) {
    guard object.count >= 2, object[0] == 0x7b, object[object.count - 1] == 0x7d else {
      throw refusal(object)
    }
    let end = object.count - 1
    var position = 1
    var expected = 0
    while position < end {
      guard let index = key(in: object, at: position, from: expected) else {
        throw refusal(object)
      }
      let start = position + key(index).count
      let next = endOfValue(in: object, from: start)
      guard next > start, next <= end else { throw refusal(object) }
      let value = UnsafeRawBufferPointer(rebasing: object[start..<next])
      members.append(Member(index: index, value: value))
      if value.count > LargeValue.limit { try checkSize(members[members.count - 1]) }
      expected = index + 1
      position = next
      if position < end {
        guard object[position] == 0x2c, position + 1 < end else { throw refusal(object) }
        position += 1
      }
    }
  }

  /// Throws if a value is so large that it must be in a file; a list of links has any size.
  private func checkSize(_ member: Member) throws(CanonicalEncodingError) {
    guard member.index < columnCount else { return }
    // JSON writes a byte with at most six characters, so a longer text need not be decoded.
    if member.value.count <= 6 * LargeValue.limit + 2 {
      switch try value(member, special: nil) {
      case .text(let text) where text.utf8.count > LargeValue.limit: break
      case .blob(let data) where data.count > LargeValue.limit: break
      case .brokenText(let data) where data.count > LargeValue.limit: break
      default: return
      }
    }
    throw CanonicalEncodingError(message: "a value of more than 1 MiB must be in a file")
  }

  private func key(
    in object: UnsafeRawBufferPointer,
    at position: Int,
    from first: Int
  ) -> Int? {
    for index in first..<max(first, keyStarts.count - 1) {
      let key = key(index)
      guard position + key.count < object.count else { continue }
      if isSame(UnsafeRawBufferPointer(rebasing: object[position..<position + key.count]), key) {
        return index
      }
    }
    return nil
  }

  /// The stored value of a property, according to its text and its note under `special`.
  package func value(
    _ member: Member,
    special: SpecialValue?
  ) throws(CanonicalEncodingError) -> Value {
    let column = layout.columns[member.index]
    if let type = column.type {
      return try parseCanonical(member.value, special: special, as: type)
    }
    if isSame(member.value, "null") { return .null }
    guard let id = reference(member.value, prefix: references[member.index]) else {
      throw refusal(member.value)
    }
    return .integer(id)
  }

  /// The stored value of a column that has no note under `special`.
  ///
  /// A value that differs from its text, for example because of escapes, is written into `room`.
  func plainValue(_ member: Member, in room: ByteRoom) throws -> PlainValue {
    let text = member.value
    if isSame(text, "null") { return .null }
    guard let type = types[member.index] else {
      guard let id = reference(text, prefix: references[member.index]) else { throw refusal(text) }
      return .integer(id)
    }
    let scratch = try room.take(text.count)
    guard let value = parsePlain(text, as: type, in: scratch) else { throw refusal(text) }
    room.giveBack(scratch.count - value.size(in: scratch))
    return value
  }

  /// Throws unless the text of a value is canonical.
  func check(_ member: Member) throws(CanonicalEncodingError) {
    guard member.index < types.count else {
      _ = try links(member)
      return
    }
    if let type = types[member.index], isPlainlyCanonical(member.value, as: type) { return }
    _ = try value(member, special: nil)
  }

  /// The id in a reference such as `{"entity":"Trip","id":"7"}`.
  private func reference(_ text: UnsafeRawBufferPointer, prefix: [UInt8]) -> Int64? {
    guard text.count > prefix.count + 2, text[text.count - 1] == 0x7d,
      text[text.count - 2] == 0x22,
      isSame(UnsafeRawBufferPointer(rebasing: text[..<prefix.count]), prefix)
    else { return nil }
    return parseInteger(
      UnsafeRawBufferPointer(rebasing: text[prefix.count..<text.count - 2])
    )
  }

  /// Appends the ids in a list of links.
  ///
  /// The ids must be in ascending order.
  func links(
    _ member: Member,
    to links: inout [Int64]
  ) throws(CanonicalEncodingError) {
    let prefix = linkPrefixes[member.index - columnCount]
    guard readLinkList(member.value, prefix: prefix, to: &links) else {
      throw refusal(member.value)
    }
  }

  /// The ids in a list of links.
  ///
  /// The ids must be in ascending order.
  package func links(_ member: Member) throws(CanonicalEncodingError) -> [Int64] {
    var result: [Int64] = []
    try links(member, to: &result)
    return result
  }

  package func refusal(_ text: UnsafeRawBufferPointer) -> CanonicalEncodingError {
    let shown = String(decoding: text.prefix(80), as: UTF8.self) + (text.count > 80 ? "…" : "")
    return CanonicalEncodingError(
      message: "\(shown) is not the canonical form of properties of \(layout.entity.name); the text"
        + " was altered or written by another program"
    )
  }
}

extension PlainValue {
  /// The number of bytes of a buffer up to the end of the value; zero if the bytes of the value are
  /// elsewhere.
  fileprivate func size(in buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch self {
    case .null, .integer, .real: return 0
    case .text(let bytes), .blob(let bytes):
      guard let start = buffer.baseAddress, let first = bytes.baseAddress else { return 0 }
      let offset = first - UnsafeRawPointer(start)
      return (0..<buffer.count).contains(offset) ? offset + bytes.count : 0
    }
  }
}
