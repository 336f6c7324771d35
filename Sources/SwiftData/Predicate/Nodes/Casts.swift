extension PredicateExpressions.TypeCheck: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let term = try translation.term(input)
    let (_, condition) = try translation.cast(term, to: Desired.self)
    return .holds(condition)
  }
}

extension PredicateExpressions.ConditionalCast: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let term = try translation.term(input)
    let (object, condition) = try translation.cast(term, to: Desired.self)
    if condition == .true { return .object(object) }
    let id: SQLQuery = "CASE WHEN \(condition) THEN \(object.id) END"
    return .object(object.known(by: id, isNullable: true))
  }
}

extension PredicateExpressions.ForceCast: SQLNode {
  func term(in translation: inout SQLTranslation) throws -> SQLTerm {
    let term = try translation.term(input)
    let (object, condition) = try translation.cast(term, to: Desired.self)
    if condition == .true { return .object(object) }
    let id: SQLQuery = "swift_unwrap(CASE WHEN \(condition) THEN \(object.id) END)"
    return .object(object.known(by: id.failing, isNullable: false))
  }
}

extension SQLTranslation {
  /// The object as an object of another class, and the condition that it belongs to that class.
  fileprivate mutating func cast<Desired>(
    _ term: SQLTerm,
    to type: Desired.Type
  ) throws -> (SQLObject, SQLQuery) {
    guard case .object(let object) = term, !object.isIdentifier,
      let model = type as? any PersistentModel.Type
    else { throw NotTranslatable.operands("\(term.kind) and \(type)") }
    guard let entity = map.entity(of: model) else {
      throw NotTranslatable.operands("\(type), which is not in the schema,")
    }
    var result = object
    result.entity = entity
    result.isNullable = false
    let presence = object.presence ?? .true
    if object.entity.model.isKind(of: entity.model) { return (object, presence) }
    guard entity.table == object.entity.table else { return (result, .false) }
    if let alias = object.alias {
      return (result, presence.and(isKind(entity, alias: alias)))
    }
    let alias = self.alias()
    let table = sources.table(entity.table)
    let condition: SQLQuery = """
      EXISTS (SELECT 1 FROM \(sql: table) AS \(sql: alias) WHERE \(sql: alias).id = \(object.id) \
      AND \(isKind(entity, alias: alias)))
      """
    return (result, condition)
  }
}
