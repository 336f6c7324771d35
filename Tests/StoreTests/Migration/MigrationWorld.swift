import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

/// Calls `body` with the file of a store that has a schema and the rows of `fill`.
func withStoreFile(
  _ schema: StoreSchema,
  fill: (Writer) throws -> Void = { _ in },
  _ body: (URL) throws -> Void
) throws {
  try withTemporaryFolder { folder in
    let url = folder.appendingPathComponent("test.store")
    try Store.open(.file(url), schema: schema).write(Author(name: "app"), fill)
    try body(url)
  }
}

/// Migrates a store, and expects that its tables equal those of a new one, and that a replica that
/// follows equals the store.
func migrate(_ url: URL, to schema: StoreSchema) throws -> Store {
  try Migration.migrate(url, to: schema, author: Author(name: "migrator"))
  let store = try Store.open(.file(url), schema: schema)
  let fresh = try Store.open(.memory("fresh"), schema: schema)
  let expected = try structure(of: fresh)
  let found = try structure(of: store)
  #expect(found == expected)
  #expect(try rows("PRAGMA integrity_check", in: store) == ["ok"])
  #expect(try rows("PRAGMA foreign_key_check", in: store) == [])
  try withTemporaryFolder { folder in
    let replica = try FollowingReplica(of: store, at: folder.appendingPathComponent("replica"))
    try replica.follow(store)
    try replica.expectEquality(store)
  }
  return store
}

/// The tables, columns and indexes of a store in a fixed order.
func structure(of store: Store) throws -> [String] {
  var result: [String] = []
  let mine =
    "name NOT GLOB 'sqlite_*' AND tbl_name NOT GLOB 'store_*' AND tbl_name NOT GLOB 'history_*'"
  for row in try rows(
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE \(mine) ORDER BY name",
    in: store
  ) {
    // Columns are in the order of their creation, which may differ.
    let line = row.replacing(") STRICT", with: ",").replacing(" (\n", with: ",")
      .filter { !$0.isWhitespace }
    result.append(line.split(separator: ",").sorted().joined(separator: "; "))
  }
  for table in try rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND \(mine) ORDER BY name",
    in: store
  ) {
    result += try rows(
      "SELECT '\(table)', name, type, \"notnull\", dflt_value, pk"
        + " FROM pragma_table_xinfo('\(table)') ORDER BY name",
      in: store
    )
    result += try rows(
      "SELECT '\(table)', \"table\", \"from\", \"to\" FROM pragma_foreign_key_list('\(table)')"
        + " ORDER BY 3",
      in: store
    )
    result += try rows(
      "SELECT '\(table)', l.name, l.\"unique\", l.origin, l.partial, i.seqno, i.name"
        + " FROM pragma_index_list('\(table)') AS l, pragma_index_info(l.name) AS i ORDER BY 2, 6",
      in: store
    )
  }
  return result
}

/// The transactions of a store: op, version of the schema, author, number of changes.
func transactions(of store: Store) throws -> [String] {
  try rows(
    "SELECT t.op, s.version, t.author, t.changes FROM history_transaction AS t"
      + " JOIN store_schema AS s ON s.id = t.schema ORDER BY t.id",
    in: store
  )
}

/// A schema of the version 1.0.0.
func first(_ entities: Entity...) -> StoreSchema {
  StoreSchema(version: "1.0.0", entities: entities)
}

/// A schema of the version 2.0.0.
func second(_ entities: Entity...) -> StoreSchema {
  StoreSchema(version: "2.0.0", entities: entities)
}

/// The error that `body` throws.
func storeError(_ body: () throws -> Void) throws -> StoreError {
  do {
    try body()
  } catch let error as StoreError {
    return error
  }
  throw NoError()
}

struct NoError: Error {}
