import Format
import SQLite

/// An object of a store.
package struct AppleRow: Hashable, Sendable {
  /// The index of the object's own entity in the model.
  package let entity: Int
  package let id: Int64
  /// The values in the order of the columns in the layout of the entity.
  package let values: [StoredValue]
}

/// The rows of one table in the order of their ids.
package final class AppleRows {
  private let store: AppleStore
  private let schema: AppleSchema
  private let external: ExternalFolder
  private let rows: Statement?
  /// The sources of each entity's values, with the numbers of the columns.
  private let sources: [Int: [ColumnSource<Int32>]]

  /// The rows that were skipped because no entity of the table has their number.
  package private(set) var unknownCount: Int64 = 0
  /// How many values of a property are special, by the entity that the row has.
  package private(set) var specialCounts: [AppleProperty: Int64] = [:]

  /// Reads the table of a topmost entity, which may be missing.
  package init(
    _ store: AppleStore,
    _ schema: AppleSchema,
    root: Int,
    external: ExternalFolder
  ) throws {
    self.store = store
    self.schema = schema
    self.external = external
    let family = store.model.family(of: root)
    var places: [String: Int32] = [:]
    var columns: [String] = []
    for entity in family {
      for column in schema.sources[entity].flatMap(\.columns) where places[column] == nil {
        places[column] = Int32(columns.count) + 2
        columns.append(quoted(column))
      }
    }
    sources = Dictionary(
      uniqueKeysWithValues: family.map { entity in
        (entity, schema.sources[entity].map { $0.map { places[$0] ?? 0 } })
      }
    )
    guard let table = store.layout.table(of: root), !table.columns.isEmpty else {
      rows = nil
      return
    }
    rows = try store.connection.prepare(
      "SELECT \((["Z_PK", "Z_ENT"] + columns).joined(separator: ", "))"
        + " FROM \(quoted(table.name)) ORDER BY Z_PK"
    )
  }

  /// The next object; nil after the last one.
  package func next() throws -> AppleRow? {
    guard let rows else { return nil }
    while try rows.step() {
      guard let entity = store.model.index(numbered: rows.int64(at: 1)),
        let sources = sources[entity]
      else {
        unknownCount += 1
        continue
      }
      let values = try sources.map { try $0.value(rows, external: external) }
      let columns = schema.layoutNames[entity]
      for (index, value) in values.enumerated() {
        guard case .special = value else { continue }
        specialCounts[AppleProperty(entity, columns[index]), default: 0] += 1
      }
      return AppleRow(entity: entity, id: rows.int64(at: 0), values: values)
    }
    return nil
  }
}

/// The links of a many-to-many relationship, in the order of the objects that own them in our schema.
package final class AppleLinks {
  private let rows: Statement

  package struct Link: Hashable, Sendable {
    package let owner: Int64
    package let destination: Int64
  }

  package init(_ store: AppleStore, _ join: AppleLayout.Join) throws {
    var (owner, destination) = (quoted(join.source), quoted(join.target))
    if !store.model.isOwner(join) { swap(&owner, &destination) }
    rows = try store.connection.prepare(
      "SELECT \(owner), \(destination) FROM \(quoted(join.table)) ORDER BY \(owner), \(destination)"
    )
  }

  /// The next link; nil after the last one.
  package func next() throws -> Link? {
    guard try rows.step() else { return nil }
    return Link(owner: rows.int64(at: 0), destination: rows.int64(at: 1))
  }
}

extension AppleModel {
  /// Whether the relationship of a join precedes its inverse in the alphabet, so that its objects own
  /// the links.
  fileprivate func isOwner(_ join: AppleLayout.Join) -> Bool {
    guard let relationship = relationship(join.relationship, of: join.entity)?.relationship,
      let inverse = inverse(of: relationship)
    else { return true }
    return (entities[join.entity].name, join.relationship)
      <= (entities[inverse.entity].name, inverse.relationship.name)
  }
}
