import Format
import SQLite

/// The entities of each schema, and where their values belong in the rows of the point.
extension PastRows {
  func makeSources(
    _ schema: StoreSchema,
    _ complete: (Source, EntityLayout, [JoinTable]) throws -> Void
  ) throws -> [[UInt8]: Source] {
    let layouts = try schema.layouts()
    let joins = joinTables(among: layouts)
    let decoders = ChangeFormat(layouts).decoders
    let (blobs, replay) = (blobs, replay)
    let values = ChangeValues(decoders: decoders, blobs: blobs) {
      try replay?.content($0) ?? blobs.content($0)
    }
    var result: [[UInt8]: Source] = [:]
    for layout in layouts {
      let source = Source(layout, decoder: decoders[layout.index], values: values)
      try complete(source, layout, joins)
      result[source.name] = source
    }
    return result
  }

  /// The entities of a store, whose tables are the same in all schemas after the point.
  func addSources() throws {
    let places = Dictionary(
      tables.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    for schema in try catalogSchemas(on: connection) {
      let layouts = reader.layouts
      sources[schema.id] = try makeSources(schema.schema) { source, layout, joins in
        guard let index = places[layout.entity.table] else { return }
        let table = tables[index]
        source.table = index
        source.places = layout.columns.map { table.column($0.name) }
        source.joins = source.decoder.joins.map { places[joins[$0].name] }
        source.namePlace = table.column("_entity")
        source.idPlace = table.column("id")
        if let now = layouts.first(where: { $0.entity.name == layout.entity.name }) {
          source.present = (
            Table(connection, layout: now, layouts: layouts),
            now.columns.map { table.column($0.name) }
          )
        }
      }
    }
  }

  /// The tables of a program under all schemas, with their columns under the schema of the point.
  func addSources(to target: CatalogSchema) throws {
    let past = try PastTables(on: connection, to: target)
    let targets = try target.schema.layouts()
    let now = try reader.presentTables(since: target)
    for schema in try catalogSchemas(on: connection) {
      guard let places = past.places[schema.id] else { continue }
      sources[schema.id] = try makeSources(schema.schema) { source, layout, _ in
        guard let place = places[Array(layout.entity.name.utf8)] else { return }
        let table = tables[place.table]
        let columns = targets[place.table].columns
        let slots = Dictionary(
          columns.map { (memberKey($0.logName), table.column($0.name)) },
          uniquingKeysWith: { first, _ in first }
        )
        source.table = place.table
        source.places = layout.columns.map { column in
          let key = memberKey(column.logName)
          return (place.keys.map { $0[key] } ?? key).flatMap { slots[$0] ?? nil }
        }
        if let (present, names) = now[table.name] {
          var places: [Int?] = Array(repeating: nil, count: present.layout.columns.count)
          for column in columns {
            guard let name = names[column.property],
              let index = present.layout.column(of: name)
            else { continue }
            places[index] = table.column(column.name)
          }
          source.present = (present, places)
        }
      }
    }
  }

  /// Whether a store's whole history is there, and has fewer changes before the point than after it.
  func isNearerToBeginning(_ point: Int64) throws -> Bool {
    let names = connection.tables
    guard try reader.historyRange().base.transaction == 0,
      try !connection.hasRow("SELECT 1 FROM \(names.transaction) WHERE state <> 'whole' LIMIT 1"),
      try !connection.hasRow("SELECT 1 FROM \(names.transaction) WHERE op = 'migration' LIMIT 1"),
      let first = try firstChange(after: point),
      let last = try connection.integer("SELECT max(id) FROM \(names.change)")
    else { return false }
    return first < last / 2
  }

  /// The id of the first change after the point.
  ///
  /// In a store of an earlier version, whose last changes were deleted, later changes can have lower
  /// ids than the transactions without changes before them.
  func firstChange(after point: Int64) throws -> Int64? {
    try connection.integer(
      "SELECT first_change FROM \(connection.tables.transaction) WHERE id > ?1 AND changes > 0"
        + " ORDER BY id LIMIT 1",
      values: [.integer(point)]
    )
  }
}
