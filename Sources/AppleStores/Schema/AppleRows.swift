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

/// The values of an object, each of which is read when it is needed.
package struct AppleValues {
  /// The index of the object's own entity in the model.
  package let entity: Int
  fileprivate let row: Statement
  fileprivate let sources: [ColumnSource<Int32>]
  fileprivate let external: ExternalFolder

  /// The value in a column of the layout of the entity.
  package func value(_ column: Int) throws -> StoredValue {
    try sources[column].value(row, external: external)
  }
}

/// The rows of one table in the order of their ids.
package final class AppleRows {
  private let store: AppleStore
  private let schema: AppleSchema
  private let external: ExternalFolder
  private let rows: Statement?
  /// Finds one row by its id.
  private let finding: Statement?
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
      (rows, finding) = (nil, nil)
      return
    }
    let query =
      "SELECT \((["Z_PK", "Z_ENT"] + columns).joined(separator: ", ")) FROM \(quoted(table.name))"
    rows = try store.connection.prepare("\(query) WHERE Z_PK BETWEEN ?1 AND ?2 ORDER BY Z_PK")
    finding = try store.connection.prepare("\(query) WHERE Z_PK = ?1")
    try begin(.min ... .max)
  }

  /// The object with an id; nil if there is none, or if its entity is unknown.
  package func row(_ id: Int64) throws -> AppleRow? {
    guard let finding else { return nil }
    return try find(id) { try row(at: finding, $0.entity) }
  }

  /// Calls the closure with the values of an object; nil if there is no object, or if its entity is
  /// unknown.
  package func find<Result>(
    _ id: Int64,
    _ body: (AppleValues) throws -> Result
  ) throws -> Result? {
    guard let finding else { return nil }
    try finding.bind(1, id)
    defer { finding.reset() }
    guard try finding.step(), let entity = entity(of: finding), let sources = sources[entity] else {
      return nil
    }
    return try body(AppleValues(entity: entity, row: finding, sources: sources, external: external))
  }

  private func entity(of statement: Statement) -> Int? {
    store.model.index(numbered: statement.int64(at: 1)).flatMap { sources[$0] == nil ? nil : $0 }
  }

  private func row(at statement: Statement, _ entity: Int) throws -> AppleRow {
    let values = try (sources[entity] ?? []).map { try $0.value(statement, external: external) }
    return AppleRow(entity: entity, id: statement.int64(at: 0), values: values)
  }

  /// Prepares to read the objects with ids in a range.
  package func begin(_ range: ClosedRange<Int64>) throws {
    guard let rows else { return }
    rows.reset()
    try rows.bind(1, range.lowerBound)
    try rows.bind(2, range.upperBound)
  }

  /// The next object; nil after the last one.
  package func next() throws -> AppleRow? {
    guard let rows else { return nil }
    while try rows.step() {
      guard let entity = entity(of: rows) else {
        unknownCount += 1
        continue
      }
      let row = try row(at: rows, entity)
      let columns = schema.layoutNames[entity]
      for (index, value) in row.values.enumerated() {
        guard case .special = value else { continue }
        specialCounts[AppleProperty(entity, columns[index]), default: 0] += 1
      }
      return row
    }
    return nil
  }
}

/// The links of a many-to-many relationship, in the order of the objects that own them in our schema.
package final class AppleLinks {
  private let rows: Statement
  private let finding: Statement
  private let naming: Statement

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
    finding = try store.connection.prepare(
      "SELECT DISTINCT \(destination) FROM \(quoted(join.table)) WHERE \(owner) = ?1 ORDER BY 1"
    )
    naming = try store.connection.prepare(
      "SELECT \(owner) FROM \(quoted(join.table)) WHERE rowid = ?1"
    )
  }

  /// The object that owns the link in a row of the table; nil if there is no such row.
  package func owner(ofRow id: Int64) throws -> Int64? {
    try naming.bind(1, id)
    defer { naming.reset() }
    return try naming.step() ? naming.int64(at: 0) : nil
  }

  /// The objects to which an object has links, in ascending order.
  package func destinations(of owner: Int64) throws -> [Int64] {
    try finding.bind(1, owner)
    defer { finding.reset() }
    var result: [Int64] = []
    while try finding.step() { result.append(finding.int64(at: 0)) }
    return result
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
