/// The name of a row of an adopted table: the row's key, or its rowid.
///
/// Two names are equal if the bytes of their texts are equal, whatever the collation of the key.
package struct RowName: Hashable, Sendable {
  /// The canonical text of the name, as logs contain it: `7`, `["text:a","integer:7"]` or
  /// `["rowid:5"]`.
  package let bytes: [UInt8]

  /// Names a row by the values of its key's columns, in the order of the key.
  ///
  /// A key with NULL does not identify a row, so the rowid is the name of such a row. If a table
  /// has no key, the rowid serves as the key, and is written like an INTEGER PRIMARY KEY.
  ///
  /// - Parameters:
  ///   - key: The values of the key's columns.
  ///   - rowid: The rowid of the row; nil for a table WITHOUT ROWID, whose keys have no NULL.
  package init?(key: [Value], rowid: Int64?) {
    var bytes: [UInt8] = []
    if key.contains(where: \.isUnknown) {
      guard let rowid else { return nil }
      bytes += Self.rowidStart
      appendInteger(rowid, to: &bytes)
      bytes += Self.rowidEnd
    } else if key.count == 1, case .integer(let number) = key[0] {
      appendInteger(number, to: &bytes)
    } else if key.isEmpty {
      guard let rowid else { return nil }
      appendInteger(rowid, to: &bytes)
    } else {
      Self.append(key, to: &bytes)
    }
    self.bytes = bytes
  }

  /// Reads the canonical text of a name; nil for any other bytes.
  package init?(canonical bytes: UnsafeRawBufferPointer) {
    guard Self.identity(bytes) != nil else { return nil }
    self.bytes = Array(bytes)
  }

  package init(_ id: ObjectID) { bytes = Array(id.description.utf8) }

  /// The key or the rowid with which a statement finds the row.
  package enum Identity: Hashable, Sendable {
    /// A key of one integer, or the rowid of a table without a key.
    case integer(Int64)
    case key([Value])
    /// The rowid of a row whose key has NULL.
    case rowid(Int64)
  }

  /// The key or the rowid that the text of the name contains; nil if the text has neither.
  package var identity: Identity? { bytes.withUnsafeBytes(Self.identity) }

  private static let rowidStart = Array(#"["rowid:"#.utf8)
  private static let rowidEnd = Array(#""]"#.utf8)

  private static func append(_ key: [Value], to bytes: inout [UInt8]) {
    var part: [UInt8] = []
    for (index, value) in key.enumerated() {
      bytes.append(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
      part.removeAll(keepingCapacity: true)
      value.appendSpelling(to: &part)
      part.withUnsafeBytes { appendJSONString($0, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private static func identity(_ bytes: UnsafeRawBufferPointer) -> Identity? {
    if let number = parseInteger(bytes) { return .integer(number) }
    if bytes.starts(with: rowidStart), bytes.count > rowidStart.count + rowidEnd.count {
      let digits = bytes[rowidStart.count..<bytes.count - rowidEnd.count]
      guard bytes.suffix(rowidEnd.count).elementsEqual(rowidEnd) else { return nil }
      return parseInteger(UnsafeRawBufferPointer(rebasing: digits)).map { .rowid($0) }
    }
    guard let parts = parts(bytes) else { return nil }
    // No name has such a text: one integer is written without brackets, and a key with NULL does
    // not identify a row.
    if parts.contains(where: \.isUnknown) { return nil }
    if parts.count == 1, case .integer = parts[0] { return nil }
    return .key(parts)
  }

  /// The values of a JSON array of texts without blanks; nil for any other bytes.
  private static func parts(_ bytes: UnsafeRawBufferPointer) -> [Value]? {
    guard bytes.count > 2, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]")
    else { return nil }
    var parts: [Value] = []
    var start = 1
    while start < bytes.count {
      guard let end = endOfText(bytes, from: start), end < bytes.count,
        var text = parseJSONString(UnsafeRawBufferPointer(rebasing: bytes[start..<end])),
        let value = text.withUTF8({ Value(spelling: UnsafeRawBufferPointer($0)) })
      else { return nil }
      parts.append(value)
      let isLast = end == bytes.count - 1
      guard isLast || bytes[end] == UInt8(ascii: ",") else { return nil }
      if isLast { return parts }
      start = end + 1
    }
    return nil
  }

  /// The index after the closing quote of the text that begins at `start`; nil if the quote is
  /// missing.
  private static func endOfText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index < bytes.count ? index + 1 : nil
  }
}

extension RowName: CustomStringConvertible {
  package var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension Value {
  /// Whether SQLite stores the value as NULL.
  fileprivate var isUnknown: Bool {
    switch self {
    case .null: true
    case .real(let number): number.isNaN
    default: false
    }
  }
}
