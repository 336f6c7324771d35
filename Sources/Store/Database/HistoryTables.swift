import SQLite

/// The names of the tables that contain the catalog and the history.
///
/// A store of the library has names without a prefix. In a file that another program owns, all
/// names have one prefix, which distinguishes them from the names of the program's tables.
package struct HistoryTables: Hashable, Sendable {
  /// The prefix of the names; nil in a store of the library.
  package let prefix: String?

  package init(prefix: String? = nil) { self.prefix = prefix }

  package var catalog: String { name("catalog", inStore: "store_catalog") }
  package var schema: String { name("schema", inStore: "store_schema") }
  package var blob: String { name("blob", inStore: "store_blob") }
  package var transaction: String { name("transaction", inStore: "history_transaction") }
  package var change: String { name("change", inStore: "history_change") }
  package var unknown: String { name("unknown", inStore: "history_unknown") }

  private func name(_ name: String, inStore storeName: String) -> String {
    prefix.map { $0 + name } ?? storeName
  }
}

extension Connection {
  package var tables: HistoryTables { HistoryTables(prefix: tablePrefix) }
}
