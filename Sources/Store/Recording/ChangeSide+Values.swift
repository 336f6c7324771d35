import Changes

extension ChangeSide {
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
}
