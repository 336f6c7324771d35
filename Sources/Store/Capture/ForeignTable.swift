import Changes

/// A table whose rows are captured if a foreign writer changes them.
struct ForeignTable {
  /// The columns of a unique index.
  struct Unique {
    let columns: [String]
    /// The entities whose rows must have unique values; nil for all rows of the table.
    let entities: [String]?
  }

  enum Content {
    /// The objects of a family; the entities that have rows in the table are given by name.
    case objects([String: EntityIndex])
    case links(JoinIndex)
  }

  let name: String
  let content: Content
  /// The quoted name of the column with the id of the object or of a link's owner.
  let object: String
  /// The quoted names of the primary key's columns.
  let key: [String]
  /// The quoted names of all columns except ``object``, in the order in which captured rows have
  /// them.
  let columns: [String]
  let uniques: [Unique]

  /// The SQL condition that two rows conflict in a unique index.
  ///
  /// Each closure returns the SQL for a column of one of the two rows.
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

  /// The constraints of the unique indexes of a table, one for each set of columns.
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
