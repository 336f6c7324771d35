/// Writes the properties of one entity's objects as history keeps them: canonical JSON.
///
/// What every row needs lies in memory that stays where it is, so that a row costs no allocation
/// and no counting of references.
final class ObjectEncoder {
  /// The entity's name.
  let name: UnsafeRawBufferPointer
  /// The properties' names with quotes and a colon, in the order of ``EntityLayout/columns``.
  private let keys: [UnsafeRawBufferPointer]
  /// For relationships, what stands before the id.
  private let references: [UnsafeRawBufferPointer]
  /// The types of attributes; nil for relationships.
  private let types: [ValueType?]
  private let isExternal: [Bool]
  private let memory: [UnsafeRawBufferPointer]

  init(_ layout: EntityLayout, _ layouts: [EntityLayout]) {
    name = kept(Array(layout.entity.name.utf8))
    keys = layout.columns.map { column in
      var key: [UInt8] = []
      appendJSONString(column.logName, to: &key)
      key.append(UInt8(ascii: ":"))
      return kept(key)
    }
    references = layout.columns.map { column in
      guard let destination = column.destination else { return kept([]) }
      return kept(referencePrefix(layouts[destination].entity.name))
    }
    types = layout.columns.map(\.type)
    isExternal = layout.columns.map(\.isExternal)
    memory = [name] + keys + references
  }

  deinit {
    for bytes in memory { bytes.deallocate() }
  }

  /// The number of properties.
  var count: Int { keys.count }

  /// The name of a property with quotes and a colon, which is there as long as the encoder.
  @inline(__always)
  func key(_ column: Int) -> UnsafeRawBufferPointer { keys[column] }

  /// True for a value that can't simply be written where it is, because it is too large for a row
  /// of history or lies in a file.
  @inline(__always)
  func isApart(_ value: Value, at column: Int) -> Bool {
    switch value {
    case .text(let text): text.utf8.count > Blobs.historyLimit || isExternal[column]
    case .blob(let data), .brokenText(let data): data.count > Blobs.historyLimit
    case .null, .integer, .real: false
    }
  }

  /// Appends a value without its key, and returns what that can't show.
  @inline(__always)
  func append(_ value: Value, at column: Int, to buffer: inout [UInt8]) -> SpecialValue? {
    if let type = types[column] { return appendCanonical(value, as: type, to: &buffer) }
    guard case .integer(let id) = value else {
      buffer.append(contentsOf: "null".utf8)
      return nil
    }
    buffer.append(contentsOf: references[column])
    appendInteger(id, to: &buffer)
    buffer.append(contentsOf: #""}"#.utf8)
    return nil
  }

  /// A value as canonical text.
  func encoded(_ value: Value, at column: Int, _ blobs: Blobs) throws -> EncodedValue {
    var value = value
    if isApart(value, at: column) {
      if case .text(let digest) = value, isExternal[column], !blobs.contains(digest),
        let size = try blobs.size(of: digest)
      {
        // What is gone can't be kept, and must not keep its object from being deleted or mended.
        var result = EncodedValue(Blobs.Reference(digest: digest, size: size))
        appendJSONString(SpecialValue.missingName, to: &result.special)
        return result
      }
      if let reference = try reference(to: value, at: column, blobs) {
        return EncodedValue(reference)
      }
      // Where the file is gone, what stands in the row is all that history can keep.
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

  /// The reference to a value that is too large for history's rows; nil for one that is not.
  private func reference(
    to value: Value,
    at column: Int,
    _ blobs: Blobs
  ) throws -> Blobs.Reference? {
    switch value {
    case .text(let digest) where isExternal[column]:
      guard let size = try blobs.size(of: digest) else { return nil }
      return size > Blobs.historyLimit ? Blobs.Reference(digest: digest, size: size) : nil
    case .text(var text): return try text.withUTF8 { try blobs.keep(UnsafeRawBufferPointer($0)) }
    case .blob(let data), .brokenText(let data):
      return try data.withUnsafeBytes { try blobs.keep($0) }
    case .null, .integer, .real: return nil
    }
  }
}

/// What stands before the id in a reference to an object of an entity.
func referencePrefix(_ entity: String) -> [UInt8] {
  var prefix = Array(#"{"entity":"#.utf8)
  appendJSONString(entity, to: &prefix)
  return prefix + Array(#","id":""#.utf8)
}

/// A copy of some bytes that stays where it is until it is deallocated.
private func kept(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
  let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  copy.copyBytes(from: bytes)
  return UnsafeRawBufferPointer(copy)
}

/// A property's value as canonical text, with what that can't show beside it.
struct EncodedValue: Hashable {
  var json: [UInt8]
  /// The name of a special value, as a JSON string.
  var special: [UInt8] = []
  /// The digest and size of a large value, as a JSON object.
  var large: [UInt8] = []

  init(json: [UInt8]) { self.json = json }

  /// A value that is not known any more.
  static let erased: EncodedValue = {
    var value = EncodedValue(json: Array("null".utf8))
    appendJSONString(SpecialValue.erasedName, to: &value.special)
    return value
  }()

  init(_ reference: Blobs.Reference) {
    json = Array("null".utf8)
    large = Array(#"{"sha256":"\#(reference.digest)","size":\#(reference.size)}"#.utf8)
  }
}
