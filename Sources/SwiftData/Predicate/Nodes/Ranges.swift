extension PredicateExpressions.RangeExpressionContains: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let bounds: RangeBounds
    if let known = translation.constant(range) {
      guard let range = known as? any BoundedRange else {
        throw NotTranslatable.operands("\(RangeExpression.Output.self)")
      }
      bounds = range.bounds
    } else if let range = range as? any RangeNode {
      bounds = try range.bounds(in: &translation)
    } else {
      throw NotTranslatable.operands(nodeName(range))
    }
    let element = try translation.term(self.element)
    return .holds(try translation.contains(bounds, element: element))
  }
}

struct RangeBounds {
  var lower: SQLTerm?
  var upper: SQLTerm?
  var includesUpper = false
  /// Whether the lower bound may be greater than the upper one, which is an error in Swift.
  var mayBeBackwards = false
}

extension SQLTranslation {
  mutating func contains(_ bounds: RangeBounds, element: SQLTerm) throws -> SQLQuery {
    if case .history = element { return try contains(bounds, history: element) }
    let value = try scalar(element)
    if value.reach != nil, isConstant(bounds.lower), isConstant(bounds.upper) {
      return try value.holds { try contains(bounds, element: .scalar($0)) }
    }
    var result = SQLQuery.true
    if let lower = bounds.lower {
      result = try comparison(value, scalar(lower), by: .greaterThanOrEqual)
    }
    if let upper = bounds.upper {
      let last = try scalar(upper)
      result = result.and(
        try comparison(value, last, by: bounds.includesUpper ? .lessThanOrEqual : .lessThan)
      )
    }
    if bounds.mayBeBackwards, let lower = bounds.lower, let upper = bounds.upper {
      let forwards = try comparison(scalar(lower), scalar(upper), by: .lessThanOrEqual)
      result = ("swift_assert(\(forwards))" as SQLQuery).failing.and(result)
    }
    return result
  }
}

extension SQLTranslation {
  private func isConstant(_ bound: SQLTerm?) -> Bool {
    guard let bound else { return true }
    if case .constant = bound { return true }
    return false
  }

  /// The condition that a range contains a token or a time of history; the bounds must be
  /// constants.
  private func contains(_ bounds: RangeBounds, history element: SQLTerm) throws -> SQLQuery {
    func compare(
      _ bound: SQLTerm,
      by op: PredicateExpressions.ComparisonOperator
    ) throws -> SQLQuery {
      guard let sql = try historyComparison(element, bound, by: op) else {
        throw NotTranslatable.operands(element.kind)
      }
      return sql
    }
    guard !bounds.mayBeBackwards else { throw NotTranslatable.operands(element.kind) }
    let lower = try bounds.lower.map { try compare($0, by: .greaterThanOrEqual) } ?? .true
    let upper = try bounds.upper.map {
      try compare($0, by: bounds.includesUpper ? .lessThanOrEqual : .lessThan)
    }
    return lower.and(upper ?? .true)
  }
}

protocol RangeNode {
  func bounds(in translation: inout SQLTranslation) throws -> RangeBounds
}

extension PredicateExpressions.Range: RangeNode {
  func bounds(in translation: inout SQLTranslation) throws -> RangeBounds {
    RangeBounds(
      lower: try translation.term(lower),
      upper: try translation.term(upper),
      mayBeBackwards: true
    )
  }
}

extension PredicateExpressions.ClosedRange: RangeNode {
  func bounds(in translation: inout SQLTranslation) throws -> RangeBounds {
    RangeBounds(
      lower: try translation.term(lower),
      upper: try translation.term(upper),
      includesUpper: true,
      mayBeBackwards: true
    )
  }
}

protocol BoundedRange {
  var bounds: RangeBounds { get }
}

extension Range: BoundedRange {
  var bounds: RangeBounds {
    RangeBounds(lower: .constant(lowerBound), upper: .constant(upperBound))
  }
}

extension ClosedRange: BoundedRange {
  var bounds: RangeBounds {
    RangeBounds(
      lower: .constant(lowerBound),
      upper: .constant(upperBound),
      includesUpper: true
    )
  }
}

extension PartialRangeFrom: BoundedRange {
  var bounds: RangeBounds { RangeBounds(lower: .constant(lowerBound)) }
}

extension PartialRangeThrough: BoundedRange {
  var bounds: RangeBounds { RangeBounds(upper: .constant(upperBound), includesUpper: true) }
}

extension PartialRangeUpTo: BoundedRange {
  var bounds: RangeBounds { RangeBounds(upper: .constant(upperBound)) }
}
