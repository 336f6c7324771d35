import Format
import Store

extension PredicateExpressions.Arithmetic: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let operation: ArithmeticOperation =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: throw NotTranslatable.node(nodeName(self))
      }
    return try translation.arithmetic(operation, lhs, rhs)
  }
}

extension PredicateExpressions.IntDivision: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.arithmetic(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.IntRemainder: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.arithmetic(.remainder, lhs, rhs)
  }
}

extension PredicateExpressions.FloatDivision: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.arithmetic(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.UnaryMinus: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let operand = try translation.scalar(translation.term(wrapped))
    return try translation.arithmetic(.negate, operand, operand)
  }
}

extension SQLTranslation {
  fileprivate mutating func arithmetic<Left: PredicateExpression, Right: PredicateExpression>(
    _ operation: ArithmeticOperation,
    _ left: Left,
    _ right: Right
  ) throws -> SQLTerm {
    try arithmetic(operation, scalar(term(left)), scalar(term(right)))
  }

  /// The result of an arithmetic operation, as in Swift: overflow and division by zero are errors.
  fileprivate func arithmetic(
    _ operation: ArithmeticOperation,
    _ left: SQLScalar,
    _ right: SQLScalar
  ) throws -> SQLTerm {
    guard left.type == right.type, left.swiftType == right.swiftType,
      let type = ArithmeticType.of(left.swiftType)
    else { throw NotTranslatable.operands("\(left.swiftType) and \(right.swiftType)") }
    var result = left
    result.strictIn = []
    result.isPositive = nil
    result.isNullable = false
    if type.isPlain, operation == .divide || operation == .remainder, right.sql.text == "?",
      case .integer(let divisor) = right.sql.bindings.first, divisor != 0, divisor != -1
    {
      // SQLite truncates integers in the same way as Swift, and this operation can't fail.
      result.sql = "(\(left.sql) \(operation == .divide ? "/" : "%") \(right.sql))"
      return .scalar(result)
    }
    let code = operation.rawValue * 100 + type.rawValue
    result.sql = "swift_arithmetic(\(sql: String(code)), \(left.sql), \(right.sql))"
    if !type.isFloating { result.sql.canFail = true }
    return .scalar(result)
  }
}

enum ArithmeticOperation: Int {
  case add, subtract, multiply, divide, remainder, negate
}

/// The types of numbers in arithmetic; SQL contains the raw value of a type.
enum ArithmeticType: Int, CaseIterable {
  case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
  case float16, float, double, decimal

  static func of(_ type: Any.Type) -> ArithmeticType? { allCases.first { $0.type == type } }

  var type: any _AttributeValue.Type {
    switch self {
    case .int: Int.self
    case .int8: Int8.self
    case .int16: Int16.self
    case .int32: Int32.self
    case .int64: Int64.self
    case .uint: UInt.self
    case .uint8: UInt8.self
    case .uint16: UInt16.self
    case .uint32: UInt32.self
    case .uint64: UInt64.self
    case .float16: Float16.self
    case .float: Float.self
    case .double: Double.self
    case .decimal: Decimal.self
    }
  }

  var isFloating: Bool {
    switch self {
    case .float16, .float, .double, .decimal: true
    default: false
    }
  }

  /// Whether SQLite's integers can represent all values of the type.
  var isPlain: Bool {
    switch self {
    case .uint, .uint64: false
    default: !isFloating
    }
  }
}
