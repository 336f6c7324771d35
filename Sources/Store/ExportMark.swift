import SQLite

extension Store {
  /// Remembers that the store was exported, so that an empty folder of logs does not pass for the
  /// place of a first export.
  ///
  /// The mark is in the catalog, which no digest covers; a replica may have it too. The filter is the
  /// name of the filtered logs, and nil for whole logs.
  package func rememberExport(filter: String?) throws {
    try inTransaction { _, connection in
      try Catalog.set(exportKey(filter), value: .integer(1), on: connection)
    }
  }

  /// Forgets all exports, for a store that gets a new identity.
  static func forgetExports(on connection: Connection) throws {
    try connection.execute("DELETE FROM store_catalog WHERE key GLOB '\(exportKey(nil))*'")
  }
}

extension Reader {
  /// Whether the store was exported before, to any folder, with a filter of this name or whole.
  package func remembersExport(filter: String?) throws -> Bool {
    try Catalog.value(exportKey(filter), on: connection) != .null
  }
}

private func exportKey(_ filter: String?) -> String {
  "exported" + (filter.map { "/partial=\($0)" } ?? "")
}
