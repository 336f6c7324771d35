import Format
import FoundationEssentials
import SQLite

extension Statement {
  /// Binds a value; SQLite keeps its own copy of texts and blobs.
  package func bind(_ index: Int32, _ value: Value) throws {
    switch value {
    case .null: try bindNull(index)
    case .integer(let number): try bind(index, number)
    case .real(let number): try bind(index, number)
    case .text(let text): try bind(index, text)
    case .blob(let data): try bind(index, data)
    case .brokenText(let data): try data.withUnsafeBytes { try bind(index, text: $0) }
    }
  }

  /// Binds a value without a copy.
  ///
  /// The bytes of the value must stay in memory until the statement has run or the parameter is
  /// bound again.
  func bind(_ parameter: Int32, borrowing value: PlainValue) throws {
    switch value {
    case .null: try bindNull(parameter)
    case .integer(let integer): try bind(parameter, integer)
    case .real(let real): try bind(parameter, real)
    case .text(let text): try bind(parameter, borrowedText: text)
    case .blob(let blob): try bind(parameter, borrowedBlob: blob)
    }
  }

  package func value(at index: Int32) -> Value {
    switch type(at: index) {
    case .null: .null
    case .integer: .integer(int64(at: index))
    case .real: .real(double(at: index))
    case .text: withText(at: index) { Value(text: $0) }
    case .blob: .blob(data(at: index))
    }
  }
}

extension TextEncoding {
  /// The bytes that a database in this encoding stores for the bytes of a ``Value``'s text; nil if
  /// the database can't have the text.
  package func storedBytes(of text: Data) -> Data? {
    let units = text.withUnsafeBytes { utf16(ofUTF8: $0) }
    return units.map { units in
      Data(
        units.flatMap { unit in
          let bytes = [UInt8(unit & 0xff), UInt8(unit >> 8)]
          return self == .utf16LittleEndian ? bytes : bytes.reversed()
        }
      )
    }
  }
}
