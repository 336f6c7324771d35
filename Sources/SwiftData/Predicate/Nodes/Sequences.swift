import Format
import Store

extension PredicateExpressions.SequenceContains: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let sequence = try translation.term(self.sequence)
    let element = try translation.term(self.element)
    if case .constant(let value) = sequence, let range = unwrapped(value) as? any BoundedRange {
      return .holds(try translation.contains(range.bounds, element: element))
    }
    if case .scalar(let text) = sequence, text.swiftType == String.self,
      case .constant(let character as Character) = element
    {
      return .holds("swift_contains(\(text.sql), \(bind: .text(String(character))))")
    }
    let rows = try translation.rows(sequence)
    switch rows {
    case .collection(let collection):
      let same = try translation.equality(collection.element, element)
      return .holds(collection.filtered(same).exists, presence: collection.presence)
    case .elements(let elements) where elements.allSatisfy { $0.condition == .true }:
      let values = elements.map(\.value)
      return .holds(try translation.membership(element, in: values))
    case .elements(let elements):
      return .holds(
        .any(
          try elements.map {
            $0.condition.and(try translation.equality(element, .constant($0.value)))
          }
        )
      )
    default: throw NotTranslatable.operands(sequence.kind)
    }
  }
}

extension PredicateExpressions.SequenceContainsWhere: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    switch try translation.tested(sequence, variable: variable, by: test) {
    case .collection(let collection):
      return .holds(collection.exists, presence: collection.presence)
    case .elements(let elements):
      return .holds(.any(elements.map(\.condition)))
    case let other: throw NotTranslatable.operands(other.kind)
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let failed = PredicateExpressions.Negation(test)
    switch try translation.tested(sequence, variable: variable, by: failed) {
    case .collection(let collection):
      return .holds(collection.exists.negated, presence: collection.presence)
    case .elements(let elements):
      return .holds(.any(elements.map(\.condition)).negated)
    case let other: throw NotTranslatable.operands(other.kind)
    }
  }
}

extension PredicateExpressions.Filter: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    try translation.tested(sequence, variable: variable, by: filter)
  }
}

extension SQLTranslation {
  /// The maximum number of elements of a captured collection; SQL has one condition for each
  /// element.
  private static let mostElements = 500

  mutating func rows(_ sequence: SQLTerm) throws -> SQLTerm {
    switch sequence {
    case .collection, .elements: return sequence
    case .constant(let value):
      guard let known = unwrapped(value) as? any Sequence else { break }
      return .elements(known.map { ($0, .true) })
    case .document(let document):
      if let collection = try elements(of: document) { return .collection(collection) }
    default: break
    }
    throw NotTranslatable.operands(sequence.kind)
  }

  mutating func tested<Elements: PredicateExpression, Element, Test: PredicateExpression>(
    _ sequence: Elements,
    variable: PredicateExpressions.Variable<Element>,
    by test: Test
  ) throws -> SQLTerm where Test.Output == Bool {
    switch try rows(term(sequence)) {
    case .collection(let collection):
      bind(variable, to: collection.element)
      return .collection(collection.filtered(try condition(test).sql))
    case .elements(let elements):
      guard elements.count <= Self.mostElements else {
        throw NotTranslatable.operands("more than \(Self.mostElements) captured elements")
      }
      return .elements(
        try elements.map { element in
          bind(variable, to: .constant(element.value))
          return (element.value, element.condition.and(try condition(test).sql))
        }
      )
    case let other: throw NotTranslatable.operands(other.kind)
    }
  }

  mutating func membership(_ element: SQLTerm, in values: [Any]) throws -> SQLQuery {
    switch element {
    case .object(let object): return try membership(object, in: values)
    case .scalar(let scalar) where scalar.type != .bool:
      return try membership(scalar, in: values)
    default:
      guard values.count <= Self.mostElements else {
        throw NotTranslatable.operands("more than \(Self.mostElements) captured elements")
      }
      return .any(try values.map { try equality(element, .constant($0)) })
    }
  }

  private mutating func membership(_ object: SQLObject, in values: [Any]) throws -> SQLQuery {
    var rows: [Value] = []
    var hasNil = false
    for value in values {
      if unwrapped(value) == nil {
        hasNil = true
      } else if let (other, _) = try objects(.constant(value), .object(object)),
        let row = other.id.bindings.first, row != .integer(0)
      {
        rows.append(row)
      }
    }
    var found: SQLQuery = rows.isEmpty ? .false : "\(object.id) IN \(list(rows))"
    guard let presence = object.presence else { return found }
    if !rows.isEmpty { found = presence.and(found) }
    return hasNil ? presence.negated.or(found) : found
  }

  /// The elements of an array that is stored as JSON; nil for other types.
  private mutating func elements(of document: SQLDocument) throws -> SQLCollection? {
    guard let array = document.swiftType as? any SequenceDocument.Type,
      let codec = AttributeCodec.of(array.documentElement)
    else { return nil }
    let type = unwrappedType(array.documentElement)
    let alias = self.alias()
    let text: SQLQuery = "(\(document.sql) -> \(sql: alias).fullkey)"
    let element: SQLTerm
    if codec.type == .json {
      let sql: SQLQuery = codec.isOptional ? "NULLIF(\(text), 'null')" : text
      element = .document(
        SQLDocument(sql: sql, swiftType: type, isNullable: codec.isOptional)
      )
    } else {
      guard let function = ValueFunctions.shared.decoding(of: array.documentElement) else {
        return nil
      }
      let exact: SQLQuery = "swift_value(\(bind: .integer(function)), \(text))"
      let sql = codec.jsonValue(
        plain: "\(sql: alias).value",
        exact: exact,
        document: document.sql,
        isBuiltIn: type is any _AttributeValue.Type
      )
      element = .scalar(
        SQLScalar(
          sql: sql,
          type: codec.type,
          swiftType: type,
          isNullable: codec.isOptional
        )
      )
    }
    return SQLCollection(
      source: "json_each(\(document.sql)) AS \(sql: alias)",
      condition: .true,
      element: element,
      presence: document.presence
    )
  }
}

/// The collections whose JSON is an array of their elements.
protocol SequenceDocument {
  static var documentElement: Any.Type { get }
}

extension Array: SequenceDocument {
  static var documentElement: Any.Type { Element.self }
}

extension Set: SequenceDocument {
  static var documentElement: Any.Type { Element.self }
}

extension Sequence {
  fileprivate func map<Result>(_ transform: (Any) -> Result) -> [Result] {
    var results: [Result] = []
    for element in self { results.append(transform(element as Any)) }
    return results
  }
}
