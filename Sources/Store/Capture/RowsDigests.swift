import Format
import SQLite

/// The digests of the rows of an adopted file or of its replica, in the catalog.
///
/// The rows at the adoption, and the rows of the snapshot with which a replica begins, are not in
/// history. So a check can compare these rows only with a digest that each recorded change has
/// updated. It finds changes that no trigger captured, for example of a program that disables
/// triggers. The files of earlier versions have no digests, because nothing proves that nobody has
/// changed their rows.
final class RowsDigests {
  private let tables: [Table]
  private let connection: Connection
  private var digests: [RowsDigest?]
  private var changed: Set<Int> = []

  init(_ tables: [Table], on connection: Connection) throws {
    self.tables = tables
    self.connection = connection
    digests = try tables.map { try Self.digest(of: $0.layout.entity.name, on: connection) }
  }

  /// Notes a change of a row; nil stands for a missing row.
  func note(_ name: RowName, from before: [Value]?, to after: [Value]?, table: Int) {
    guard digests[table] != nil else { return }
    if let before { digests[table]?.remove(name, values: tables[table].stored(before)) }
    if let after { digests[table]?.add(name, values: tables[table].stored(after)) }
    changed.insert(table)
  }

  /// Writes the changed digests to the catalog.
  func save() throws {
    for table in changed {
      guard let digest = digests[table] else { continue }
      try Self.set(digest, of: tables[table].layout.entity.name, on: connection)
    }
    changed.removeAll()
  }

  // MARK: The catalog

  private static func key(_ table: String) -> String { "rows_digest \(table)" }

  /// The digest of a table; nil if it is not known.
  static func digest(of table: String, on connection: Connection) throws -> RowsDigest? {
    guard case .text(let text) = try Catalog.value(key(table), on: connection) else { return nil }
    return RowsDigest(text)
  }

  static func set(
    _ digest: RowsDigest,
    of table: String,
    on connection: Connection
  ) throws {
    try Catalog.set(key(table), value: .text("\(digest)"), on: connection)
  }

  /// Writes the digests of the empty tables of a new replica.
  static func begin(_ schema: StoreSchema, on connection: Connection) throws {
    for entity in schema.entities { try set(RowsDigest(), of: entity.name, on: connection) }
  }

  /// Computes the digests of some tables of a schema.
  static func renew(
    _ schema: StoreSchema,
    where isWanted: (String) -> Bool = { _ in true },
    on connection: Connection
  ) throws {
    let layouts = try schema.layouts()
    for layout in layouts where isWanted(layout.entity.name) {
      let table = Table(connection, layout: layout, layouts: layouts)
      try set(RowsDigest(of: table), of: layout.entity.name, on: connection)
    }
  }

  /// Computes the digests of the tables that a migration has changed.
  ///
  /// `continued` has the names and the columns of tables that are not rebuilt, by their new names.
  /// If changes of their rows were not captured, the new digests also differ from the rows, so a
  /// check still finds these changes.
  static func migrate(
    from old: StoreSchema,
    to new: StoreSchema,
    continued: [String: Entity] = [:],
    on connection: Connection
  ) throws {
    let layouts = try new.layouts()
    var known: [String: RowsDigest] = [:]
    for layout in layouts {
      let name = layout.entity.name
      guard let before = continued[name], var digest = try digest(of: before.name, on: connection)
      else { continue }
      // A program adds columns only at the end. Names are in no digest.
      if layout.columns.count > before.attributes.count {
        let table = Table(connection, layout: layout, layouts: layouts)
        let found = try RowsDigest.digests(of: table, columns: before.attributes.count)
        digest.remove(found.first)
        digest.add(found.whole)
      }
      known[name] = digest
    }
    func statement(of table: String, in schema: StoreSchema) -> String? {
      schema.adopted?.first { $0.type == "table" && $0.name == table }?.sql
    }
    for entity in old.entities where new[entity.name] == nil {
      try Catalog.remove(key(entity.name), on: connection)
    }
    try renew(
      new,
      where: { name in
        guard known[name] == nil else { return false }
        return old[name] != new[name] || new.replaced?.contains(name) == true
          || statement(of: name, in: old) != statement(of: name, in: new)
      },
      on: connection
    )
    for (name, digest) in known { try set(digest, of: name, on: connection) }
  }
}
