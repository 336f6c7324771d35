import Format

/// The tables of an adopted file that continue tables of an earlier schema, with their columns.
///
/// A table has no successor if it was dropped, if all its rows were recorded again, or if its rows
/// got other names: another table then has the same name.
struct TableSuccession {
  struct Successor {
    var table: String
    /// The present names of the columns, by their names in the earlier schema.
    var columns: [String: String]
  }

  private(set) var tables: [String: Successor] = [:]
  /// The last schema in the direction in which the tables are followed.
  private var schema: StoreSchema

  /// Begins with the tables of a schema, each as its own successor.
  init(_ schema: StoreSchema) {
    self.schema = schema
    for entity in schema.entities {
      let names = entity.attributes.map(\.name)
      tables[entity.name] = Successor(
        table: entity.name,
        columns: Dictionary(zip(names, names)) { first, _ in first }
      )
    }
  }

  /// Follows the tables to the schema after the last one.
  mutating func follow(to schema: StoreSchema) {
    let last = self.schema
    self.schema = schema
    tables = tables.compactMapValues { before in
      guard let entity = schema.successor(of: before.table),
        entity.keepsNames(of: last[before.table])
      else { return nil }
      let columns = entity.columnsBySource
      return Successor(
        table: entity.name,
        columns: before.columns.compactMapValues { columns[$0] }
      )
    }
  }

  /// Begins with the tables of the schema before the first one.
  mutating func begin(with earlier: StoreSchema) {
    let (first, later) = (schema, tables)
    schema = earlier
    tables = [:]
    for before in earlier.entities {
      guard let entity = first.successor(of: before.name), entity.keepsNames(of: before),
        let last = later[entity.name]
      else { continue }
      let columns = entity.columnsBySource
      let names = before.attributes.compactMap { attribute in
        columns[attribute.name].flatMap { last.columns[$0] }.map { (attribute.name, $0) }
      }
      tables[before.name] = Successor(
        table: last.table,
        columns: Dictionary(names) { first, _ in first }
      )
    }
  }
}

extension Entity {
  /// The name of the table in the previous schema of an adopted file.
  var source: String { originalName ?? name }

  /// Whether the rows have the same names as in a table of the previous schema: the key has the same
  /// columns.
  fileprivate func keepsNames(of earlier: Entity?) -> Bool {
    guard let identity, let before = earlier?.identity else { return true }
    let sources = identity.columns.map { name in attributes.first { $0.name == name }?.source }
    return sources == before.columns && (identity.rowid == nil) == (before.rowid == nil)
  }

  /// The names of the columns, by their names in the previous schema.
  fileprivate var columnsBySource: [String: String] {
    Dictionary(attributes.map { ($0.source, $0.name) }) { first, _ in first }
  }
}

extension Attribute {
  /// The name of the column in the previous schema of an adopted file.
  var source: String { originalName ?? name }
}

extension StoreSchema {
  /// The table that continues a table of the previous schema; nil if it was dropped, or if its rows
  /// were recorded again.
  func successor(of table: String) -> Entity? {
    entities.first { $0.source == table && replaced?.contains($0.name) != true }
  }

  /// Whether history lacks rows of the previous schema that this schema removed or replaced.
  func loses(rowsOf previous: StoreSchema) -> Bool {
    previous.entities.contains { entity in
      guard successor(of: entity.name) == nil else { return false }
      // A transitional schema has an entry for each row of a table that is then dropped.
      return self[entity.name] != nil || previous.isTransitional != true
    }
  }

  /// The schema without its relation to the previous schema.
  var withoutOrigins: StoreSchema {
    var schema = self
    for index in schema.entities.indices {
      schema.entities[index] = schema.entities[index].withoutOrigins
    }
    return schema
  }
}

extension Entity {
  /// The table without its relation to a table of the previous schema.
  var withoutOrigins: Entity {
    var entity = self
    entity.originalName = nil
    for index in entity.attributes.indices {
      entity.attributes[index].originalName = nil
      entity.attributes[index].defaultValue = nil
    }
    return entity
  }
}
