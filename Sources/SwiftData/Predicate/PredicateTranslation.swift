import Store

struct SQLSources {
  /// The SQL for a table after FROM: the name of the table, or of a view with pending changes.
  var table: (String) -> String
  var gone: (String) -> String? = { _ in nil }
  /// The default order of the rows of a table, which has the alias `t0`.
  var order: (String) -> String = { _ in "t0.id" }
  /// The identifier of the store; the identifiers of its objects contain it.
  var storeIdentifier: String
  /// The present names of the entities that have older names in history.
  var pastNames: [PastName] = []
}

/// The error for an expression that has no SQL form; the caller evaluates the predicate in memory.
enum NotTranslatable: Error, Hashable, CustomStringConvertible {
  case node(String)
  /// The expression has no translation for operands of this kind.
  case operands(String, node: String = "")
  case property(String)

  var description: String {
    switch self {
    case .node(let node): "\(node) has no translation"
    case .operands(let operands, let node): "\(node) has no translation for \(operands)"
    case .property(let property): "\(property) is not stored"
    }
  }

  /// Runs a closure; if it throws an error without the name of a node, adds the name.
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
  /// A condition that holds for exactly the rows whose objects the predicate accepts; the table has
  /// the alias `t0`.
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
    // If the query has only a few rows, which an index finds, reading the rows related to them is
    // faster than searching all related rows first.
    return sql.isSearch && sql.isNarrow ? try condition(searching: false) : sql
  }
}
