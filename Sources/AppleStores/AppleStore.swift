import Format
import SQLite

/// A store that Core Data or SwiftData wrote, which is only read.
///
/// The connection shows a private copy, or states of it.
package final class AppleStore {
  package let connection: Connection
  package let tables: FileTables
  package let metadata: AppleMetadata
  package let keys: [PrimaryKey]
  package let model: AppleModel
  package let layout: AppleLayout

  /// Opens a store; if its model can't be read, the model is guessed, unless the caller is strict.
  package init(_ connection: Connection, isStrict: Bool = false) throws {
    self.connection = connection
    tables = try FileTables(connection)
    guard tables.has("Z_METADATA") else { throw notAStore(connection.path) }
    metadata = try AppleMetadata(connection, tables)
    keys = try Self.keys(connection, tables)
    do {
      model = try AppleModel(archive: Self.archive(connection, tables), keys: keys)
    } catch let error as StoreError where !isStrict && error.code == .damaged {
      model = try AppleModel(guessedFrom: connection, tables, keys, reason: error.message)
    }
    layout =
      model.isGuess
      ? AppleLayout(guessed: model, file: tables)
      : AppleLayout(model, file: tables)
  }

  /// What the framework notes about a store, without its model.
  package static func metadata(_ connection: Connection) throws -> AppleMetadata {
    let tables = try FileTables(connection)
    guard tables.has("Z_METADATA") else { throw notAStore(connection.path) }
    return try AppleMetadata(connection, tables)
  }

  /// The tables that no other database has.
  package static let signs: Set<String> = ["Z_METADATA", "Z_PRIMARYKEY"]

  /// The highest number that a transaction of history ever had, even if it was deleted.
  package func highestTransaction() throws -> Int64 {
    guard tables.has("Z_MAX", in: "Z_PRIMARYKEY") else { return 0 }
    let row = try connection.prepare("SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")
    return try row.step() ? row.int64(at: 0) : 0
  }

  private static func keys(_ connection: Connection, _ tables: FileTables) throws -> [PrimaryKey] {
    let columns = ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]
    guard columns.allSatisfy({ tables.has($0, in: "Z_PRIMARYKEY") }) else { return [] }
    // A store has fewer entities than this limit.
    let statement = try connection.prepare(
      "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT LIMIT 20000"
    )
    var result: [PrimaryKey] = []
    while try statement.step() {
      result.append(
        PrimaryKey(
          number: statement.int64(at: 0),
          name: statement.string(at: 1),
          parent: statement.int64(at: 2),
          highest: statement.int64(at: 3)
        )
      )
    }
    return result
  }

  private static func archive(
    _ connection: Connection,
    _ tables: FileTables
  ) throws -> [UInt8] {
    let name = cachedModel
    guard tables.has("Z_CONTENT", in: "Z_MODELCACHE") else { throw damaged(name, "it is missing") }
    let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    guard try statement.step(), statement.type(at: 0) == .blob else {
      throw damaged(name, "it is missing")
    }
    let compressed = try bytes(at: 0, of: statement, describing: name)
    statement.reset()
    return try inflated(compressed, limit: PropertyList.limit, describing: name)
  }
}
