import FoundationEssentials
import SQLite

/// A value whose text or bytes lie where they were found, or in room that somebody gave for them.
enum PlainValue {
  case null
  case integer(Int64)
  case real(Double)
  /// Text in UTF-8.
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)
}

extension Value {
  /// Copies a value from where it lies.
  init(_ plain: PlainValue) {
    switch plain {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let text): self = .text(String(decoding: text, as: UTF8.self))
    case .blob(let blob): self = .blob(Data(blob))
    }
  }
}

extension Statement {
  /// Binds a value without a copy: it must stay where it is until the statement was run, or the
  /// parameter is bound again.
  func bind(_ parameter: Int32, borrowing value: PlainValue) throws {
    switch value {
    case .null: try bindNull(parameter)
    case .integer(let integer): try bind(parameter, integer)
    case .real(let real): try bind(parameter, real)
    case .text(let text): try bind(parameter, borrowedText: text)
    case .blob(let blob): try bind(parameter, borrowedBlob: blob)
    }
  }
}
