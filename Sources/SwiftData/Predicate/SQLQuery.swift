import Format
import Store

/// A piece of SQL with the values of its parameters, in the order of the parameters.
///
/// An interpolation combines pieces and keeps the parameters in order: `"\(left) = \(bind:
/// value)"`.
struct SQLQuery: Hashable, Sendable {
  var text = ""
  var bindings: [Value] = []
  /// Whether the SQL can fail for some rows; the evaluation in Swift would fail for the same rows.
  ///
  /// SQL that can fail must not run for rows that an earlier condition excludes.
  var canFail = false
  /// Whether the SQL searches other tables before the rows of the query; see ``SQLPath``.
  var isSearch = false
  /// Whether the SQL is true for only a few rows, which an index finds.
  var isNarrow = false

  static let `true` = SQLQuery(text: "1")
  static let `false` = SQLQuery(text: "0")
  static let null = SQLQuery(text: "NULL")

  static func bool(_ value: Bool) -> SQLQuery { value ? .true : .false }

  static func joined(_ pieces: [SQLQuery], separator: String) -> SQLQuery {
    var result = SQLQuery()
    for (index, piece) in pieces.enumerated() {
      if index > 0 { result.text += separator }
      result.append(piece)
    }
    return result
  }

  mutating func append(_ other: SQLQuery) {
    text += other.text
    bindings += other.bindings
    canFail = canFail || other.canFail
    isSearch = isSearch || other.isSearch
  }

  var failing: SQLQuery {
    var copy = self
    copy.canFail = true
    return copy
  }
}

extension SQLQuery: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    var query = SQLQuery()

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { query.text += literal }

    mutating func appendInterpolation(_ piece: SQLQuery) { query.append(piece) }

    mutating func appendInterpolation(bind value: Value) {
      query.text += "?"
      query.bindings.append(value)
    }

    /// Appends the quoted name of a table, a column or an alias.
    mutating func appendInterpolation(name: String) { query.text += quoted(name) }

    /// Appends SQL that this module has written itself, without quotes or parameters.
    mutating func appendInterpolation(sql: String) { query.text += sql }
  }

  init(stringLiteral value: String) { self.init(text: value) }
  init(stringInterpolation: StringInterpolation) { self = stringInterpolation.query }
}

// Conditions are pieces of SQL whose value is 1 or 0, but not NULL, for every row for which they
// run.
extension SQLQuery {
  /// The condition that two conditions are true.
  ///
  /// If the second condition can fail, it is evaluated only if the first condition is true.
  func and(_ other: SQLQuery) -> SQLQuery {
    if self == .false || other == .true { return self }
    if self == .true { return other }
    if other == .false, !canFail { return .false }
    if other.canFail {
      // The first condition is repeated outside of the CASE, because only there can SQLite use an
      // index for the condition.
      return ("(\(self) AND CASE WHEN \(self) THEN \(other) ELSE 0 END)" as SQLQuery)
        .narrow(isNarrow)
    }
    return ("(\(self) AND \(other))" as SQLQuery).narrow(isNarrow || other.isNarrow)
  }

  /// The condition that at least one of two conditions is true.
  ///
  /// If the second condition can fail, it is evaluated only if the first condition is false.
  func or(_ other: SQLQuery) -> SQLQuery {
    if self == .true || other == .false { return self }
    if self == .false { return other }
    if other == .true, !canFail { return .true }
    if other.canFail { return "CASE WHEN \(self) THEN 1 ELSE \(other) END" }
    return ("(\(self) OR \(other))" as SQLQuery).narrow(isNarrow && other.isNarrow)
  }

  func narrow(_ isNarrow: Bool) -> SQLQuery {
    var copy = self
    copy.isNarrow = isNarrow
    return copy
  }

  var negated: SQLQuery {
    if self == .true { return .false }
    if self == .false { return .true }
    return "(NOT \(self))"
  }

  /// The condition that at least one of many conditions is true.
  ///
  /// The condition is a balanced tree, because SQLite limits the depth of expressions.
  static func any(_ pieces: [SQLQuery]) -> SQLQuery {
    switch pieces.count {
    case 0: return .false
    case 1: return pieces[0]
    default:
      let middle = pieces.count / 2
      return any(Array(pieces[..<middle])).or(any(Array(pieces[middle...])))
    }
  }
}
