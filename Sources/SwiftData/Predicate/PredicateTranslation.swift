import Store

/// Where the rows of a query come from.
struct SQLSources {
  /// What to write after FROM for a table: its name, or a view that shows pending changes too.
  var table: (String) -> String
  /// The list of the rows of a table that are there no more, if there are any.
  var gone: (String) -> String? = { _ in nil }
  /// The order of the rows of a table, over the alias `t0`, where no other is asked for.
  var order: (String) -> String = { _ in "t0.id" }
  /// The identifier of the store, which identifiers of its objects carry.
  var storeIdentifier: String
  /// The names that entities have now, where changes have an old one.
  var pastNames: [PastName] = []
}

/// What can't be SQL; it is done in memory in its place.
enum NotTranslatable: Error, Hashable, CustomStringConvertible {
  /// A kind of expression that has no translation.
  case node(String)
  /// An expression that has none for operands like these.
  case operands(String, String)
  /// A property that is not in the table.
  case property(String)

  var description: String {
    switch self {
    case .node(let node): "\(node) has no translation"
    case .operands(let node, let operands): "\(node) has no translation for \(operands)"
    case .property(let property): "\(property) is not kept in the store"
    }
  }
}

/// Foundation's predicates as SQL.
enum PredicateTranslation {
  /// A condition over the alias `t0` that holds for exactly the rows whose objects the predicate
  /// accepts.
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
    // Few rows are left, for which it is quicker to look at the rows that they lead to.
    return sql.isSearch && sql.isNarrow ? try condition(searching: false) : sql
  }
}
