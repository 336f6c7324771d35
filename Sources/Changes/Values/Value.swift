import FoundationEssentials

/// A value in one column of one row of SQLite.
///
/// Every declared Swift type is converted to and from a `Value` in exactly one way; the table in
/// `docs/STORE.md` includes the special values of each type.
public enum Value: Hashable, Sendable {
  /// No value.
  case null
  /// A signed integer. Unsigned integers above `Int64.max` are stored as ``text(_:)`` of twenty digits.
  case integer(Int64)
  /// A number with a fraction; never NaN, which SQLite would convert to NULL (see ``ValueType``).
  case real(Double)
  /// Text in UTF-8; it may contain NUL.
  case text(String)
  case blob(Data)
  /// Text by a program other than Travelog that is not valid UTF-8.
  case brokenText(Data)
}

extension Value {
  /// A stored text with any bytes.
  package init(text bytes: UnsafeRawBufferPointer) {
    self =
      isValidUTF8(bytes)
      ? .text(String(decoding: bytes, as: UTF8.self)) : .brokenText(Data(bytes))
  }

  /// Whether both values are stored as the same bits.
  ///
  /// Equality is wider: it equates negative zero with zero, and two Unicode spellings of one
  /// character, which would lose changes.
  package func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.text(let left), .text(let right)): hasSameBytes(left, right)
    case (.blob(let left), .blob(let right)): left == right
    case (.brokenText(let left), .brokenText(let right)): left == right
    default: false
    }
  }

  /// Copies a value.
  package init(_ plain: PlainValue) {
    switch plain {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let text):
      self = String(validating: text, as: UTF8.self).map { .text($0) } ?? .brokenText(Data(text))
    case .blob(let blob): self = .blob(Data(blob))
    }
  }
}

/// A value whose text or bytes are in memory that the caller owns.
package enum PlainValue {
  case null
  case integer(Int64)
  case real(Double)
  /// Text in UTF-8; a value of type `any` can have other bytes.
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)
}
