import SQLite

extension Store {
  /// Records in the catalog that the store was exported.
  ///
  /// After an export was recorded, an export into an empty log folder fails unless the user asks
  /// for it, because the earlier logs may be elsewhere. No digest covers the mark, and a replica
  /// can have it too. `filter` is the name of the filtered logs; nil for whole logs.
  package func rememberExport(filter: String?) throws {
    try inTransaction { _, connection in
      try Catalog.set(exportKey(filter), value: .integer(1), on: connection)
    }
  }

  /// Removes the marks of all exports, because the store gets a new identifier.
  static func forgetExports(on connection: Connection) throws {
    try connection.execute(
      "DELETE FROM \(connection.tables.catalog) WHERE key GLOB '\(exportKey(nil))*'"
    )
  }
}

extension Reader {
  /// Whether an export to any folder was recorded: an export with the filter of this name, or of
  /// whole logs if `filter` is nil.
  package func remembersExport(filter: String?) throws -> Bool {
    try Catalog.value(exportKey(filter), on: connection) != .null
  }
}

private func exportKey(_ filter: String?) -> String {
  "exported" + (filter.map { "/partial=\($0)" } ?? "")
}
