import Format

/// A row that differs between two stores, or that only one of them has.
package struct RowPair: Sendable {
  /// The values in the order of the table's columns; nil if only the second store has the row.
  package var before: [Value]?
  package var after: [Value]?

  /// The values of the row in a store that has it; the key is read from them.
  package var either: [Value] { after ?? before ?? [] }
}

extension Reader {
  /// Calls the closure with the rows that differ, sorted by table and then by key.
  ///
  /// Only tables that both stores have are compared.
  ///
  /// Both stores are read at the same time; only one row of each store is in memory.
  package func rowDifferences(
    to other: Reader,
    in tables: [TableDefinition],
    _ body: (TableDefinition, RowPair) throws -> Void
  ) throws {
    let parts = tables.map { table in
      let source = ComparedRows.Source(
        quoted(table.name),
        columns: table.columns.map(quoted),
        keys: table.keys
      )
      return ComparedRows.Part(
        left: source,
        right: source,
        keys: Int32(table.keys),
        columns: Int32(table.columns.count)
      )
    }
    let search = DifferenceSearch(self, other, compared: parts.map { ComparedRows(parts: [$0]) })
    let merges = try parts.map { try RowMerge($0, left: self, right: other) }
    try search.run { index, ids in
      for id in ids {
        try merges[index].begin(id...id)
        while try merges[index].next() != nil { try body(tables[index], merges[index].pair()) }
      }
    }
  }
}

extension TableDefinition {
  /// The number of columns in the key: one for an object's id, two for a link.
  package var keys: Int { columns.first == "id" ? 1 : 2 }
}
