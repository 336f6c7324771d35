import Format

/// The report of `--dry-run` about a table: how it is recorded, or why it is not recorded.
extension TableDescription: Worded {
  package var wording: Wording {
    switch recording {
    case .triggers(.integer(let column)):
      "Table '\(name)' is recorded. Its rows are identified by the integer '\(column)'."
    case .triggers(.columns(let columns, rowid: nil)):
      "Table '\(name)' is recorded. Its rows are identified by \(list(columns))."
    case .triggers(.columns(let columns, rowid: _)):
      """
      Table '\(name)' is recorded. Its rows are identified by \(list(columns)); a row with NULL in \
      one of these columns is identified by its rowid.
      VACUUM can change rowids; declare these columns NOT NULL to avoid rowids.
      """
    case .triggers(.rowid):
      """
      Table '\(name)' is recorded. It has no primary key, so its rows are identified by their rowid.
      VACUUM can change rowids; a primary key identifies rows permanently.
      """
    case .through(let table):
      "The content of table '\(name)' is in table '\(table)' and is recorded with that table."
    case .part(let owner): "Table '\(name)' is a part of table '\(owner)' and is not recorded."
    case .refused(let refusal): "Table '\(name)' is not recorded: " + refusal.wording
    }
  }

  private func list(_ columns: [String]) -> String {
    columns.map { "'\($0)'" }.joined(separator: ", ")
  }
}

extension TableRefusal {
  fileprivate var wording: Wording {
    switch self {
    case .leftOut: "the table is left out."
    case .contentless:
      """
      the table is a full-text index without content.
      Record the table whose texts the index contains, and rebuild the index from that table.
      """
    case .module(let module):
      """
      the table is a virtual table of the module '\(module)'.
      The only virtual tables that can be recorded are FTS5 tables.
      """
    case .externalContent(let table):
      """
      the table is an index of '\(table)', which is not a recorded table.
      If '\(table)' is a view, record the tables that the view reads.
      """
    case .collation(let name):
      """
      the table has an index with the collation '\(name)', which only the program knows.
      Travelog can compare texts only with the collations BINARY, NOCASE and RTRIM.
      """
    case .tooWide(let columns):
      """
      the table has \(columns) columns.
      SQLite allows 2000 columns, and a captured row has each value twice, so at most 990 columns \
      can be recorded.
      """
    case .hiddenRowid:
      """
      the rows can only be identified by rowid, which can't be read because columns are named \
      rowid, _rowid_ and oid.
      Add a primary key to the table. If it has one, declare all columns of the key NOT NULL.
      """
    }
  }
}
