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
    /// True where large values lie in files.
    let isExternal: Bool
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
      return Member(
        key: key,
        type: column.type,
        reference: reference,
        isExternal: column.isExternal
      )
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

  /// A value as canonical text.
  func encoded(_ value: Value, at column: Int, _ blobs: Blobs) throws -> EncodedValue {
    if let large = try large(value, at: column, blobs) { return large }
    var result = EncodedValue(json: [])
    if let unshown = append(try inline(value, at: column, blobs), at: column, to: &result.json) {
      appendJSONString(unshown.name, to: &result.special)
    }
    return result
  }

  /// The reference to a value that is too large for history's rows; nil for all others.
  @inline(__always)
  func large(_ value: Value, at column: Int, _ blobs: Blobs) throws -> EncodedValue? {
    switch value {
    case .text(var text):
      if members[column].isExternal {
        let size = try blobs.size(of: text)
        guard size > Blobs.historyLimit else { return nil }
        return EncodedValue(Blobs.Reference(digest: text, size: size))
      }
      guard text.utf8.count > Blobs.historyLimit else { return nil }
      return EncodedValue(try text.withUTF8 { try blobs.keep(UnsafeRawBufferPointer($0)) })
    case .blob(let data):
      guard data.count > Blobs.historyLimit else { return nil }
      return EncodedValue(try data.withUnsafeBytes { try blobs.keep($0) })
    case .null, .integer, .real: return nil
    }
  }

  /// The value itself where it lies in a file.
  @inline(__always)
  func inline(_ value: Value, at column: Int, _ blobs: Blobs) throws -> Value {
    guard members[column].isExternal, case .text(let digest) = value else { return value }
    return .blob(try blobs.data(digest))
  }
}

/// One side of a change, `before` or `after`, as it is put together.
struct ChangeSide {
  /// The members written so far, with the opening brace.
  private(set) var json: [UInt8] = [UInt8(ascii: "{")]
  /// The names of what ``json`` can't show.
  private(set) var special: [UInt8] = []
  /// The references to what is too large.
  private(set) var large: [UInt8] = []

  var isEmpty: Bool { json.count == 1 }

  /// Makes it empty, and keeps the room.
  mutating func removeAll() {
    json.removeAll(keepingCapacity: true)
    json.append(UInt8(ascii: "{"))
    special.removeAll(keepingCapacity: true)
    large.removeAll(keepingCapacity: true)
  }

  /// Adds a property by its value.
  @inline(__always)
  mutating func append(
    _ value: Value,
    at column: Int,
    _ encoder: ObjectEncoder,
    _ blobs: Blobs
  ) throws {
    let key = encoder.members[column].key
    if let reference = try encoder.large(value, at: column, blobs) {
      append(key, reference)
      return
    }
    if json.count > 1 { json.append(UInt8(ascii: ",")) }
    json.append(contentsOf: key)
    let inline = try encoder.inline(value, at: column, blobs)
    if let unshown = encoder.append(inline, at: column, to: &json) {
      var name: [UInt8] = []
      appendJSONString(unshown.name, to: &name)
      appendMember(key, name, to: &special)
    }
  }

  /// Adds a property by its canonical text; the key has its quotes and colon.
  mutating func append(_ key: [UInt8], _ value: EncodedValue) {
    if json.count > 1 { json.append(UInt8(ascii: ",")) }
    json.append(contentsOf: key)
    json.append(contentsOf: value.json)
    if !value.special.isEmpty { appendMember(key, value.special, to: &special) }
    if !value.large.isEmpty { appendMember(key, value.large, to: &large) }
  }

  /// Closes the braces.
  mutating func close() {
    json.append(UInt8(ascii: "}"))
    if !special.isEmpty { special.append(UInt8(ascii: "}")) }
    if !large.isEmpty { large.append(UInt8(ascii: "}")) }
  }
}

/// Appends a member to a JSON object whose closing brace is still to come.
func appendMember(_ key: some Sequence<UInt8>, _ value: [UInt8], to object: inout [UInt8]) {
  object.append(object.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
  object.append(contentsOf: key)
  object.append(contentsOf: value)
}

/// A property's value as canonical text, with what that can't show beside it.
struct EncodedValue: Hashable {
  var json: [UInt8]
  /// The name of a special value, as a JSON string.
  var special: [UInt8] = []
  /// The digest and size of a large value, as a JSON object.
  var large: [UInt8] = []

  init(json: [UInt8]) { self.json = json }

  init(_ reference: Blobs.Reference) {
    json = Array("null".utf8)
    large = Array(#"{"sha256":"\#(reference.digest)","size":\#(reference.size)}"#.utf8)
  }
}
