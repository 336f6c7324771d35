import SQLite
import Store

struct SQLQuery { var text: String; var bindings: [Value] }
struct SQLSources {
  var table: (String) -> String
  var joinTable: (String) -> String
  var storeIdentifier: String
}
enum NotTranslatable: Error { case node(String) }
enum PredicateTranslation {
  static func translate<T: PersistentModel>(
    _ predicate: Predicate<T>, entity: EntityDescription, map: EntityMap, sources: SQLSources
  ) throws -> SQLQuery { throw NotTranslatable.node("all") }
}
enum SortTranslation {
  static func translate<T: PersistentModel>(
    _ sort: [SortDescriptor<T>], entity: EntityDescription, map: EntityMap, sources: SQLSources
  ) throws -> String { throw NotTranslatable.node("all") }
}
enum SQLFunctions { static func register(on connection: Connection) throws {} }
