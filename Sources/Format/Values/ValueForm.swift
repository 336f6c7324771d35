import FoundationEssentials

// All tables of the declared types are in this file. No table has a `default`, so the compiler
// names each table in which a new type lacks a row. A new type of a model also needs a conformance
// and a codec in `SwiftData/Model/AttributeValue.swift`, and a row in the tables of docs/STORE.md
// and docs/FORMAT.md.

/// The form of a declared type's values in columns and in logs.
@usableFromInline
package enum ValueForm: Hashable, Sendable {
  /// The integers 0 and 1, which are `false` and `true` in logs.
  case truth
  /// Integers of a range, which are numbers in logs.
  case integer(ClosedRange<Int64>)
  /// Unsigned integers, which are strings of digits in logs.
  ///
  /// An integer above `Int64.max` is stored as a text of twenty digits.
  case unsigned
  /// Real numbers, and the text `NaN`; an integer of another program is read too.
  case real
  /// Seconds since 2001 like ``real``, which are RFC 3339 strings in logs.
  case date
  /// Texts of any characters.
  case text
  /// Texts with one spelling for each value, which are the same strings in logs.
  case exact(ExactText)
  /// Blobs, which are base64 strings in logs.
  case bytes
  /// Values of all storage classes, which are strings that begin with the storage class in logs.
  case spelled
}

/// The types whose values are texts with one spelling for each value.
@usableFromInline
package enum ExactText: Hashable, Sendable {
  case decimal, uuid

  func isCanonical(_ text: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .decimal: isCanonicalDecimal(text)
    case .uuid: isCanonicalUUID(text)
    }
  }
}

extension ValueType {
  @inlinable package var form: ValueForm {
    switch self {
    case .bool: .truth
    case .int8: .integer(-0x80...0x7f)
    case .int16: .integer(-0x8000...0x7fff)
    case .int32: .integer(-0x8000_0000...0x7fff_ffff)
    case .int64: .integer(Int64.min...Int64.max)
    case .uint8: .integer(0...0xff)
    case .uint16: .integer(0...0xffff)
    case .uint32: .integer(0...0xffff_ffff)
    case .uint64: .unsigned
    case .float16, .float, .double: .real
    case .decimal: .exact(.decimal)
    case .string, .url, .json: .text
    case .date: .date
    case .data, .transformed: .bytes
    case .uuid: .exact(.uuid)
    case .any: .spelled
    }
  }

  /// Whether the values are integers, which a migration can convert to wider integers and to other
  /// numbers.
  ///
  /// Bool is not an integer type, although SQLite stores a Bool as an integer.
  package var isInteger: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
    case .bool, .float16, .float, .double, .decimal, .string, .date, .data, .uuid, .url, .json,
      .transformed, .any:
      false
    }
  }

  /// The types as which the stored values of the type can be read unchanged, except the wider
  /// integer types.
  package var widerTypes: [ValueType] {
    switch self {
    case .float16: [.float, .double]
    case .float: [.double]
    case .decimal, .uuid, .url: [.string]
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .double, .string,
      .date, .data, .json, .transformed, .any:
      []
    }
  }

  /// The highest integer up to which the type can represent each integer exactly; nil if a
  /// migration does not convert integers to real numbers of the type.
  package var largestExactInteger: Int64? {
    switch self {
    case .float16: 1 << 11
    case .float: 1 << 24
    case .double: 1 << 53
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .decimal,
      .string, .date, .data, .uuid, .url, .json, .transformed, .any:
      nil
    }
  }

  /// A value that is readable, and different for each object if the type has enough values.
  package func placeholder(for object: Int64) -> Value {
    switch self {
    case .bool: return .integer(0)
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
      let range = form.integers ?? 0...0
      // A log may contain any id, even the minimum integer, which can't be negated. So the
      // subtraction must be allowed to overflow.
      let negative = 0 &- object
      return .integer(range.contains(negative) ? negative : range.contains(object) ? object : 0)
    case .float16, .float, .double, .date: return .real(Double(object))
    case .decimal: return .text(String(object))
    case .string: return .text("erased \(object)")
    case .url: return .text("erased:\(object)")
    case .json: return .text("null")
    case .uuid:
      let digits = String(UInt64(bitPattern: object), radix: 16, uppercase: true)
      let all = String(repeating: "0", count: 32 - digits.count) + digits
      let ends = [8, 12, 16, 20, 32]
      let parts = zip([0] + ends, ends).map { all.dropFirst($0).prefix($1 - $0) }
      return .text(parts.joined(separator: "-"))
    case .data, .transformed: return .blob(Data("erased \(object)".utf8))
    // A column of a program takes an integer, unless its table is STRICT and it has blobs. A real
    // number has 53 bits, and the values of a program are rarely as low.
    case .any: return .integer(-(1 << 52) - (object & (1 << 52 - 1)))
    }
  }

  /// The stored values of the type, in words.
  package var words: String {
    switch self {
    case .bool: "0 or 1"
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: "an integer of \(self)"
    case .uint64: "an integer, or a text of twenty digits"
    case .float16, .float, .double: "a number, or the text NaN"
    case .decimal: "a decimal number as a text"
    case .string: "a text"
    case .date: "a number of seconds since 2001, or the text NaN"
    case .data, .transformed: "a blob"
    case .uuid: "a UUID in capitals as a text"
    case .url: "a URL as a text"
    case .json: "JSON as a text"
    case .any: "a value"
    }
  }
}

