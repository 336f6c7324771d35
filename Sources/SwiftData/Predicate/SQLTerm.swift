import Changes
import Store

typealias VariableID = PredicateExpressions.VariableID

/// What a node of a predicate is in SQL.
indirect enum SQLTerm {
  /// A value that does not depend on any row, as Swift evaluates it.
  case constant(Any)
  /// True, false, or nil.
  case condition(SQLCondition)
  /// A value in its stored form, or NULL for nil.
  case scalar(SQLScalar)
  /// A `Codable` value as JSON text, or NULL for nil.
  case document(SQLDocument)
  /// An object, or its identifier.
  case object(SQLObject)
  /// Rows: the objects of a relationship.
  case collection(SQLCollection)
  /// A captured collection, some of whose elements are in it only under a condition.
  case elements([(value: Any, condition: SQLQuery)])
  /// A part of the history of a store.
  case history(HistoryTerm)
}

/// A condition that is 1 or 0 wherever it is present.
struct SQLCondition {
  var sql: SQLQuery
  /// Holds where the value isn't nil; nil for a value that never is.
  var presence: SQLQuery?

  /// Whether the value is true, which nil is not.
  var isTrue: SQLQuery { presence.map { $0.and(sql) } ?? sql }
  /// Whether the value is false, which nil is not.
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
  /// The declared type, with no optional around it.
  var swiftType: Any.Type
  var isNullable: Bool
  /// The variables whose being NULL makes this NULL too.
  var strictIn: Set<VariableID> = []
  /// For a number of rows: holds where there is at least one.
  var isPositive: SQLQuery?
  /// The column that `sql` reads by way of other rows.
  var reach: SQLReach?
  /// The operands of `a ?? b` with a constant b.
  var coalesced: (value: SQLTerm, fallback: Any)?
  /// Whether it is a column of the row of the query by which an index finds rows.
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
  /// The row, or NULL for nil.
  var id: SQLQuery { didSet { path = nil } }
  var entity: EntityDescription
  /// The alias under which the row itself is at hand.
  var alias: String?
  var isNullable: Bool
  /// True for the `PersistentIdentifier` of the object in the place of the object.
  var isIdentifier = false
  var strictIn: Set<VariableID> = []
  /// How the row of the query leads to this one.
  var path: SQLPath?

  var presence: SQLQuery? {
    guard isNullable else { return nil }
    guard let path, path.steps.count > 1 else { return "\(id) IS NOT NULL" }
    return path.presence
  }
}

extension SQLObject {
  /// The same object by another expression for its row.
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
  /// What stands after FROM.
  var source: SQLQuery
  var condition: SQLQuery
  /// One of the rows.
  var element: SQLTerm
  /// Holds where the collection isn't nil; nil for one that never is.
  var presence: SQLQuery?

  var exists: SQLQuery { "EXISTS (SELECT 1 FROM \(source) WHERE \(condition))" }
  var count: SQLQuery { "(SELECT COUNT(*) FROM \(source) WHERE \(condition))" }

  /// The rows for which a further condition holds.
  func filtered(_ further: SQLQuery) -> SQLCollection {
    var copy = self
    copy.condition = condition.and(further)
    return copy
  }
}

extension SQLTerm {
  /// A condition, and where it is present if not everywhere.
  static func holds(_ sql: SQLQuery, presence: SQLQuery? = nil) -> SQLTerm {
    .condition(SQLCondition(sql: sql, presence: presence))
  }

  /// Holds where the value isn't nil; nil for a value that never is.
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

  /// Holds where the value is nil; in a form for which SQLite uses an index, if there is one.
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

  /// True if the value is NULL wherever the variable is.
  func isStrict(in variable: VariableID) -> Bool {
    switch self {
    case .scalar(let scalar): scalar.strictIn.contains(variable)
    case .document(let document): document.strictIn.contains(variable)
    case .object(let object): object.strictIn.contains(variable)
    case .constant, .condition, .collection, .elements, .history: false
    }
  }

  /// The value as one that isn't nil, and the variable that holds it, if one does.
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

  /// What it is, for messages.
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
