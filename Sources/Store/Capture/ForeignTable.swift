import Changes

/// A table whose rows are caught when a writer changes them that is not ours.
struct ForeignTable {
  /// Values that no two rows have together.
  struct Unique {
    /// The columns' quoted names.
    let columns: [String]
    /// The entities whose rows it holds for; nil for all rows of the table.
    let entities: [String]?
  }

  /// What its rows are.
  enum Content {
    /// The objects of a family, by the indexes of the entities that have rows here.
    case objects([String: EntityIndex])
    /// The links of a join table, by its index.
    case links(JoinIndex)
  }

  let name: String
  let content: Content
  /// The quoted name of the column with the object's id: of the row itself, or of a link's owner.
  let object: String
  /// The quoted names of the columns of the primary key.
  let key: [String]
  /// The quoted names of all columns but ``object``, as they are kept.
  let columns: [String]
  let uniques: [Unique]

  /// The condition that a row stands in the way of another, as a unique index would say it; the
  /// closures give the SQL for a column's value in the one row and in the other.
  func conflict(_ mine: (String) -> String, with theirs: (String) -> String) -> String {
    var terms = [key.map { "\(mine($0)) = \(theirs($0))" }.joined(separator: " AND ")]
    for unique in uniques {
      var conditions = unique.columns.map { "\(mine($0)) = \(theirs($0))" }
      if let entities = unique.entities {
        conditions.append(isOne(of: entities, column: mine("\"_entity\"")))
        conditions.append(isOne(of: entities, column: theirs("\"_entity\"")))
      }
      terms.append(conditions.joined(separator: " AND "))
    }
    return terms.map { "(\($0))" }.joined(separator: " OR ")
  }
}

extension StoreSchema {
  /// The tables of all entities and links.
  func foreignTables() throws -> [ForeignTable] {
    let layouts = try layouts()
    let joins = joinTables(among: layouts)
    return try tables().map { definition in
      let columns = definition.columns.map { quoted($0) }
      if let join = joins.firstIndex(where: { $0.name == definition.name }) {
        return ForeignTable(
          name: definition.name,
          content: .links(JoinIndex(join)),
          object: columns[0],
          key: Array(columns.prefix(2)),
          columns: Array(columns.dropFirst()),
          uniques: []
        )
      }
      let family = layouts.filter { $0.entity.table == definition.name }
        .sorted { ($0.ancestors.count, $0.index) < ($1.ancestors.count, $1.index) }
      return ForeignTable(
        name: definition.name,
        content: .objects(
          Dictionary(family.map { ($0.entity.name, $0.index) }, uniquingKeysWith: { $1 })
        ),
        object: columns[0],
        key: [columns[0]],
        columns: Array(columns.dropFirst()),
        uniques: uniques(of: family, layouts: layouts)
      )
    }
  }

  /// What the unique indexes of a table say, of which there is one for each set of columns.
  private func uniques(
    of family: [EntityLayout],
    layouts: [EntityLayout]
  ) -> [ForeignTable.Unique] {
    var result: [ForeignTable.Unique] = []
    for layout in family {
      for names in layout.entity.uniques {
        let columns = names.compactMap { layout.column(of: $0) }.map { layout.columns[$0].quoted }
        guard columns.count == names.count, !columns.isEmpty,
          !result.contains(where: { $0.columns == columns })
        else { continue }
        result.append(
          ForeignTable.Unique(
            columns: columns,
            entities: layout.entity.parent == nil
              ? nil : layout.family.map { layouts[$0].entity.name }
          )
        )
      }
    }
    return result
  }
}
