import Format
import FoundationEssentials
import SQLite

/// A value of a file, as our schema has it.
package enum StoredValue: Hashable, Sendable {
  case value(Value)
  /// A value that the declared type can't express; it stays as the file has it.
  case special(Value)
  /// Bytes in a file of their own, which can be large.
  case file(ExternalFile)
  /// Bytes in a file that is missing.
  case missing(name: String)
}

extension ColumnSource<Int32> {
  /// Reads the value of a property from a row.
  func value(_ row: Statement, external: ExternalFolder) throws(StoreError) -> StoredValue {
    switch self {
    case .missing: return .value(.null)
    case .integer(let column):
      let value = row.value(at: column)
      return value.isInteger || value == .null ? .value(value) : .special(value)
    case .plain(let column, let kind): return kind.value(row.value(at: column))
    case .external(let column): return try external.value(row.value(at: column))
    case .transformed(let column, let isJSON):
      guard row.type(at: column) == .blob else {
        return row.isNull(at: column) ? .value(.null) : .special(row.value(at: column))
      }
      guard isJSON else { return .value(.blob(row.data(at: column))) }
      guard let json = archivedJSON(row.bytes(at: column)) else {
        return .special(.blob(row.data(at: column)))
      }
      return .value(.text(json))
    case .composite(let attribute, let columns):
      let values = columns.map { column in column.map { row.value(at: $0) } ?? .null }
      return .value(compositeValue(attribute, values))
    }
  }
}

extension Value {
  var isInteger: Bool { if case .integer = self { true } else { false } }
}

extension AppleAttribute.Kind {
  /// The value of an attribute of this type; special if its storage class is not the type's.
  func value(_ value: Value) -> StoredValue {
    switch (self, value) {
    case (_, .null): return .value(.null)
    case (.int16, .integer(let number)):
      return Int16(exactly: number).map { _ in .value(value) }
        ?? .special(value)
    case (.int32, .integer(let number)):
      return Int32(exactly: number).map { _ in .value(value) }
        ?? .special(value)
    case (.int64, .integer): return .value(value)
    case (.bool, .integer(let number)): return 0...1 ~= number ? .value(value) : .special(value)
    case (.double, .real), (.float, .real), (.date, .real): return .value(value)
    // SQLite stores a whole number as an integer if the column has another affinity.
    case (.double, .integer(let number)), (.float, .integer(let number)),
      (.date, .integer(let number)):
      return Double(exactly: number).map { .value(.real($0)) } ?? .special(value)
    case (.string, .text), (.uri, .text): return .value(value)
    case (.decimal, .integer(let number)): return .value(.text(String(number)))
    case (.decimal, .real(let number)):
      return decimalText(number).map { .value(.text($0)) } ?? .special(value)
    case (.decimal, .text(let text)):
      let isCanonical = Array(text.utf8).withUnsafeBytes(isCanonicalDecimal)
      return isCanonical ? .value(value) : .special(value)
    case (.uuid, .blob(let bytes)):
      return uuidText(bytes).map { .value(.text($0)) } ?? .special(value)
    case (.binary, .blob), (.transformable, .blob), (.undefined, .blob), (.objectID, .blob):
      return .value(value)
    default: return .special(value)
    }
  }
}

/// The shortest decimal that is read as a number, in canonical form; nil if a decimal can't have it.
func decimalText(_ number: Double) -> String? {
  guard number.isFinite, number != 0 else { return number == 0 ? "0" : nil }
  // A description is like -1.5, 100000.0 or 1.5e-07.
  let text = number.magnitude.description
  let parts = text.split(separator: "e")
  let mantissa = parts[0].split(separator: ".")
  guard let whole = mantissa.first, let exponent = parts.count > 1 ? Int(parts[1]) : 0,
    -128...127 ~= exponent
  else { return nil }
  let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
  var digits = String(whole) + fraction
  var point = whole.count + exponent
  if point <= 0 {
    digits = String(repeating: "0", count: 1 - point) + digits
    point = 1
  }
  if digits.count < point { digits += String(repeating: "0", count: point - digits.count) }
  var integer = String(digits.prefix(point).drop { $0 == "0" })
  var rest = digits.dropFirst(point)
  while rest.last == "0" { rest.removeLast() }
  if integer.isEmpty { integer = "0" }
  return (number < 0 ? "-" : "") + integer + (rest.isEmpty ? "" : ".\(rest)")
}

/// A UUID in capitals; nil if there are not sixteen bytes.
func uuidText(_ bytes: Data) -> String? {
  guard bytes.count == 16 else { return nil }
  let digits = Array("0123456789ABCDEF")
  var result = ""
  for (index, byte) in bytes.enumerated() {
    if [4, 6, 8, 10].contains(index) { result.append("-") }
    result.append(digits[Int(byte >> 4)])
    result.append(digits[Int(byte & 15)])
  }
  return result
}
