import Changes

/// A row that differs between two stores, or is in one only.
package struct RowPair: Sendable {
  /// In the order of the table's columns; nil if the row is only in the second store.
  package var before: [Value]?
  package var after: [Value]?

  /// The values of one side, for the columns of the key.
  package var either: [Value] { after ?? before ?? [] }
}

extension Reader {
  /// Calls with the stored rows that differ in tables of both stores: by table, then by key.
  ///
  /// It reads both stores at once and holds one row of each.
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
  /// The number of columns of the key: the id of an object, or the two ids of a link.
  package var keys: Int { columns.first == "id" ? 1 : 2 }
}
