import Format

/// How one table of the new schema is created.
struct TableMigration: Sendable {
  enum Way: Hashable, Sendable {
    /// Columns of the old table are renamed, and columns are added.
    case altered(renames: [Rename], additions: [String])
    /// A new table is filled and replaces the old table.
    case rebuilt
  }

  struct Rename: Hashable, Sendable {
    var old: String
    var new: String
  }

  struct LinkCopy: Sendable {
    var links: LinkSource
    var firstColumn: String
    var secondColumn: String
  }

  var definition: TableDefinition
  var way: Way
  /// The old rows that fill the table, by entity.
  var rows: [RowSource]
  var links: LinkCopy?
  /// The indexes of the old schema that must be dropped.
  var staleIndexes: [String]
  var missingIndexes: [String]
  /// The old table whose sequence of ids the new table continues.
  var oldTable: String?
}

extension SchemaMapping {
  /// The tables of the entities, and then the join tables.
  func tables() throws -> [TableMigration] {
    let oldTables = try from.tables()
    let joins = joinTables(among: newLayouts)
    return try to.tables().map { definition in
      let old = oldTables.first { $0.name == definition.name }
      if let join = joins.first(where: { $0.name == definition.name }) {
        return table(definition, old: old, join: join)
      }
      return table(definition, old: old)
    }
  }

  private func table(_ definition: TableDefinition, old: TableDefinition?) -> TableMigration {
    let family = to.entities.indices.filter { to.entities[$0].table == definition.name }
    let rows = family.compactMap { self.rows(of: EntityIndex($0)) }
    var result = TableMigration(
      definition: definition,
      way: .rebuilt,
      rows: rows,
      staleIndexes: [],
      missingIndexes: definition.indexes,
      oldTable: rows.first.map { from.entities[$0.oldEntity].table }
    )
    let areNamesakes = rows.allSatisfy { row in
      to.entities[row.entity].name == from.entities[row.oldEntity].name
        && from.entities[row.oldEntity].table == definition.name
    }
    guard let old, areNamesakes, rows.count == family.count,
      let way = alteration(from: old, to: definition, rows: rows)
    else { return result }
    result.way = way
    result.staleIndexes = old.indexes.filter { !definition.indexes.contains($0) }
    result.missingIndexes = definition.indexes.filter { !old.indexes.contains($0) }
    return result
  }

  private func table(
    _ definition: TableDefinition,
    old: TableDefinition?,
    join: JoinTable
  ) -> TableMigration {
    let relationship = to.entities[join.owner].relationships[join.relationship]
    let links = links(of: relationship, in: join.owner)
    var result = TableMigration(
      definition: definition,
      way: .rebuilt,
      rows: [],
      links: links.map {
        TableMigration.LinkCopy(
          links: $0,
          firstColumn: quoted(join.firstColumn),
          secondColumn: quoted(join.secondColumn)
        )
      },
      staleIndexes: [],
      missingIndexes: definition.indexes
    )
    guard let old, old.create == definition.create, let links, links.conditions.isEmpty,
      links.table == quoted(definition.name), links.source == quoted(join.firstColumn)
    else { return result }
    result.way = .altered(renames: [], additions: [])
    result.staleIndexes = old.indexes.filter { !definition.indexes.contains($0) }
    result.missingIndexes = definition.indexes.filter { !old.indexes.contains($0) }
    return result
  }

  /// The `ALTER TABLE` statements that change the old table to the new table; nil if no such
  /// statements can produce exactly the new table.
  private func alteration(
    from old: TableDefinition,
    to new: TableDefinition,
    rows: [RowSource]
  ) -> TableMigration.Way? {
    var renames: [TableMigration.Rename] = []
    for row in rows {
      for source in row.columns {
        guard source.isPlain else { return nil }
        let column = newLayouts[row.entity].columns[source.column]
        guard let name = source.oldColumn else {
          guard source.expression == "NULL" else { return nil }
          continue
        }
        let rename = TableMigration.Rename(old: name, new: column.name)
        if name != column.name, !renames.contains(rename) { renames.append(rename) }
      }
    }
    // If a column takes the old name of another column, the renames would need an order or a
    // temporary name. Such a table is rebuilt instead.
    guard renames.allSatisfy({ rename in !old.columns.contains(rename.new) }) else { return nil }
    var oldLines = old.lines
    for rename in renames {
      oldLines = oldLines.map {
        $0.replacing(quoted(rename.old), with: quoted(rename.new))
      }
    }
    let newLines = new.lines
    let additions = newLines.filter { !oldLines.contains($0) }
    guard oldLines.allSatisfy(newLines.contains),
      additions.allSatisfy({ $0.hasPrefix("\"") && !$0.contains(" NOT NULL") })
    else { return nil }
    return .altered(renames: renames, additions: additions)
  }
}

extension TableDefinition {
  var lines: [String] {
    guard let start = create.firstRange(of: "(\n  "),
      let end = create.firstRange(of: "\n) STRICT")
    else { return [create] }
    return create[start.upperBound..<end.lowerBound].split(separator: ",\n  ").map(String.init)
  }

  func create(as name: String) -> String {
    let prefix = "CREATE TABLE \(quoted(self.name))"
    return "CREATE TABLE \(quoted(name))" + create.dropFirst(prefix.count)
  }
}
