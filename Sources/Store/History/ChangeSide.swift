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
    json.removeLast(json.count - 1)
    special.empty()
    large.empty()
  }

  /// Adds all properties of an object.
  mutating func append(_ values: [Value], _ encoder: ObjectEncoder, _ blobs: Blobs) throws {
    for column in values.indices { try append(values[column], at: column, encoder, blobs) }
  }

  /// Adds a property by its value.
  @inline(__always)
  mutating func append(
    _ value: Value,
    at column: Int,
    _ encoder: ObjectEncoder,
    _ blobs: Blobs
  ) throws {
    if encoder.isApart(value, at: column) {
      append(encoder.key(column), try encoder.encoded(value, at: column, blobs))
      return
    }
    if json.count > 1 { json.append(UInt8(ascii: ",")) }
    json.append(contentsOf: encoder.key(column))
    if let unshown = encoder.append(value, at: column, to: &json) {
      var name: [UInt8] = []
      appendJSONString(unshown.name, to: &name)
      appendMember(encoder.key(column), name, to: &special)
    }
  }

  /// Adds a property by its canonical text; the key has its quotes and colon.
  mutating func append(_ key: some Collection<UInt8>, _ value: EncodedValue) {
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
