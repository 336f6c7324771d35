import Format
import Store

typealias VariableID = PredicateExpressions.VariableID

indirect enum SQLTerm {
  /// A value that is the same for all rows and that Swift has evaluated.
  case constant(Any)
  case condition(SQLCondition)
  /// A value in its stored form, or NULL for nil.
  case scalar(SQLScalar)
  /// A `Codable` value as JSON text, or NULL for nil.
  case document(SQLDocument)
  case object(SQLObject)
  case collection(SQLCollection)
  /// A captured collection; each element is included only if its condition holds.
  case elements([(value: Any, condition: SQLQuery)])
  case history(HistoryTerm)
}

/// A Boolean; its SQL is 1 or 0 if the value is not nil.
struct SQLCondition {
  var sql: SQLQuery
  /// The condition that the value is not nil; nil if the value is never nil.
  var presence: SQLQuery?

  /// The condition that the value is true and not nil.
  var isTrue: SQLQuery { presence.map { $0.and(sql) } ?? sql }
  /// The condition that the value is false and not nil.
  var isFalse: SQLQuery { presence.map { $0.and(sql.negated) } ?? sql.negated }
}

struct SQLScalar {
  var sql: SQLQuery {
    didSet {
      reach = nil
      coalesced = nil
      isIndexed = false
    }
  }
  var type: ValueType
  var swiftType: Any.Type
  var isNullable: Bool
  /// If one of these variables is NULL, the value is NULL.
  var strictIn: Set<VariableID> = []
  /// If the value is a number of rows: the condition that there is at least one row.
  var isPositive: SQLQuery?
  /// The column from which `sql` reads the value; nil unless this is a column of related rows.
  var reach: SQLReach?
  /// The operands if the value is `a ?? b` and b is a constant.
  var coalesced: (value: SQLTerm, fallback: Any)?
  /// Whether the value is an indexed column of the query's row.
  var isIndexed = false

  var presence: SQLQuery? {
    guard isNullable else { return nil }
    return reach?.presence ?? "\(sql) IS NOT NULL"
  }
}

struct SQLDocument {
  var sql: SQLQuery
  var swiftType: Any.Type
  var isNullable: Bool
  var strictIn: Set<VariableID> = []

  var presence: SQLQuery? { isNullable ? "\(sql) IS NOT NULL" : nil }
}

struct SQLObject {
  /// The row of the object; NULL for nil.
  var id: SQLQuery { didSet { path = nil } }
  var entity: EntityDescription
  /// The alias of the object's row, if that row is part of the query.
  var alias: String?
  var isNullable: Bool
  /// Whether the term is the object's `PersistentIdentifier` instead of the object itself.
  var isIdentifier = false
  var strictIn: Set<VariableID> = []
  var path: SQLPath?

  var presence: SQLQuery? {
    guard isNullable else { return nil }
    guard let path, path.steps.count > 1 else { return "\(id) IS NOT NULL" }
    return path.presence
  }
}

extension SQLObject {
  /// This object, with another expression for its row.
  func known(by id: SQLQuery, isNullable: Bool) -> SQLObject {
    var copy = self
    copy.id = id
    copy.alias = nil
    copy.isNullable = isNullable
    copy.strictIn = []
    return copy
  }
}

struct SQLCollection {
  var source: SQLQuery
  var condition: SQLQuery
  var element: SQLTerm
  /// The condition that the collection is not nil; nil if the collection is never nil.
  var presence: SQLQuery?

  var exists: SQLQuery { "EXISTS (SELECT 1 FROM \(source) WHERE \(condition))" }
  var count: SQLQuery { "(SELECT COUNT(*) FROM \(source) WHERE \(condition))" }

  func filtered(_ further: SQLQuery) -> SQLCollection {
    var copy = self
    copy.condition = condition.and(further)
    return copy
  }
}

extension SQLTerm {
  /// A Boolean term, from the SQL of the Boolean and the condition that the Boolean is not nil.
  static func holds(_ sql: SQLQuery, presence: SQLQuery? = nil) -> SQLTerm {
    .condition(SQLCondition(sql: sql, presence: presence))
  }

  /// The condition that the value is not nil; nil if the value is never nil.
  var presence: SQLQuery? {
    switch self {
    case .constant(let value): unwrapped(value) == nil ? .false : nil
    case .condition(let condition): condition.presence
    case .scalar(let scalar): scalar.presence
    case .document(let document): document.presence
    case .object(let object): object.presence
    case .collection(let collection): collection.presence
    case .elements, .history: nil
    }
  }

  /// The condition that the value is nil, in a form for which SQLite can use an index.
  var absence: SQLQuery {
    switch self {
    case .object(let object) where object.isNullable && (object.path?.steps.count ?? 0) < 2:
      return "\(object.id) IS NULL"
    case .scalar(let scalar) where scalar.isNullable && scalar.reach == nil:
      return "\(scalar.sql) IS NULL"
    case .scalar(let scalar) where scalar.isNullable:
      guard let reach = scalar.reach, !reach.isNullable, reach.path.steps.count == 1 else { break }
      return "\(reach.path.steps[0].id) IS NULL"
    default: break
    }
    return (presence ?? .true).negated
  }

  /// Whether the value is always NULL if the variable is NULL.
  func isStrict(in variable: VariableID) -> Bool {
    switch self {
    case .scalar(let scalar): scalar.strictIn.contains(variable)
    case .document(let document): document.strictIn.contains(variable)
    case .object(let object): object.strictIn.contains(variable)
    case .constant, .condition, .collection, .elements, .history: false
    }
  }

  /// The value of an optional that was tested for nil: it is not nil itself, and is NULL only if
  /// the variable is NULL.
  func bound(to variable: VariableID?) -> SQLTerm {
    let holders: Set<VariableID> = variable.map { [$0] } ?? []
    switch self {
    case .constant(let value): return .constant(unwrapped(value) as Any)
    case .condition(var condition):
      condition.presence = nil
      return .condition(condition)
    case .scalar(var scalar):
      scalar.isNullable = false
      scalar.strictIn.formUnion(holders)
      return .scalar(scalar)
    case .document(var document):
      document.isNullable = false
      document.strictIn.formUnion(holders)
      return .document(document)
    case .object(var object):
      object.isNullable = false
      object.strictIn.formUnion(holders)
      return .object(object)
    case .collection(var collection):
      collection.presence = nil
      return .collection(collection)
    case .elements, .history: return self
    }
  }

  var kind: String {
    switch self {
    case .constant: "a constant"
    case .condition: "a condition"
    case .scalar: "a value"
    case .document: "a Codable value"
    case .object(let object): object.isIdentifier ? "an identifier" : "an object"
    case .collection: "a relationship"
    case .elements: "a captured collection"
    case .history(let term): term.kind
    }
  }
}
