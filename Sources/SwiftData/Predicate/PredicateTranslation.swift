import Store

struct SQLSources {
  /// The SQL after FROM for a table: its name, or a view with pending changes.
  var table: (String) -> String
  var gone: (String) -> String? = { _ in nil }
  /// The default order of a table's rows, with the alias `t0`.
  var order: (String) -> String = { _ in "t0.id" }
  /// The identifier of the store, which is in the identifiers of its objects.
  var storeIdentifier: String
  /// The present names of entities that have an old name in changes.
  var pastNames: [PastName] = []
}

/// An expression without SQL, which is evaluated in memory.
enum NotTranslatable: Error, Hashable, CustomStringConvertible {
  case node(String)
  /// An expression that has no translation for operands like these.
  case operands(String, node: String = "")
  case property(String)

  var description: String {
    switch self {
    case .node(let node): "\(node) has no translation"
    case .operands(let operands, let node): "\(node) has no translation for \(operands)"
    case .property(let property): "\(property) is not kept in the store"
    }
  }

  /// Runs a closure; its error names the node, unless it has a name already.
  static func naming<Result>(
    _ node: @autoclosure () -> String,
    _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch NotTranslatable.operands(let operands, "") {
      throw NotTranslatable.operands(operands, node: node())
    }
  }
}

enum PredicateTranslation {
  /// A condition, with the alias `t0`, for exactly the rows whose objects the predicate accepts.
  static func translate<T: PersistentModel>(
    _ predicate: Predicate<T>,
    entity: EntityDescription,
    map: EntityMap,
    sources: SQLSources
  ) throws -> SQLQuery {
    func condition(searching: Bool) throws -> SQLQuery {
      var translation = SQLTranslation(map: map, sources: sources)
      var row = SQLObject(id: "t0.id", entity: entity, alias: "t0", isNullable: false)
      if searching { row.path = SQLPath() }
      translation.bind(predicate.variable, to: .object(row))
      return try translation.condition(predicate.expression).sql
    }
    let sql = try condition(searching: true)
    // For the few remaining rows, reading related rows is faster.
    return sql.isSearch && sql.isNarrow ? try condition(searching: false) : sql
  }
}
