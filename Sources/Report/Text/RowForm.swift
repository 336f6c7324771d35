import Format

/// The rows of a statement as text, CSV and JSON.
package struct RowForm {
  private let columns: [String]
  /// The names of the columns as keys; a name that an earlier column has gets a number.
  private let keys: [String]

  package init(columns: [String]) {
    self.columns = columns
    var used: Set<String> = []
    keys = columns.map { name in
      var (key, number) = (name, 0)
      while !used.insert(key).inserted {
        number += 1
        key = "\(name):\(number)"
      }
      return key
    }
  }

  // MARK: Text

  /// A value for people: NULL, numbers and texts as they are, and blobs as SQL writes them.
  package func text(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): visible(text)
    case .blob(let bytes): "x'" + hexadecimal(bytes) + "'"
    case .brokenText(let bytes): visible(String(decoding: bytes, as: UTF8.self))
    }
  }

  private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  // MARK: CSV

  /// The first line of a table in the format of RFC 4180.
  package var csvHeading: String { DifferenceTable.row(columns) }

  /// A row; NULL is an empty cell, and a blob is base64.
  package func csv(_ values: [Value]) -> String {
    DifferenceTable.row(
      values.map { value in
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text
        case .blob(let bytes), .brokenText(let bytes): base64(bytes)
        }
      }
    )
  }

  private func base64(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    Array(bytes).withUnsafeBytes { appendBase64($0, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  // MARK: JSON

  /// A row as an object.
  ///
  /// A value that JSON can't express is an object whose key is its kind: `base64` for a blob, `text64`
  /// for a text that is not UTF-8, and `real` for an infinite number.
  package func json(_ values: [Value]) -> JSONText {
    var row = JSONText()
    for (name, value) in zip(keys, values) {
      switch value {
      case .null: row.add(name, json: Array("null".utf8))
      case .integer(let number): row.add(name, number: number)
      case .real(let number) where number.isFinite: row.add(name, json: Array(String(number).utf8))
      case .real(let number): row.add(name, object: special("real", number < 0 ? "-inf" : "inf"))
      case .text(let text): row.add(name, text: text)
      case .blob(let bytes): row.add(name, object: special("base64", base64(bytes)))
      case .brokenText(let bytes): row.add(name, object: special("text64", base64(bytes)))
      }
    }
    var object = JSONText(type: "query_row")
    object.add("row", object: row)
    return object
  }

  private func special(_ kind: String, _ text: String) -> JSONText {
    var object = JSONText()
    object.add(kind, text: text)
    return object
  }
}
