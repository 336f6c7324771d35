import FoundationEssentials

/// A value whose text or bytes lie where they were found, or in room that somebody gave for them.
package enum PlainValue {
  case null
  case integer(Int64)
  case real(Double)
  /// Text in UTF-8.
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)
}

extension Value {
  /// Copies a value from where it lies.
  package init(_ plain: PlainValue) {
    switch plain {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let text): self = .text(String(decoding: text, as: UTF8.self))
    case .blob(let blob): self = .blob(Data(blob))
    }
  }
}
