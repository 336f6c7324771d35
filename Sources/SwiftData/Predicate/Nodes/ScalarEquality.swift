import Format
import Store

// Two values that are stored directly in columns are compared by rules that depend on their type.
extension SQLTranslation {
  func equality(_ column: SQLScalar, constant: Any) throws -> SQLQuery {
    let value = try scalar(.constant(constant))
    guard column.type != .transformed, column.type == value.type else {
      throw NotTranslatable.operands("\(column.swiftType) and \(value.swiftType)")
    }
    if let isPositive = column.isPositive, let count = constant as? Int, count == 0 {
      return isPositive.negated
    }
    let sign: SQLQuery = column.isNullable ? "IS" : "="
    // NaN is stored as a text, and is not equal to any value.
    if column.type.form.isReal, case .text = value.sql.bindings.first { return .false }
    if column.type == .string, column.swiftType == String.self, let text = constant as? String {
      return equality(column, text: text)
    }
    return "\(column.sql) \(sign) \(value.sql)"
  }

  /// The condition that a column equals a text, as in Swift: canonically equivalent strings are
  /// equal.
  private func equality(_ column: SQLScalar, text: String) -> SQLQuery {
    let sign: SQLQuery = column.isNullable ? "IS" : "="
    if let spellings = CanonicalSpellings.of(text) {
      if spellings.count == 1 { return "\(column.sql) \(sign) \(bind: .text(text))" }
      let list = SQLQuery.joined(spellings.map { "\(bind: .text($0))" }, separator: ", ")
      let isOne: SQLQuery = "\(column.sql) IN (\(list))"
      return column.presence.map { "(\($0) AND \(isOne))" } ?? isOne
    }
    let isEqual: SQLQuery = "\(column.sql) \(sign) \(bind: .text(text)) COLLATE SWIFT"
    let range = column.isIndexed ? CanonicalSpellings.range(of: text, in: column.sql) : nil
    return range.map { "(\($0) AND \(isEqual))" } ?? isEqual
  }

  func sameValue(_ left: SQLScalar, _ right: SQLScalar) throws -> SQLQuery {
    guard left.type == right.type, left.type != .transformed else {
      throw NotTranslatable.operands("\(left.swiftType) and \(right.swiftType)")
    }
    let sign: SQLQuery = left.isNullable || right.isNullable ? "IS" : "="
    let isSame: SQLQuery = "\(left.sql) \(sign) \(right.sql)"
    if left.type.form.isReal { return "(\(isSame) AND typeof(\(left.sql)) <> 'text')" }
    return left.type == .string && left.swiftType == String.self
      ? "\(isSame) COLLATE SWIFT" : isSame
  }

  func membership(_ column: SQLScalar, in values: [Any]) throws -> SQLQuery {
    var exact: [Value] = []
    var spelled: [Value] = []
    var hasNil = false
    for element in values {
      guard let value = unwrapped(element) else {
        hasNil = true
        continue
      }
      let scalar = try self.scalar(.constant(value))
      guard scalar.type == column.type, column.type != .transformed,
        let stored = scalar.sql.bindings.first
      else { throw NotTranslatable.operands("\(column.swiftType) and \(scalar.swiftType)") }
      if column.type.form.isReal, case .text = stored { continue }
      if column.type == .string, column.swiftType == String.self {
        guard case .text(let text) = stored else { continue }
        if let spellings = CanonicalSpellings.of(text) {
          exact += spellings.map { .text($0) }
        } else {
          spelled.append(stored)
        }
      } else {
        exact.append(stored)
      }
    }
    let isOne = column.holdsForValue { column in
      var found: [SQLQuery] = []
      if exact.count == 1 {
        found.append("\(column.sql) = \(bind: exact[0])")
      } else if !exact.isEmpty {
        found.append("\(column.sql) IN \(list(exact))")
      }
      if !spelled.isEmpty { found.append("\(column.sql) COLLATE SWIFT IN \(list(spelled))") }
      return .any(found)
    }
    .narrow(column.isIndexed)
    guard hasNil, let presence = column.presence else { return isOne }
    return presence.negated.or(isOne)
  }

  /// The SQL for a list of values after IN.
  ///
  /// A long list is one parameter with JSON, so that the statement does not depend on the number of
  /// values.
  func list(_ values: [Value]) -> SQLQuery {
    if values.count > 8, let text = jsonArray(values) {
      return "(SELECT value FROM json_each(\(bind: .text(text))))"
    }
    return "(\(SQLQuery.joined(values.map { "\(bind: $0)" }, separator: ", ")))"
  }

  /// The values as JSON from which SQLite reads the same values; nil if a value might change.
  private func jsonArray(_ values: [Value]) -> String? {
    var text = "["
    for value in values {
      if text.utf8.count > 1 { text += "," }
      switch value {
      case .integer(let integer): text += String(integer)
      case .text(let string):
        guard append(string, to: &text) else { return nil }
      case .null, .real, .blob, .brokenText: return nil
      }
    }
    return text + "]"
  }

  /// Appends a JSON string; returns false for a text with NUL, because SQLite would cut it there.
  private func append(_ string: String, to text: inout String) -> Bool {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\0": return false
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{1}"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
    return true
  }
}
