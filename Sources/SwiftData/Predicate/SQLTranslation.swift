import Store

protocol SQLNode {
  /// The SQL of the node; `translation` contains the variables.
  func term(in translation: inout SQLTranslation) throws -> SQLTerm
}

struct SQLTranslation {
  let map: EntityMap
  let sources: SQLSources
  private var variables: [VariableID: SQLTerm] = [:]
  private var bindings = PredicateBindings()
  private var aliases = 0

  init(map: EntityMap, sources: SQLSources) {
    self.map = map
    self.sources = sources
  }

  mutating func alias() -> String {
    aliases += 1
    return "t\(aliases)"
  }

  mutating func bind<T>(_ variable: PredicateExpressions.Variable<T>, to term: SQLTerm) {
    variables[variable.key] = term
    if case .constant(let value) = term, let typed = value as? T {
      bindings[variable] = typed
    } else {
      bindings[variable] = nil
    }
  }

  func term(of variable: VariableID) -> SQLTerm? { variables[variable] }

  /// The SQL of an expression.
  ///
  /// If the expression does not depend on the row, Swift evaluates it.
  mutating func term<E: PredicateExpression>(_ expression: E) throws -> SQLTerm {
    if let constant = constant(expression) { return .constant(constant) }
    guard let node = expression as? any SQLNode else {
      throw NotTranslatable.node(nodeName(expression))
    }
    return try NotTranslatable.naming(nodeName(expression)) { try node.term(in: &self) }
  }

  /// The value of an expression that does not depend on the row; nil for other expressions.
  func constant<E: PredicateExpression>(_ expression: E) -> E.Output? {
    // Evaluating throws if the expression uses a variable of the row, or if the evaluation fails.
    // The translation of the node handles both cases.
    try? expression.evaluate(bindings)
  }

  mutating func condition<E: PredicateExpression>(_ expression: E) throws -> SQLCondition {
    let term = try term(expression)
    return try NotTranslatable.naming(nodeName(expression)) { try condition(term) }
  }

  func condition(_ term: SQLTerm) throws -> SQLCondition {
    switch term {
    case .condition(let condition): return condition
    case .constant(let value):
      guard let known = unwrapped(value) else {
        return SQLCondition(sql: .false, presence: .false)
      }
      guard let bool = known as? Bool else { break }
      return SQLCondition(sql: .bool(bool))
    case .scalar(let scalar) where scalar.type == .bool:
      return SQLCondition(sql: scalar.holds { $0.sql }, presence: scalar.presence)
    default: break
    }
    throw NotTranslatable.operands(term.kind)
  }

  func scalar(_ term: SQLTerm) throws -> SQLScalar {
    switch term {
    case .scalar(let scalar): return scalar
    case .constant(let value):
      if let scalar = try scalar(constant: value) { return scalar }
    case .condition(let condition):
      let sql = condition.presence.map { "CASE WHEN \($0) THEN \(condition.sql) END" as SQLQuery }
      return SQLScalar(
        sql: sql ?? condition.sql,
        type: .bool,
        swiftType: Bool.self,
        isNullable: condition.presence != nil
      )
    default: break
    }
    throw NotTranslatable.operands(term.kind)
  }

  private func scalar(constant value: Any) throws -> SQLScalar? {
    let known = unwrapped(value)
    let type = known.map { Swift.type(of: $0) } ?? unwrappedType(Swift.type(of: value))
    guard let codec = AttributeCodec.of(type), codec.type != .json else { return nil }
    guard let known else {
      return SQLScalar(sql: .null, type: codec.type, swiftType: type, isNullable: true)
    }
    return SQLScalar(
      sql: "\(bind: try codec.encode(known))",
      type: codec.type,
      swiftType: type,
      isNullable: false
    )
  }

  func document(_ term: SQLTerm) throws -> SQLDocument {
    switch term {
    case .document(let document): return document
    case .constant(let value):
      let known = unwrapped(value)
      let type = known.map { Swift.type(of: $0) } ?? unwrappedType(Swift.type(of: value))
      guard let codec = AttributeCodec.of(type), codec.type == .json else { break }
      guard let known else {
        return SQLDocument(sql: .null, swiftType: type, isNullable: true)
      }
      return SQLDocument(
        sql: "\(bind: try codec.encode(known))",
        swiftType: type,
        isNullable: false
      )
    default: break
    }
    throw NotTranslatable.operands(term.kind)
  }
}

/// For each file with nodes, a node of the file.
///
/// Only the runtime finds the nodes' conformances. A linker takes a file of a static archive only if
/// other code refers to it, and this list refers to each file.
package var linkedNodes: [Any.Type] {
  typealias Nodes = PredicateExpressions
  typealias Number = PredicateExpressions.Value<Int>
  typealias Text = PredicateExpressions.Value<String>
  let nodes: [any SQLNode.Type] = [
    Nodes.Negation<Nodes.Value<Bool>>.self,
    Nodes.ForcedUnwrap<Nodes.Value<Int?>, Int>.self,
    Nodes.UnaryMinus<Number>.self,
    Nodes.Equal<Number, Number>.self,
    Nodes.SequenceContains<Nodes.Value<[Int]>, Number>.self,
    Nodes.ForceCast<Number, Int>.self,
    Nodes.RangeExpressionContains<Nodes.Value<Range<Int>>, Number>.self,
    Nodes.SequenceMinimum<Nodes.Value<[Int]>>.self,
    Nodes.Comparison<Number, Number>.self,
    Nodes.SequenceStartsWith<Text, Text>.self,
    Nodes.NilLiteral<Int>.self,
    Nodes._PredicateEvaluation<Number>.self,
  ]
  return nodes
}

/// The name of a node's type, without generic arguments.
func nodeName<E>(_ expression: E) -> String {
  var name = String(describing: E.self)
  if let generic = name.firstIndex(of: "<") { name = String(name[..<generic]) }
  return name
}

func unwrappedType(_ type: Any.Type) -> Any.Type {
  (type as? any OptionalType.Type).map { unwrappedType($0.wrappedType) } ?? type
}
