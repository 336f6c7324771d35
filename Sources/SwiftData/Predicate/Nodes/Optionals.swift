extension PredicateExpressions.OptionalFlatMap: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let wrapped = try translation.term(self.wrapped)
    if case .constant(let value) = wrapped, unwrapped(value) == nil {
      return .constant(Result?.none as Any)
    }
    translation.bind(variable, to: wrapped.bound(to: variable.key))
    let result = try translation.term(transform)
    guard let presence = wrapped.presence else { return result }
    switch result {
    case .condition(var condition):
      condition.presence = condition.presence.map { presence.and($0) } ?? presence
      return .condition(condition)
    case .collection(var collection):
      collection.presence = collection.presence.map { presence.and($0) } ?? presence
      return .collection(collection)
    case .constant(let value):
      guard unwrapped(value) != nil else { return result }
      let missing = SQLTerm.constant(Result?.none as Any)
      return try translation.choice(presence, result, missing)
    case .scalar(var scalar):
      if !result.isStrict(in: variable.key) {
        scalar.sql = "CASE WHEN \(presence) THEN \(scalar.sql) END"
      }
      scalar.isNullable = true
      scalar.isPositive = nil
      return .scalar(scalar)
    case .document(var document):
      if !result.isStrict(in: variable.key) {
        document.sql = "CASE WHEN \(presence) THEN \(document.sql) END"
      }
      document.isNullable = true
      return .document(document)
    case .object(var object):
      if !result.isStrict(in: variable.key) {
        object.id = "CASE WHEN \(presence) THEN \(object.id) END"
        object.alias = nil
      }
      object.isNullable = true
      return .object(object)
    case .elements, .history:
      throw NotTranslatable.operands(result.kind)
    }
  }
}

extension PredicateExpressions.NilCoalesce: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let first = try translation.term(lhs)
    guard let presence = first.presence else { return first }
    let second = try translation.term(rhs)
    switch first {
    case .condition(let condition):
      let other = try translation.condition(second)
      if other.presence == nil, other.sql == .false {
        return .holds(condition.isTrue)
      }
      if other.presence == nil, other.sql == .true {
        return .holds(presence.negated.or(condition.sql))
      }
    case .collection(var collection):
      // If the owner is nil, the collection has no rows either, so `?? []` needs no SQL.
      guard case .constant(let value) = second, (value as? any Collection)?.isEmpty ?? false
      else { break }
      collection.presence = nil
      return .collection(collection)
    default: break
    }
    if !presence.canFail, case .scalar(var scalar) = first, scalar.type != .bool {
      let other = try translation.scalar(second)
      scalar.sql = "COALESCE(\(scalar.sql), \(other.sql))"
      if case .constant(let value) = second, let fallback = unwrapped(value) {
        scalar.coalesced = (first, fallback)
      }
      scalar.isNullable = other.isNullable
      scalar.strictIn = []
      return .scalar(scalar)
    }
    return try translation.choice(presence, first.bound(to: nil), second)
  }
}

extension PredicateExpressions.ForcedUnwrap: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let term = try translation.term(inner)
    guard term.presence != nil else { return term }
    switch term {
    case .scalar(var scalar):
      scalar.sql = ("swift_unwrap(\(scalar.sql))" as SQLQuery).failing
      scalar.isNullable = false
      scalar.strictIn = []
      return .scalar(scalar)
    case .document(var document):
      document.sql = ("swift_unwrap(\(document.sql))" as SQLQuery).failing
      document.isNullable = false
      document.strictIn = []
      return .document(document)
    case .object(let object):
      let id: SQLQuery = "swift_unwrap(\(object.id))"
      return .object(object.known(by: id.failing, isNullable: false))
    case .condition(let condition):
      let scalar = try translation.scalar(.condition(condition))
      return .holds(("swift_unwrap(\(scalar.sql))" as SQLQuery).failing)
    case .constant, .collection, .elements, .history:
      throw NotTranslatable.operands(term.kind)
    }
  }
}
