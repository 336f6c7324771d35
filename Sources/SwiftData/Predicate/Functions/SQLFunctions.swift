import Format
import SQLite
import Store

/// The functions and collations that the SQL of predicates and sort descriptors uses.
enum SQLFunctions {
  static func register(on connection: Connection) throws {
    try registerOrders(on: connection)
    try registerStrings(on: connection)
    try registerValues(on: connection)
  }

  private static func registerOrders(on connection: Connection) throws {
    try connection.addCollation("SWIFT", StringOrder.compare)
    try connection.addCollation("DECIMAL", DecimalOrder.compare)
    try connection.addCollation("LOCALIZED_STANDARD", LocalizedOrder.standard)
    try connection.addCollation("LOCALIZED", LocalizedOrder.localized)
  }

  private static func registerStrings(on connection: Connection) throws {
    try add("swift_count", argumentCount: 1, to: connection) {
      $0.isNull(at: 0) ? .null : .integer(Int64(StringFunctions.count($0)))
    }
    try connection.addTest("swift_contains", StringFunctions.contains)
    try connection.addTest("swift_starts", StringFunctions.starts)
    try connection.addTest("swift_localized_contains", StringFunctions.localizedContains)
    let patterns = PatternCache()
    try add("swift_matches", argumentCount: 2, to: connection) {
      hasNull($0) ? .null : .bool(try patterns.matches($0.string(at: 0), pattern: $0.string(at: 1)))
    }
    try add("swift_caseless_compare", argumentCount: 2, to: connection) {
      hasNull($0)
        ? .null
        : .integer(Int64($0.string(at: 0).caseInsensitiveCompare($0.string(at: 1)).rawValue))
    }
    try add("swift_localized_compare", argumentCount: 2, to: connection) {
      hasNull($0)
        ? .null
        : .integer(Int64($0.string(at: 0).localizedCompare($0.string(at: 1)).rawValue))
    }
  }

  private static func registerValues(on connection: Connection) throws {
    try add("swift_unwrap", argumentCount: 1, to: connection) {
      guard !$0.isNull(at: 0) else {
        throw EvaluationFailure("The predicate unwraps a value with ! that is nil in a row.")
      }
      return FunctionResult($0.value(at: 0))
    }
    try add("swift_assert", argumentCount: 1, to: connection) {
      guard $0.int64(at: 0) != 0 else {
        throw EvaluationFailure(
          "The lower bound of a range in the predicate is greater than the upper."
        )
      }
      return .integer(1)
    }
    try add("swift_arithmetic", argumentCount: 3, to: connection) {
      if $0.isNull(at: 1) || $0.isNull(at: 2) { return .null }
      return FunctionResult(
        try Arithmetic.result(
          of: Int($0.int64(at: 0)),
          $0.value(at: 1),
          $0.value(at: 2)
        )
      )
    }
    try add("swift_value", argumentCount: 2, to: connection) {
      if $0.isNull(at: 1) { return .null }
      let function = ValueFunctions.shared.function(Int($0.int64(at: 0)))
      return FunctionResult(try function?.value(of: $0.value(at: 1)) ?? .null)
    }
    let equality = EqualityCache()
    try add("swift_equal", argumentCount: 3, to: connection) {
      if $0.isNull(at: 1) || $0.isNull(at: 2) {
        return .bool($0.isNull(at: 1) && $0.isNull(at: 2))
      }
      return .bool(
        try equality.areEqual(Int($0.int64(at: 0)), $0.string(at: 1), $0.string(at: 2))
      )
    }
  }

  private static func add(
    _ name: String,
    argumentCount: Int,
    to connection: Connection,
    _ body: @escaping (FunctionArguments) throws -> FunctionResult
  ) throws {
    try connection.addFunction(
      name,
      argumentCount: argumentCount,
      isDeterministic: true,
      body
    )
  }

  private static func hasNull(_ arguments: FunctionArguments) -> Bool {
    arguments.isNull(at: 0) || arguments.isNull(at: 1)
  }
}

/// A failure that ends a query with an error; in Swift, the same failure would stop the program.
struct EvaluationFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension FunctionResult {
  static func bool(_ value: Bool) -> FunctionResult { .integer(value ? 1 : 0) }

  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .real(let real): self = .real(real)
    case .text(let text): self = .text(text)
    case .blob(let data): self = .blob(data)
    case .brokenText(let data): self = .text(String(decoding: data, as: UTF8.self))
    }
  }
}

extension FunctionArguments {
  func value(at index: Int) -> Value {
    switch type(at: index) {
    case .null: .null
    case .integer: .integer(int64(at: index))
    case .real: .real(double(at: index))
    case .text: .text(string(at: index))
    case .blob: .blob(data(at: index))
    }
  }
}
