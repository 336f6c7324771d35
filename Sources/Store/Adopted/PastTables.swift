import Format
import SQLite

/// Finds the table and the columns to which changes of other schemas of an adopted file belong.
struct PastTables {
  /// The table of a change, and its columns.
  struct Place {
    /// The index of the table in the target schema.
    let table: Int
    /// The keys in the target schema, by the keys of the change; nil if they are the same.
    let keys: [[UInt8]: [UInt8]]?
    /// What a row of that time has in the columns that were added since, by their keys.
    var added: [[UInt8]: Value] = [:]

    /// The values of a change under the keys of the target schema, without values of other columns.
    func translated(_ values: [[UInt8]: EncodedValue]) -> [[UInt8]: EncodedValue] {
      guard let keys else { return values }
      return Dictionary(
        values.compactMap { key, value in keys[key].map { ($0, value) } },
        uniquingKeysWith: { first, _ in first }
      )
    }
  }

  /// The columns that were added to the tables, while the schemas are read from the newest to the
  /// oldest.
  private struct NewColumns {
    /// For each table of the target schema, what its columns began with, by their keys.
    private var present: [Int: [[UInt8]: Value]] = [:]
    private var added: [Int: [[UInt8]: Value]] = [:]

    /// The columns that were added after an earlier form of a table, with what its rows then got.
    mutating func added(after source: EntityLayout, place: Place) -> [[UInt8]: Value] {
      var columns: [[UInt8]: Value] = [:]
      for column in source.columns {
        let key = memberKey(column.logName)
        guard let target = place.keys.map({ $0[key] }) ?? key else { continue }
        let attribute = source.entity.attributes.first { $0.name == column.property }
        columns[target] = attribute?.defaultValue ?? .null
      }
      for (key, value) in present[place.table] ?? [:] where columns[key] == nil {
        added[place.table, default: [:]][key] = value
      }
      present[place.table] = columns
      return added[place.table] ?? [:]
    }
  }

  /// The transactions of one schema.
  private struct Stretch {
    let schema: Int64
    let first: Int64
    let places: [[UInt8]: Place]
  }

  private let target: CatalogSchema
  private let schemas: [CatalogSchema]
  private var stretches: [Stretch] = []
  /// The places of the tables of each schema, by the id of the schema.
  let places: [Int64: [[UInt8]: Place]]

  /// Prepares the translation of all changes to a schema in the catalog.
  init(on connection: Connection, to target: CatalogSchema) throws {
    self.target = target
    schemas = try catalogSchemas(on: connection)
    let beginnings = try connection.all(
      "SELECT schema, min(id) FROM \(connection.tables.transaction) GROUP BY schema ORDER BY 2"
    ) { (schema: $0.int64(at: 0), first: $0.int64(at: 1)) }
    let layouts = try target.schema.layouts()
    var places: [Int64: [[UInt8]: Place]] = [:]
    var backward = TableSuccession(target.schema)
    var newColumns = NewColumns()
    for source in schemas.reversed() where source.id <= target.id {
      if source.id < target.id { backward.begin(with: source.schema) }
      let sources = try source.schema.layouts()
      var found = Self.places(from: sources, to: layouts, backward.tables, isForward: true)
      for source in sources {
        let name = Array(source.entity.name.utf8)
        guard let place = found[name] else { continue }
        found[name]?.added = newColumns.added(after: source, place: place)
      }
      places[source.id] = found
    }
    var forward = TableSuccession(target.schema)
    for source in schemas where source.id > target.id {
      forward.follow(to: source.schema)
      places[source.id] = try Self.places(
        from: source.schema.layouts(),
        to: layouts,
        forward.tables,
        isForward: false
      )
    }
    self.places = places
    for (schema, first) in beginnings {
      guard let places = places[schema] else {
        throw missingSchema("\(schema)", at: connection.path)
      }
      stretches.append(Stretch(schema: schema, first: first, places: places))
    }
  }

  /// The places of the tables of one schema, by the names of these tables.
  ///
  /// `isForward` says that the succession begins with the schema of the changes; otherwise it begins
  /// with the target schema.
  private static func places(
    from sources: [EntityLayout],
    to targets: [EntityLayout],
    _ succession: [String: TableSuccession.Successor],
    isForward: Bool
  ) -> [[UInt8]: Place] {
    var result: [[UInt8]: Place] = [:]
    for (name, successor) in succession {
      let (from, to) = isForward ? (name, successor.table) : (successor.table, name)
      guard let source = sources.first(where: { $0.entity.name == from }),
        let target = targets.first(where: { $0.entity.name == to })
      else { continue }
      var keys: [[UInt8]: [UInt8]] = [:]
      for (first, last) in successor.columns {
        let (before, after) = isForward ? (first, last) : (last, first)
        guard let old = source.column(of: before), let new = target.column(of: after) else {
          continue
        }
        keys[memberKey(source.columns[old].logName)] = memberKey(target.columns[new].logName)
      }
      let isSame = keys.count == source.columns.count && keys.allSatisfy { $0 == $1 }
      result[Array(from.utf8)] = Place(table: target.index.number, keys: isSame ? nil : keys)
    }
    return result
  }

  private func stretch(_ transaction: Int64) -> Stretch? {
    stretches.last { $0.first <= transaction }
  }

  /// The place of a change; nil if the target schema has no table that continues its table.
  func place(of change: Change, in transaction: Int64) -> Place? {
    stretch(transaction)?.places[Array(change.entity)]
  }

  /// The place of a table in the state after a transaction, which history may not have any more; nil
  /// if the target schema has no table that continues the table.
  func place(of table: String, in schema: StoreSchema, after transaction: Int64) -> Place? {
    let next = stretch(transaction + 1)?.schema ?? target.id
    let source = schemas.last { $0.id <= next && $0.schema == schema }
    return source.flatMap { places[$0.id]?[Array(table.utf8)] }
  }

  /// The first transaction after which a table of an earlier schema has no successor; nil if its
  /// rows are in a table of the target schema.
  func end(of change: Change, in transaction: Int64) -> Int64? {
    guard let stretch = stretch(transaction),
      let source = schemas.first(where: { $0.id == stretch.schema })
    else { return nil }
    var succession = TableSuccession(source.schema)
    let name = String(decoding: change.entity, as: UTF8.self)
    for schema in schemas where schema.id > source.id && schema.id <= target.id {
      succession.follow(to: schema.schema)
      if succession.tables[name] == nil {
        return stretches.first { $0.schema >= schema.id }?.first
      }
    }
    return nil
  }
}