extension ValueForm {
  /// The integers that values can have; nil if values are not stored as integers.
  package var integers: ClosedRange<Int64>? {
    switch self {
    case .truth: 0...1
    case .integer(let range): range
    case .unsigned: 0...Int64.max
    case .real, .date, .text, .exact, .bytes, .spelled: nil
    }
  }

  /// Whether not-a-number is a value, stored as the text `NaN`.
  var hasNaN: Bool {
    switch self {
    case .real, .date, .exact(.decimal): true
    case .truth, .integer, .unsigned, .text, .exact(.uuid), .bytes, .spelled: false
    }
  }

  /// Whether values are stored as numbers, except not-a-number, which is stored as a text.
  package var isReal: Bool {
    switch self {
    case .real, .date: true
    case .truth, .integer, .unsigned, .text, .exact, .bytes, .spelled: false
    }
  }

  /// Whether values can be too large for a line of history.
  package var mayBeLarge: Bool {
    switch self {
    case .text, .bytes, .spelled: true
    case .truth, .integer, .unsigned, .real, .date, .exact: false
    }
  }

  /// The type and constraints of a column in `CREATE TABLE`.
  ///
  /// A column with several storage classes is `ANY` with a `CHECK`, which refuses values that
  /// readers do not understand.
  func declaration(of name: String, null: String) -> String {
    switch self {
    case .truth: "INTEGER\(null) CHECK (\(name) IN (0, 1))"
    case .integer(Int64.min...Int64.max): "INTEGER\(null)"
    case .integer(let range):
      "INTEGER\(null) CHECK (\(name) BETWEEN \(range.lowerBound) AND \(range.upperBound))"
    case .unsigned:
      "ANY\(null) CHECK (\(name) IS NULL OR (typeof(\(name)) = 'integer' AND \(name) >= 0)"
        + " OR (typeof(\(name)) = 'text' AND length(\(name)) = 20 AND \(name) NOT GLOB '*[^0-9]*'"
        + " AND \(name) BETWEEN '09223372036854775808' AND '18446744073709551615'))"
    case .real, .date:
      "ANY\(null) CHECK (\(name) IS NULL OR typeof(\(name)) IN ('real', 'integer')"
        + " OR \(name) = 'NaN')"
    case .text, .exact: "TEXT\(null)"
    case .bytes: "BLOB\(null)"
    case .spelled: "ANY\(null)"
    }
  }

  /// The type that a reader would infer for the text of a value.
  var encoding: LogEncoding {
    switch self {
    case .truth: .truth
    case .integer: .integer
    case .real: .real
    case .unsigned, .exact(.decimal): .digits
    case .text: .text
    case .date: .date
    case .exact(.uuid): .uuid
    case .bytes: .base64
    case .spelled: .spelled
    }
  }

  /// The value in the header of a log, from which readers infer the type.
  package var neutral: String {
    switch self {
    case .truth: "false"
    case .integer: "0"
    case .real: "0.0"
    case .unsigned, .exact(.decimal): #""0""#
    case .date: #""1970-01-01T00:00:00.000000Z""#
    case .exact(.uuid): #""00000000-0000-0000-0000-000000000000""#
    case .text, .bytes, .spelled: #""""#
    }
  }
}

/// The type that a reader would infer for a property's text.
enum LogEncoding: Hashable {
  case truth, integer, real, digits, text, date, uuid, base64, spelled, reference, links
}
