import Changes
import SQLite

/// A row that is in one store and not in another, or is otherwise there.
package struct RowPair: Sendable {
  /// The values in the first store, in the order of the table's columns; nil if it is not there.
  package var before: [Value]?
  /// The values in the second store.
  package var after: [Value]?

  /// The values of one side, for what both have in common.
  package var either: [Value] { after ?? before ?? [] }
}

extension Reader {
  /// Tells which rows of tables that both stores have differ as they are stored: table by table, in
  /// the order of their keys.
  ///
  /// It goes through both stores at once and holds one row of each.
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
  /// The number of columns that rows are found by: a table of objects has an id, and one of links
  /// the ids of both its ends.
  package var keys: Int { columns.first == "id" ? 1 : 2 }
}
