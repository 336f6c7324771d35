import Format
import Store

extension PredicateExpressions.Comparison: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let left = try translation.term(lhs)
    let right = try translation.term(rhs)
    if case .constant(let first) = left, case .constant(let second) = right,
      let first = first as? LHS.Output, let second = second as? LHS.Output
    {
      return .constant(op.compare(first, second))
    }
    if let sql = try translation.historyComparison(left, right, by: op) {
      return .holds(sql)
    }
    // If the constant in `value ?? constant` does not satisfy the comparison, comparing the value
    // is sufficient.
    if case .scalar(let scalar) = left, let (value, fallback) = scalar.coalesced,
      case .constant(let second as LHS.Output) = right, let fallback = fallback as? LHS.Output,
      !op.compare(fallback, second), Ranks(of: LHS.Output.self) == nil
    {
      let bound = try translation.scalar(right)
      let sql = try translation.scalar(value).holdsForValue {
        try translation.comparison($0, bound, by: op)
      }
      return .holds(sql)
    }
    if let ranks = Ranks(of: LHS.Output.self) {
      return .holds(try translation.comparison(left, right, by: op, by: ranks))
    }
    let sql = try translation.comparison(
      translation.scalar(left),
      translation.scalar(right),
      by: op
    )
    return .holds(sql)
  }
}

extension PredicateExpressions.ComparisonOperator {
  func compare<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .lessThan: left < right
    case .lessThanOrEqual: left <= right
    case .greaterThan: left > right
    case .greaterThanOrEqual: left >= right
    @unknown default: false
    }
  }

  var sql: SQLQuery {
    switch self {
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    @unknown default: "<"
    }
  }
}

/// The types for which the order of the stored forms is the order of the values.
private let orderedTypes: [any Any.Type] = [
  Int.self, Int8.self, Int16.self, Int32.self, Int64.self,
  UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
  Float16.self, Float.self, Double.self, Date.self, Decimal.self, String.self, UUID.self,
]

extension SQLScalar {
  var isOrdered: Bool { orderedTypes.contains { $0 == swiftType } }

  var collation: SQLQuery {
    switch type {
    case .string: " COLLATE SWIFT"
    case .decimal: " COLLATE DECIMAL"
    default: ""
    }
  }
}

extension SQLTranslation {
  /// The condition that one value is before or after another; the values must not be nil.
  func comparison(
    _ left: SQLScalar,
    _ right: SQLScalar,
    by op: PredicateExpressions.ComparisonOperator
  ) throws -> SQLQuery {
    guard left.isOrdered, left.swiftType == right.swiftType else {
      throw NotTranslatable.operands("\(left.swiftType)")
    }
    if let sql = emptiness(left, right, by: op) { return sql }
    if left.reach != nil, isConstant(right) {
      return try left.holds { try comparison($0, right, by: op) }
    }
    if right.reach != nil, isConstant(left) {
      return try right.holds { try comparison(left, $0, by: op) }
    }
    let plain: SQLQuery = "\(left.sql) \(op.sql) \(right.sql)\(left.collation)"
    guard left.type.form.isReal else { return plain }
    // NaN is stored as a text. In SQLite a text is greater than all numbers; in Swift NaN has no
    // order. So a NaN on the greater side must be excluded.
    let greater: SQLScalar
    let smaller: SQLScalar
    switch op {
    case .lessThan, .lessThanOrEqual: (smaller, greater) = (left, right)
    default: (smaller, greater) = (right, left)
    }
    if isNotANumber(left) || isNotANumber(right) { return .false }
    // The greater side is a number, so a text on the smaller side never satisfies the comparison.
    if isConstant(greater) { return plain }
    let infinity: SQLQuery = "\(bind: .real(.infinity))"
    if isConstant(smaller) || op == .lessThan || op == .greaterThan {
      return "(\(plain) AND \(greater.sql) <= \(infinity))"
    }
    return "(\(plain) AND \(left.sql) <= \(infinity) AND \(right.sql) <= \(infinity))"
  }

  private func isConstant(_ scalar: SQLScalar) -> Bool { scalar.sql.text == "?" }

  private func isNotANumber(_ scalar: SQLScalar) -> Bool {
    isConstant(scalar) && scalar.sql.bindings == [.text(notANumber)]
  }

  /// The condition for a comparison that only asks whether the number of rows is zero; nil for
  /// other comparisons.
  private func emptiness(
    _ left: SQLScalar,
    _ right: SQLScalar,
    by op: PredicateExpressions.ComparisonOperator
  ) -> SQLQuery? {
    func constant(_ scalar: SQLScalar) -> Int64? {
      guard isConstant(scalar), case .integer(let number) = scalar.sql.bindings.first else {
        return nil
      }
      return number
    }
    guard let isPositive = left.isPositive, let number = constant(right) else {
      guard right.isPositive != nil, constant(left) != nil else { return nil }
      return emptiness(right, left, by: op.turned)
    }
    switch (op, number) {
    case (.greaterThan, 0), (.greaterThanOrEqual, 1): return isPositive
    case (.lessThan, 1), (.lessThanOrEqual, 0): return isPositive.negated
    default: return nil
    }
  }

  func comparison(
    _ left: SQLTerm,
    _ right: SQLTerm,
    by op: PredicateExpressions.ComparisonOperator,
    by ranks: Ranks
  ) throws -> SQLQuery {
    "\(try rank(left, by: ranks)) \(op.sql) \(try rank(right, by: ranks))"
  }

  /// The position of a value among all values of its type.
  func rank(_ term: SQLTerm, by ranks: Ranks) throws -> SQLQuery {
    if case .constant(let value) = term {
      let stored = try unwrapped(value).map(ranks.codec.encode) ?? .null
      guard let rank = ranks.rank[stored] else {
        throw NotTranslatable.operands("a value that is not among all cases")
      }
      return "\(bind: .integer(Int64(rank)))"
    }
    let sql: SQLQuery
    if case .document(let document) = term {
      sql = document.sql
    } else {
      sql = try scalar(term).sql
    }
    return ranks.sql(of: sql)
  }
}

/// The order of the values of a type that lists all its values.
struct Ranks {
  let codec: AttributeCodec
  let rank: [Value: Int]

  /// The order of a type; nil if the stored forms already have this order, or if the type does not
  /// list its values.
  init?(of type: Any.Type) {
    guard !orderedTypes.contains(where: { $0 == type }),
      let cases = type as? any (CaseIterable & Comparable).Type,
      let codec = AttributeCodec.of(type)
    else { return nil }
    self.codec = codec
    guard let rank = Self.rank(cases, codec: codec) else { return nil }
    self.rank = rank
  }

  private static func rank<T: CaseIterable & Comparable>(
    _ type: T.Type,
    codec: AttributeCodec
  ) -> [Value: Int]? {
    var ranks: [Value: Int] = [:]
    var rank = 0
    var previous: T?
    for value in T.allCases.sorted() {
      if let previous, previous < value { rank += 1 }
      previous = value
      // No row contains a value that can't be stored.
      guard let stored = try? codec.encode(value) else { return nil }
      ranks[stored] = rank
    }
    return ranks.count > 200 ? nil : ranks
  }

  func sql(of value: SQLQuery) -> SQLQuery {
    let cases = rank.sorted { $0.value < $1.value }.map { stored, rank in
      "WHEN \(bind: stored) THEN \(sql: String(rank))" as SQLQuery
    }
    return "CASE \(value) \(SQLQuery.joined(cases, separator: " ")) END"
  }
}
