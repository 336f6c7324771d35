import FoundationEssentials

/// A value as SQLite holds it in one column of one row.
///
/// Every declared Swift type has exactly one way to and from a `Value`; `docs/STORE.md` has the
/// table, with the odd values of each type.
public enum Value: Hashable, Sendable {
  /// No value.
  case null
  /// A signed integer; unsigned ones above `Int64.max` are ``text(_:)`` of twenty digits.
  case integer(Int64)
  /// A number with a fraction; never NaN, which SQLite would turn into NULL (see ``ValueType``).
  case real(Double)
  /// Text in UTF-8; it may contain NUL.
  case text(String)
  /// Bytes.
  case blob(Data)
  /// Bytes that a program other than this one wrote as text, and that are no UTF-8.
  case brokenText(Data)
}

extension Value {
  /// A stored text, whatever its bytes are.
  package init(text bytes: UnsafeRawBufferPointer) {
    self =
      isValidUTF8(bytes)
      ? .text(String(decoding: bytes, as: UTF8.self)) : .brokenText(Data(bytes))
  }
}
