import FoundationEssentials
public import SQLite

/// Values to and from statements.
extension Statement {
  /// Binds a value, copying texts and blobs.
  public func bind(_ index: Int32, _ value: Value) throws {
    switch value {
    case .null: try bindNull(index)
    case .integer(let number): try bind(index, number)
    case .real(let number): try bind(index, number)
    case .text(let text): try bind(index, text)
    case .blob(let data): try bind(index, data)
    case .brokenText(let data): try data.withUnsafeBytes { try bind(index, text: $0) }
    }
  }

  /// The value in a column, as it is stored.
  public func value(at index: Int32) -> Value {
    switch type(at: index) {
    case .null: .null
    case .integer: .integer(int64(at: index))
    case .real: .real(double(at: index))
    case .text: withBytes(at: index) { Value(text: $0) }
    case .blob: .blob(data(at: index))
    }
  }
}

extension Value {
  /// A stored text, whatever its bytes are.
  init(text bytes: UnsafeRawBufferPointer) {
    self =
      isValidUTF8(bytes)
      ? .text(String(decoding: bytes, as: UTF8.self)) : .brokenText(Data(bytes))
  }
}
