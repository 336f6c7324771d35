/// One side of a change, `before` or `after`, that is being written.
package struct ChangeSide {
  /// The properties written so far, after the opening brace.
  package var json: [UInt8] = [UInt8(ascii: "{")]
  /// The names of special values that ``json`` can't express.
  package var special: [UInt8] = []
  /// The references to large values.
  package var large: [UInt8] = []

  package init() {}

  package var isEmpty: Bool { json.count == 1 }

  /// Empties the side without releasing its memory.
  package mutating func removeAll() {
    json.removeLast(json.count - 1)
    special.empty()
    large.empty()
  }

  /// Adds a property, given its key with quotes and a colon.
  package mutating func append(_ key: some Collection<UInt8>, value: EncodedValue) {
    if json.count > 1 { json.append(UInt8(ascii: ",")) }
    json.append(contentsOf: key)
    json.append(contentsOf: value.json)
    if !value.special.isEmpty { appendMember(key, value: value.special, to: &special) }
    if !value.large.isEmpty { appendMember(key, value: value.large, to: &large) }
  }

  /// Closes the braces.
  package mutating func close() {
    json.append(UInt8(ascii: "}"))
    if !special.isEmpty { special.append(UInt8(ascii: "}")) }
    if !large.isEmpty { large.append(UInt8(ascii: "}")) }
  }
}

/// Appends a key and a value to a JSON object whose closing brace is not written yet.
package func appendMember(_ key: some Sequence<UInt8>, value: [UInt8], to object: inout [UInt8]) {
  object.append(object.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
  object.append(contentsOf: key)
  object.append(contentsOf: value)
}

extension [UInt8] {
  /// Removes all bytes without releasing the memory.
  ///
  /// Most buffers are empty, and testing this is faster than removing nothing.
  package mutating func empty() {
    if !isEmpty { removeAll(keepingCapacity: true) }
  }
}

/// If a change has notes, appends the notes of both sides as one object.
package func joinSides(_ before: [UInt8], _ after: [UInt8], to text: inout [UInt8]) {
  if before.isEmpty, after.isEmpty { return }
  var object: [UInt8] = []
  if !after.isEmpty { appendMember(#""after":"#.utf8, value: after, to: &object) }
  if !before.isEmpty { appendMember(#""before":"#.utf8, value: before, to: &object) }
  text += object
  text.append(UInt8(ascii: "}"))
}
