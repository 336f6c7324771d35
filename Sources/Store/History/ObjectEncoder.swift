/// Writes objects as history keeps them: canonical JSON, with what it can't show beside it.
struct ObjectEncoder {
  /// One property as it is written.
  struct Member {
    /// The name, quoted, with a colon.
    let key: [UInt8]
    /// The type of an attribute; nil for a to-one relationship.
    let type: ValueType?
    /// For a relationship, what stands before the id.
    let reference: [UInt8]
  }

  /// The properties in the order of ``EntityLayout/columns``.
  let members: [Member]

  init(_ layout: EntityLayout, _ layouts: [EntityLayout]) {
    members = layout.columns.map { column in
      var key: [UInt8] = []
      appendJSONString(column.property, to: &key)
      key.append(UInt8(ascii: ":"))
      var reference: [UInt8] = []
      if let destination = column.destination {
        reference += #"{"entity":"#.utf8
        appendJSONString(layouts[destination].entity.name, to: &reference)
        reference += #","id":""#.utf8
      }
      return Member(key: key, type: column.type, reference: reference)
    }
  }

  /// Appends a value without its key, and returns what that can't show.
  @inline(__always)
  func append(_ value: Value, at column: Int, to buffer: inout [UInt8]) -> SpecialValue? {
    let member = members[column]
    if let type = member.type { return appendCanonical(value, as: type, to: &buffer) }
    guard case .integer(let id) = value else {
      buffer.append(contentsOf: "null".utf8)
      return nil
    }
    buffer.append(contentsOf: member.reference)
    appendInteger(id, to: &buffer)
    buffer.append(contentsOf: #""}"#.utf8)
    return nil
  }
}

/// One side of a change, `before` or `after`, as it is put together.
struct ChangeSide {
  /// The members written so far, with the opening brace.
  private(set) var json: [UInt8] = [UInt8(ascii: "{")]
  /// The members of the same names that ``json`` can't show.
  private(set) var special: [UInt8] = []

  var isEmpty: Bool { json.count == 1 }

  /// Makes it empty, and keeps the room.
  mutating func removeAll() {
    json.removeAll(keepingCapacity: true)
    json.append(UInt8(ascii: "{"))
    special.removeAll(keepingCapacity: true)
  }

  /// Adds a property by its value.
  @inline(__always)
  mutating func append(_ value: Value, at column: Int, _ encoder: ObjectEncoder) {
    if json.count > 1 { json.append(UInt8(ascii: ",")) }
    json.append(contentsOf: encoder.members[column].key)
    if let unshown = encoder.append(value, at: column, to: &json) {
      appendSpecial(encoder.members[column].key, unshown)
    }
  }

  /// Adds a property by its canonical text; the key has its quotes and colon.
  mutating func append(_ key: [UInt8], _ text: EncodedValue) {
    if json.count > 1 { json.append(UInt8(ascii: ",")) }
    json.append(contentsOf: key)
    json.append(contentsOf: text.json)
    if !text.special.isEmpty {
      special.append(special.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
      special.append(contentsOf: key)
      special.append(contentsOf: text.special)
    }
  }

  /// Closes the braces.
  mutating func close() {
    json.append(UInt8(ascii: "}"))
    if !special.isEmpty { special.append(UInt8(ascii: "}")) }
  }

  private mutating func appendSpecial(_ key: [UInt8], _ value: SpecialValue) {
    special.append(special.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
    special.append(contentsOf: key)
    appendJSONString(value.name, to: &special)
  }
}

/// A property's value as canonical text, with its special name as JSON where it needs one.
struct EncodedValue: Hashable {
  var json: [UInt8]
  var special: [UInt8] = []
}
