import Format
import Store

extension PredicateExpressions.KeyPath: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let root = try translation.term(self.root)
    switch root {
    case .object(let object): return try translation.property(keyPath, of: object)
    case .collection(let collection):
      switch kind {
      case .collectionCount: return .scalar(.count(of: collection))
      case .collectionIsEmpty:
        return .holds(collection.exists.negated, presence: collection.presence)
      default: break
      }
    case .elements(let elements):
      switch kind {
      case .collectionCount: return .scalar(.count(of: elements.map(\.condition)))
      case .collectionIsEmpty:
        return .holds(.any(elements.map(\.condition)).negated)
      default: break
      }
    case .scalar(let scalar):
      if let term = try property(of: scalar) { return term }
    case .document(let document):
      if let term = try property(of: document) { return term }
    case .history(let term): return try translation.property(keyPath, of: term)
    case .condition, .constant: break
    }
    throw NotTranslatable.operands("\(Output.self) of \(root.kind)")
  }

  private func property(of scalar: SQLScalar) throws -> SQLTerm? {
    guard scalar.type != .transformed else { return nil }
    var result = scalar
    result.swiftType = unwrappedType(Output.self)
    // The column of an enumeration already contains its raw value.
    if isRawValue { return .scalar(result) }
    if scalar.swiftType == String.self {
      switch kind {
      case .collectionCount:
        result.sql = "swift_count(\(scalar.sql))"
        result.type = .int64
        result.isPositive = "\(scalar.sql) <> ''"
        return .scalar(result)
      case .collectionIsEmpty:
        return .holds("\(scalar.sql) = ''", presence: scalar.presence)
      default: break
      }
    }
    if keyPath as AnyKeyPath == \Date.timeIntervalSinceReferenceDate
      || keyPath as AnyKeyPath == \UUID.uuidString
    {
      result.type = scalar.type == .uuid ? .string : .double
      return .scalar(result)
    }
    guard let function = ValueFunctions.shared.property(keyPath) else { return nil }
    return function.term(of: scalar.sql, isNullable: scalar.isNullable, strictIn: scalar.strictIn)
  }

  private func property(of document: SQLDocument) throws -> SQLTerm? {
    if document.swiftType is any ArrayType.Type {
      switch kind {
      case .collectionCount:
        return .scalar(
          SQLScalar(
            sql: "json_array_length(\(document.sql))",
            type: .int64,
            swiftType: Int.self,
            isNullable: document.isNullable,
            strictIn: document.strictIn,
            isPositive: "\(document.sql) <> '[]'"
          )
        )
      case .collectionIsEmpty:
        return .holds("\(document.sql) = '[]'", presence: document.presence)
      default: break
      }
    }
    if let term = JSONPath.of(keyPath)?.term(in: document) { return term }
    guard let function = ValueFunctions.shared.property(keyPath) else { return nil }
    return function.term(
      of: document.sql,
      isNullable: document.isNullable,
      strictIn: document.strictIn
    )
  }

  private var isRawValue: Bool {
    func compare<T: RawRepresentable>(_: T.Type) -> Bool {
      keyPath as AnyKeyPath == \T.rawValue
        || (Output.self == T.RawValue.self && "\(keyPath)" == "\(\T.rawValue)")
    }
    guard let type = Root.Output.self as? any RawRepresentable.Type else { return false }
    return compare(type)
  }
}

protocol ArrayType {
  static var elementType: Any.Type { get }
}

extension Array: ArrayType {
  static var elementType: Any.Type { Element.self }
}

extension SQLScalar {
  static func count(of collection: SQLCollection) -> SQLScalar {
    var sql = collection.count
    if let presence = collection.presence { sql = "CASE WHEN \(presence) THEN \(sql) END" }
    return SQLScalar(
      sql: sql,
      type: .int64,
      swiftType: Int.self,
      isNullable: collection.presence != nil,
      isPositive: collection.presence == nil ? collection.exists : nil
    )
  }

  static func count(of conditions: [SQLQuery]) -> SQLScalar {
    func sum(_ conditions: ArraySlice<SQLQuery>) -> SQLQuery {
      guard let first = conditions.first else { return "0" }
      if conditions.count == 1 { return "(\(first))" }
      let middle = conditions.startIndex + conditions.count / 2
      return "(\(sum(conditions[..<middle])) + \(sum(conditions[middle...])))"
    }
    return SQLScalar(
      sql: sum(conditions[...]),
      type: .int64,
      swiftType: Int.self,
      isNullable: false,
      isPositive: .any(conditions)
    )
  }
}

extension PredicateExpressions.Variable: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    guard let term = translation.term(of: key) else {
      throw NotTranslatable.operands("a variable without a value")
    }
    return term
  }
}

extension PredicateExpressions.Value: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm { .constant(value) }
}

extension PredicateExpressions.NilLiteral: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    .constant(Wrapped?.none as Any)
  }
}
