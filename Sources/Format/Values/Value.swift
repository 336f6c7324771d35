import FoundationEssentials

/// A value in one column of one row of SQLite.
///
/// Every declared Swift type is converted to and from a `Value` in exactly one way. The table in
/// `docs/STORE.md` includes the special values of each type.
public enum Value: Hashable, Sendable {
  /// No value: SQLite's NULL.
  case null
  /// A signed integer. An unsigned integer above `Int64.max` is stored as a ``text(_:)`` of twenty
  /// digits.
  case integer(Int64)
  /// A number with a fraction. It is never NaN, which SQLite would convert to NULL; see
  /// ``ValueType``.
  case real(Double)
  /// Text in UTF-8, which may contain NUL.
  case text(String)
  case blob(Data)
  /// Text that is not valid UTF-8. Only programs other than Travelog write such text.
  case brokenText(Data)
}

extension Value {
  /// Creates a value from stored text with any bytes.
  package init(text bytes: UnsafeRawBufferPointer) {
    self =
      isValidUTF8(bytes)
      ? .text(String(decoding: bytes, as: UTF8.self)) : .brokenText(Data(bytes))
  }

  /// Whether two values are stored as the same bits.
  ///
  /// The operator `==` is less strict: it equates negative zero with zero, and two Unicode
  /// spellings of one character. With `==`, changes between such values would be lost.
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

  /// Copies a value whose bytes the caller owns.
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
  /// Text in UTF-8. A value of type `any` can have other bytes.
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)
}
