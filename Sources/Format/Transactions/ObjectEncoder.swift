/// Writes the objects of one entity in the form of history: canonical JSON.
///
/// Texts that every row needs have fixed addresses, so writing a row needs no allocation and no
/// reference counting.
package final class ObjectEncoder {
  package let name: UnsafeRawBufferPointer
  /// The names of the properties with quotes and a colon, in the order of ``EntityLayout/columns``.
  private let keys: [UnsafeRawBufferPointer]
  /// For relationships, the text before the id; empty for attributes.
  private let references: [UnsafeRawBufferPointer]
  /// The types of attributes; nil for relationships.
  private let types: [ValueType?]
  package let isExternal: [Bool]
  private let memory: [UnsafeRawBufferPointer]

  package init(_ layout: EntityLayout, layouts: [EntityLayout]) {
    name = kept(Array(layout.entity.name.utf8))
    keys = layout.columns.map { kept(memberKey($0.logName)) }
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

  package var count: Int { keys.count }

  /// The name of a property with quotes and a colon, valid as long as the encoder exists.
  @inline(__always)
  package func key(_ column: ColumnIndex) -> UnsafeRawBufferPointer { keys[column] }

  /// The type of an attribute; nil for a relationship.
  package func type(_ column: ColumnIndex) -> ValueType? { types[column] }

  /// Whether a value can't be written directly, because it is too large for a row of history or is
  /// in a file.
  @inline(__always)
  package func isApart(_ value: Value, at column: ColumnIndex) -> Bool {
    switch value {
    case .text(let text): text.utf8.count > LargeValue.limit || isExternal[column]
    case .blob(let data), .brokenText(let data): data.count > LargeValue.limit
    case .null, .integer, .real: false
    }
  }

  /// Appends a value without its key.
  ///
  /// Returns the note about a value that JSON can't express, for the key `special`; nil for other
  /// values.
  @inline(__always)
  package func append(
    _ value: Value,
    at column: ColumnIndex,
    to buffer: inout [UInt8]
  ) -> SpecialValue? {
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
}

/// The text before the id in a reference to an object of an entity.
package func referencePrefix(_ entity: String) -> [UInt8] {
  var prefix = Array(#"{"entity":"#.utf8)
  appendJSONString(entity, to: &prefix)
  return prefix + Array(#","id":""#.utf8)
}

/// A copy of some bytes with a fixed address, which the caller must deallocate.
private func kept(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
  let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  copy.copyBytes(from: bytes)
  return UnsafeRawBufferPointer(copy)
}
