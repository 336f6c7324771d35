import Format

/// A table of a schema, with the statements that create it, its indexes and its views.
package struct TableDefinition: Hashable, Sendable {
  package let name: String
  package let create: String
  /// The names of the columns, `id` first.
  package let columns: [String]
  package let indexes: [String]
  package let views: [String]
}

extension StoreSchema {
  /// All tables: first the tables of the entities, then the join tables.
  package func tables() throws -> [TableDefinition] {
    let layouts = try layouts()
    let roots = layouts.filter { $0.entity.parent == nil }
    let tables = roots.map { definition(of: $0, layouts: layouts) }
    let joins = joinTables(among: layouts).map(definition(of:))
    let all = tables + joins
    var names: Set<String> = []
    for name in all.map(\.name) + layouts.filter({ $0.entity.parent != nil }).map(\.entity.name) {
      let folded = name.lowercased()
      let isReserved = reservedPrefixes.contains { folded.hasPrefix($0) }
      guard !isReserved, names.insert(folded).inserted else {
        throw StoreError(.invalidSchema) {
          isReserved
            ? "No entity can be named \(name): names that begin with sqlite_, store_ or history_"
              + " are reserved for the store.\nRename the entity."
            : "Two tables would be named \(name), because SQLite ignores case."
              + "\nRename one of the two entities."
        }
      }
    }
    return all
  }

  private func definition(of root: EntityLayout, layouts: [EntityLayout]) -> TableDefinition {
    let family = root.family.map { layouts[$0] }.sorted {
      ($0.ancestors.count, $0.index) < ($1.ancestors.count, $1.index)
    }
    var columns = ["id"]
    var lines = ["\"id\" INTEGER PRIMARY KEY AUTOINCREMENT"]
    var checks: [String] = []
    if root.sharesTable {
      let isKnown = isOne(of: family.map(\.entity.name), column: "\"_entity\"")
      columns.append("_entity")
      lines.append("\"_entity\" TEXT NOT NULL CHECK (\(isKnown))")
    }
    for layout in family {
      for column in layout.columns where !columns.contains(column.name) {
        columns.append(column.name)
        let isRoot = layout.index == root.index
        lines.append(
          column.quoted + " "
            + declaration(of: column, in: layout, isRequired: isRoot, layouts: layouts)
        )
        if !isRoot, !column.isOptional {
          let names = layout.family.map { layouts[$0].entity.name }
          checks.append(
            "CHECK (NOT (\(isOne(of: names, column: "\"_entity\""))) OR \(column.quoted) IS NOT"
              + " NULL)"
          )
        }
      }
    }
    return TableDefinition(
      name: root.entity.table,
      create: "CREATE TABLE \(root.table) (\n  "
        + (lines + checks).joined(separator: ",\n  ") + "\n) STRICT",
      columns: columns,
      indexes: indexes(of: family),
      views: family.dropFirst().map(view(of:))
    )
  }

  private func declaration(
    of column: EntityLayout.Column,
    in layout: EntityLayout,
    isRequired: Bool,
    layouts: [EntityLayout]
  ) -> String {
    if case .attribute(let index) = column.content {
      return columnDeclaration(
        of: layout.entity.attributes[index],
        isRequired: isRequired && !column.isOptional
      )
    }
    let destination = column.destination.map { layouts[$0].table } ?? layout.table
    return "INTEGER" + (isRequired && !column.isOptional ? " NOT NULL" : "")
      + " REFERENCES \(destination)(\"id\") DEFERRABLE INITIALLY DEFERRED"
  }

  private func indexes(of family: [EntityLayout]) -> [String] {
    var result: [String] = []
    var seen: Set<[String]> = []
    func add(_ names: [String], in layout: EntityLayout, isUnique: Bool) {
      let columns = names.compactMap { name in layout.column(of: name).map { layout.columns[$0] } }
      guard columns.count == names.count, !columns.isEmpty,
        seen.insert(columns.map(\.name) + [isUnique ? "unique" : ""]).inserted
      else { return }
      let name =
        ([layout.entity.table] + columns.map(\.name)).joined(separator: "_")
        + (isUnique ? "_unique" : "_index")
      let condition = isUnique ? layout.condition.map { " WHERE \($0)" } ?? "" : ""
      result.append(
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(quoted(name)) ON \(layout.table)"
          + " (\(columns.map(\.quoted).joined(separator: ", ")))\(condition)"
      )
    }
    for layout in family {
      for names in layout.entity.uniques { add(names, in: layout, isUnique: true) }
      for column in layout.columns where column.destination != nil {
        add([column.property], in: layout, isUnique: false)
      }
      for names in layout.entity.indexes { add(names, in: layout, isUnique: false) }
    }
    return result
  }

  private func view(of layout: EntityLayout) -> String {
    let list = (["\"id\"", "\"_entity\""] + layout.columns.map(\.quoted)).joined(separator: ", ")
    return "CREATE VIEW \(quoted(layout.entity.name)) AS SELECT \(list) FROM \(layout.table)"
      + (layout.condition.map { " WHERE \($0)" } ?? "")
  }

  private func definition(of join: JoinTable) -> TableDefinition {
    let first = quoted(join.firstColumn)
    let second = quoted(join.secondColumn)
    return TableDefinition(
      name: join.name,
      create: """
        CREATE TABLE \(quoted(join.name)) (
          \(first) INTEGER NOT NULL REFERENCES \(join.firstTable)("id") DEFERRABLE INITIALLY DEFERRED,
          \(second) INTEGER NOT NULL REFERENCES \(join.secondTable)("id") DEFERRABLE INITIALLY DEFERRED,
          PRIMARY KEY (\(first), \(second))
        ) STRICT, WITHOUT ROWID
        """,
      columns: [join.firstColumn, join.secondColumn],
      indexes: [
        "CREATE INDEX \(quoted(join.name + "_" + join.secondColumn + "_index"))"
          + " ON \(quoted(join.name)) (\(second), \(first))"
      ],
      views: []
    )
  }
}

private let reservedPrefixes = ["sqlite_", "store_", "history_", "travelog_"]
