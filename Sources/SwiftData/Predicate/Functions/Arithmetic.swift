import Format
import Store

enum Arithmetic {
  static func result(of code: Int, _ left: Value, _ right: Value) throws -> Value {
    guard let operation = ArithmeticOperation(rawValue: code / 100),
      let type = ArithmeticType(rawValue: code % 100)
    else { return .null }
    switch type {
    case .int: return try integer(Int.self, operation: operation, left, right)
    case .int8: return try integer(Int8.self, operation: operation, left, right)
    case .int16: return try integer(Int16.self, operation: operation, left, right)
    case .int32: return try integer(Int32.self, operation: operation, left, right)
    case .int64: return try integer(Int64.self, operation: operation, left, right)
    case .uint: return try integer(UInt.self, operation: operation, left, right)
    case .uint8: return try integer(UInt8.self, operation: operation, left, right)
    case .uint16: return try integer(UInt16.self, operation: operation, left, right)
    case .uint32: return try integer(UInt32.self, operation: operation, left, right)
    case .uint64: return try integer(UInt64.self, operation: operation, left, right)
    case .float16: return divided(Float16.self, operation: operation, left, right)
    case .float: return divided(Float.self, operation: operation, left, right)
    case .double: return divided(Double.self, operation: operation, left, right)
    case .decimal: return divided(Decimal.self, operation: operation, left, right)
    }
  }

  private static func integer<T: _StoredInteger>(
    _ type: T.Type,
    operation: ArithmeticOperation,
    _ left: Value,
    _ right: Value
  ) throws -> Value {
    guard let first = T._load(left), let second = T._load(right) else { return .null }
    let result: (partialValue: T, overflow: Bool)
    switch operation {
    case .add: result = first.addingReportingOverflow(second)
    case .subtract: result = first.subtractingReportingOverflow(second)
    case .multiply: result = first.multipliedReportingOverflow(by: second)
    case .negate: result = T.zero.subtractingReportingOverflow(first)
    case .divide, .remainder:
      guard second != 0 else {
        throw EvaluationFailure("The predicate divides by zero for a row.")
      }
      result =
        operation == .divide
        ? first.dividedReportingOverflow(by: second)
        : first.remainderReportingOverflow(dividingBy: second)
    }
    guard !result.overflow else {
      throw EvaluationFailure("The arithmetic of the predicate overflows for a row.")
    }
    return result.partialValue._stored
  }

  private static func divided<T: DividedNumber>(
    _ type: T.Type,
    operation: ArithmeticOperation,
    _ left: Value,
    _ right: Value
  ) -> Value {
    guard let first = T._load(left), let second = T._load(right) else { return .null }
    switch operation {
    case .add: return (first + second)._stored
    case .subtract: return (first - second)._stored
    case .multiply: return (first * second)._stored
    case .divide: return (first / second)._stored
    case .negate: return (-first)._stored
    case .remainder: return .null
    }
  }
}

/// A type of numbers whose division does not have a remainder.
private protocol DividedNumber: SignedNumeric, _AttributeValue {
  static func / (left: Self, right: Self) -> Self
}

extension Float16: DividedNumber {}
extension Float: DividedNumber {}
extension Double: DividedNumber {}
extension Decimal: DividedNumber {}
