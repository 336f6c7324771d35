import Format
import SQLite

/// The rows of a point, which a reader's statements read instead of the tables.
///
/// A temporary view has the name of each table, and SQLite looks for names among temporary objects
/// first.
struct ShownRows {
  /// The end of the history from which the rows were made.
  let head: Reader.Head
  /// The values that are NULL because they were erased, as in ``Reader/unknownValues()``.
  let erased: [RowKey: [ColumnIndex: Int64]]
  /// The schema of the point.
  let schema: StoreSchema
  private let views: [String]
  /// The quoted columns with the order of rows that only their keys identify, by table.
  private(set) var orders: [String: String] = [:]

  /// The statements for the keys of the rows that changed after the point, by the quoted names of
  /// their tables.
  private(set) var changedKeys: [String: String] = [:]

  /// Makes the rows in the reader's snapshot.
  ///
  /// - Throws: ``StoreError``, as ``PastState``.
  init(of reader: Reader, after transaction: Int64, replacing old: ShownRows?) throws {
    let connection = reader.connection
    for view in old?.views ?? [] { try connection.execute("DROP VIEW temp.\(quoted(view))") }
    let tables = try connection.all(
      "SELECT name FROM temp.sqlite_schema WHERE type = 'table' AND name GLOB 'travelog_*'"
    ) { $0.string(at: 0) }
    for table in tables { try connection.execute("DROP TABLE temp.\(quoted(table))") }
    let state = try PastState(snapshotOf: reader, after: transaction)
    erased = try state.readAll()
    schema = state.schema
    for table in state.tables {
      changedKeys[quoted(table.name)] = table.changedKeys
      orders[table.name] = try table.createView(identity: schema[table.name]?.identity)
    }
    views = state.tables.map(\.name)
    head = reader.head
  }
}
