import Store

extension PredicateExpressions.Equal: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let left = try translation.term(lhs)
    let right = try translation.term(rhs)
    if case .constant(let first) = left, case .constant(let second) = right,
      let first = first as? LHS.Output, let second = second as? LHS.Output
    {
      return .constant(first == second)
    }
    // If the constant in `value ?? constant` does not equal the other side, comparing the value is
    // sufficient.
    if case .scalar(let scalar) = left, let (value, fallback) = scalar.coalesced,
      case .constant(let second as LHS.Output) = right, let fallback = fallback as? LHS.Output,
      fallback != second
    {
      return .holds(try translation.equality(value, right))
    }
    return .holds(try translation.equality(left, right))
  }
}

extension PredicateExpressions.NotEqual: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let equal = PredicateExpressions.Equal(lhs: lhs, rhs: rhs)
    switch try equal.term(in: &translation) {
    case .constant(let value): return .constant(!((value as? Bool) ?? false))
    case let term:
      return .holds(try translation.condition(term).sql.negated)
    }
  }
}

extension SQLTranslation {
  mutating func equality(_ left: SQLTerm, _ right: SQLTerm) throws -> SQLQuery {
    if case .constant(let value) = right, unwrapped(value) == nil {
      return left.absence
    }
    if case .constant(let value) = left, unwrapped(value) == nil {
      return right.absence
    }
    if let sql = try historyEquality(left, right) { return sql }
    if let (first, second) = try objects(left, right) { return sameObject(first, second) }
    if case .collection = left { throw NotTranslatable.operands(left.kind) }
    if case .collection = right { throw NotTranslatable.operands(right.kind) }
    if isDocument(left) || isDocument(right) {
      return try sameDocument(document(left), document(right), terms: left, right)
    }
    if isCondition(left) || isCondition(right) {
      return sameCondition(try condition(left), try condition(right))
    }
    if case .constant = left { return try equality(right, left) }
    let column = try scalar(left)
    if case .constant(let value) = right, let constant = unwrapped(value) {
      return try column.holds { try equality($0, constant: constant) }
        .narrow(column.isIndexed)
    }
    return try sameValue(column, scalar(right))
  }

  /// Both terms as objects; nil if neither of them is an object.
  func objects(_ left: SQLTerm, _ right: SQLTerm) throws -> (SQLObject, SQLObject)? {
    switch (left, right) {
    case (.object(let first), .object(let second)): return (first, second)
    case (.object(let object), .constant(let value)):
      return self.object(value, like: object).map { (object, $0) }
    case (.constant(let value), .object(let object)):
      return self.object(value, like: object).map { ($0, object) }
    default: return nil
    }
  }

  /// A captured object or identifier.
  ///
  /// If the object can't be in the table, its row is 0, which is never the row of an object.
  private func object(_ value: Any, like other: SQLObject) -> SQLObject? {
    var entity = other.entity
    var id = SQLQuery.null
    let known = unwrapped(value)
    let model = known as? any PersistentModel
    if let identifier = known as? PersistentIdentifier ?? model?._$state.identifier {
      let place = identifier.storeIdentifier
      let isHere = place == sources.storeIdentifier || (place == nil && (identifier.row ?? 0) < 0)
      let named =
        model.flatMap { map.entity(of: $0._$state.description) } ?? map[identifier.entityName]
      let row = isHere && named?.table == entity.table ? identifier.row ?? 0 : 0
      entity = named ?? entity
      id = "\(bind: .integer(row))"
    } else if known != nil {
      return nil
    }
    return SQLObject(
      id: id,
      entity: entity,
      isNullable: known == nil,
      isIdentifier: other.isIdentifier
    )
  }

  private mutating func sameObject(_ left: SQLObject, _ right: SQLObject) -> SQLQuery {
    guard left.entity.table == right.entity.table else {
      guard left.isNullable && right.isNullable else { return .false }
      return "(\(left.id) IS NULL AND \(right.id) IS NULL)"
    }
    if right.id.text == "?", !right.isNullable, let path = left.path {
      if path.steps.count > 1, let last = path.steps.last {
        return path.before.holds("\(last.id) = \(right.id)")
      }
      let sign: SQLQuery = left.isNullable ? "IS" : "="
      return ("\(left.id) \(sign) \(right.id)" as SQLQuery).narrow(true)
    }
    if left.id.text == "?", right.path != nil { return sameObject(right, left) }
    let sign: SQLQuery = left.isNullable || right.isNullable ? "IS" : "="
    return "\(left.id) \(sign) \(right.id)"
  }

  private func isCondition(_ term: SQLTerm) -> Bool {
    switch term {
    case .condition: true
    case .scalar(let scalar): scalar.type == .bool && scalar.swiftType == Bool.self
    case .constant(let value): unwrapped(value) is Bool
    default: false
    }
  }

  private func sameCondition(_ left: SQLCondition, _ right: SQLCondition) -> SQLQuery {
    if left.presence == nil, left.sql == .true { return right.isTrue }
    if left.presence == nil, left.sql == .false { return right.isFalse }
    if right.presence == nil, right.sql == .true { return left.isTrue }
    if right.presence == nil, right.sql == .false { return left.isFalse }
    // NOT turns integers other than 0 and 1 into 0 or 1, so both sides are 1, 0 or NULL and can be
    // compared.
    func normal(_ condition: SQLCondition) -> SQLQuery {
      guard let presence = condition.presence else { return condition.sql.negated }
      return "CASE WHEN \(presence) THEN \(condition.sql.negated) END"
    }
    return "(\(normal(left)) IS \(normal(right)))"
  }

  private func sameDocument(
    _ left: SQLDocument,
    _ right: SQLDocument,
    terms leftTerm: SQLTerm,
    _ rightTerm: SQLTerm
  ) throws -> SQLQuery {
    for term in [leftTerm, rightTerm] {
      // A case without associated values always has the same JSON, so comparing texts is exact and
      // can use an index.
      if case .constant(let value) = term, let known = unwrapped(value) {
        let mirror = Mirror(reflecting: known)
        if mirror.displayStyle == .enum, mirror.children.isEmpty {
          let sign: SQLQuery = left.isNullable || right.isNullable ? "IS" : "="
          return "\(left.sql) \(sign) \(right.sql)"
        }
      }
    }
    guard let function = ValueFunctions.shared.equality(of: left.swiftType) else {
      throw NotTranslatable.operands("\(left.swiftType)")
    }
    return "swift_equal(\(bind: .integer(function)), \(left.sql), \(right.sql))"
  }
}
