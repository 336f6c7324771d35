import Format
import Store

/// Operations that SQL does not have: reading a property of a value, converting JSON to a stored
/// form, and comparing values.
///
/// SQL identifies each operation by a number. The list of operations can't grow without limit,
/// because key paths and types are constants of a program.
final class ValueFunctions: Sendable {
  static let shared = ValueFunctions()

  private enum Key: Hashable, Sendable {
    case property(ConstantKeyPath)
    case decoding(ObjectIdentifier)
    case equality(ObjectIdentifier)
  }

  private struct State {
    var numbers: [Key: Int] = [:]
    var functions: [any ValueFunction] = []
  }

  private let state = Guarded(State())

  func function(_ number: Int) -> (any ValueFunction)? {
    state.withLock { $0.functions.indices.contains(number) ? $0.functions[number] : nil }
  }

  func property(_ keyPath: AnyKeyPath) -> PropertyFunction? {
    let root = type(of: keyPath).rootType
    let result = type(of: keyPath).valueType
    guard let input = AttributeCodec.of(root), let output = AttributeCodec.of(result) else {
      return nil
    }
    let path = ConstantKeyPath(keyPath)
    let number = number(
      of: .property(path),
      function: PropertyReading(path: path, input: input, output: output)
    )
    return PropertyFunction(number: number, output: output, type: unwrappedType(result))
  }

  /// The number of the operation that converts JSON of a type to its stored form.
  func decoding(of type: Any.Type) -> Int64? {
    guard let decodable = type as? any Decodable.Type, let codec = AttributeCodec.of(type) else {
      return nil
    }
    func make<T: Decodable>(_: T.Type) -> any ValueFunction { Decoding<T>(codec: codec) }
    return Int64(number(of: .decoding(ObjectIdentifier(type)), function: make(decodable)))
  }

  /// The number of the operation that compares two texts as values of a type; nil if the type is
  /// not `Equatable`.
  func equality(of type: Any.Type) -> Int64? {
    guard let comparable = type as? any (Equatable & Decodable).Type else { return nil }
    func make<T: Equatable & Decodable>(_: T.Type) -> any ValueFunction { Equality<T>() }
    return Int64(number(of: .equality(ObjectIdentifier(type)), function: make(comparable)))
  }

  private func number(of key: Key, function: any ValueFunction) -> Int {
    state.withLock { state in
      if let number = state.numbers[key] { return number }
      state.functions.append(function)
      state.numbers[key] = state.functions.count - 1
      return state.functions.count - 1
    }
  }
}

/// A key path literal of the program.
///
/// The closure captures nothing, so it is Sendable.
struct ConstantKeyPath: Hashable, @unchecked Sendable {
  let keyPath: AnyKeyPath

  init(_ keyPath: AnyKeyPath) { self.keyPath = keyPath }
}

protocol ValueFunction: Sendable {
  func value(of value: Value) throws -> Value
  /// Whether two texts represent equal values; `decoded` caches the second value.
  func areEqual(_ left: String, _ right: String, decoded: inout Any?) throws -> Bool
}

extension ValueFunction {
  func value(of value: Value) throws -> Value { .null }
  func areEqual(_ left: String, _ right: String, decoded: inout Any?) throws -> Bool { false }
}

private struct PropertyReading: ValueFunction {
  let path: ConstantKeyPath
  let input: AttributeCodec
  let output: AttributeCodec

  func value(of value: Value) throws -> Value {
    func read<Root>(_ root: Root) -> Any? { root[keyPath: path.keyPath] }
    guard let part = read(try input.decode(value)) else { return .null }
    return try output.encode(part)
  }
}

// The closures contain types but no values.

private struct Decoding<T: Decodable>: ValueFunction, @unchecked Sendable {
  let codec: AttributeCodec

  func value(of value: Value) throws -> Value {
    guard case .text(let text) = value else { return .null }
    return try codec.encode(try CompositeCoder.decode(T.self, from: text))
  }
}

private struct Equality<T: Equatable & Decodable>: ValueFunction, @unchecked Sendable {
  func areEqual(_ left: String, _ right: String, decoded: inout Any?) throws -> Bool {
    let second: T
    if let known = decoded as? T {
      second = known
    } else {
      second = try CompositeCoder.decode(T.self, from: right)
      decoded = second
    }
    return try CompositeCoder.decode(T.self, from: left) == second
  }
}

struct PropertyFunction {
  let number: Int
  let output: AttributeCodec
  let type: Any.Type

  func term(of value: SQLQuery, isNullable: Bool, strictIn: Set<VariableID>) -> SQLTerm {
    let sql: SQLQuery = "swift_value(\(sql: String(number)), \(value))"
    let canBeNull = isNullable || output.isOptional
    if output.type == .json {
      return .document(
        SQLDocument(sql: sql, swiftType: type, isNullable: canBeNull, strictIn: strictIn)
      )
    }
    return .scalar(
      SQLScalar(
        sql: sql,
        type: output.type,
        swiftType: type,
        isNullable: canBeNull,
        strictIn: strictIn
      )
    )
  }
}

/// Caches the decoded values that a connection compares with; usually only the constant of a
/// predicate.
final class EqualityCache {
  private var number = -1
  private var text = ""
  private var decoded: Any?

  func areEqual(_ number: Int, _ left: String, _ right: String) throws -> Bool {
    if number != self.number || text != right {
      self.number = number
      text = right
      decoded = nil
    }
    let function = ValueFunctions.shared.function(number)
    return try function?.areEqual(left, right, decoded: &decoded) ?? false
  }
}
