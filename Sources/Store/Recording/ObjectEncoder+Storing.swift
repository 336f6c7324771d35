import Format
import FoundationEssentials

extension ObjectEncoder {
  /// A value as canonical text; a large value is stored as a blob, and the text refers to it.
  func encoded(_ value: Value, at column: ColumnIndex, blobs: Blobs) throws -> EncodedValue {
    var value = value
    if isApart(value, at: column) {
      if case .text(let digest) = value, isExternal[column], !blobs.contains(digest),
        let size = try blobs.size(of: digest)
      {
        // The file is missing, so its contents can't be recorded. A missing file must not prevent a
        // deletion or a repair of the object.
        var result = EncodedValue.missing
        result.large = LargeReference(digest: digest, size: size).json
        return result
      }
      if let reference = try reference(to: value, at: column, blobs: blobs) {
        return type(column) == .any
          ? EncodedValue(large: reference, spelling: value) : EncodedValue(large: reference)
      }
      // If the file is missing, history can keep only the digest in the row.
      if case .text(let digest) = value, Digest(hexadecimal: digest) != nil,
        let data = try blobs.data(ifThere: digest)
      {
        value = .blob(data)
      }
    }
    var result = EncodedValue(json: [])
    if let unshown = append(value, at: column, to: &result.json) {
      appendJSONString(unshown.name, to: &result.special)
    }
    return result
  }

  /// The reference to a value that is too large for a row of history; nil if the value is not too
  /// large.
  private func reference(
    to value: Value,
    at column: ColumnIndex,
    blobs: Blobs
  ) throws -> LargeReference? {
    switch value {
    case .text(let digest) where isExternal[column]:
      guard let size = try blobs.size(of: digest) else { return nil }
      return size > LargeValue.limit ? LargeReference(digest: digest, size: size) : nil
    case .text(var text): return try text.withUTF8 { try blobs.keep(UnsafeRawBufferPointer($0)) }
    case .blob(let data), .brokenText(let data):
      return try data.withUnsafeBytes { try blobs.keep($0) }
    case .null, .integer, .real: return nil
    }
  }
}

extension ChangeSide {
  mutating func append(_ values: [Value], encoder: ObjectEncoder, blobs: Blobs) throws {
    for (index, value) in values.enumerated() {
      try append(value, at: ColumnIndex(index), encoder: encoder, blobs: blobs)
    }
  }

  @inline(__always)
  mutating func append(
    _ value: Value,
    at column: ColumnIndex,
    encoder: ObjectEncoder,
    blobs: Blobs
  ) throws {
    if encoder.isApart(value, at: column) {
      append(encoder.key(column), value: try encoder.encoded(value, at: column, blobs: blobs))
      return
    }
    if json.count > 1 { json.append(UInt8(ascii: ",")) }
    json.append(contentsOf: encoder.key(column))
    if let unshown = encoder.append(value, at: column, to: &json) {
      var name: [UInt8] = []
      appendJSONString(unshown.name, to: &name)
      appendMember(encoder.key(column), value: name, to: &special)
    }
  }
}
