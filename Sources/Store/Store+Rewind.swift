import FoundationEssentials
import SQLite

extension Store {
  /// Rewinds a copy of a store to its state after an earlier transaction.
  ///
  /// The copy keeps its history, so it can be rewound further. The copy becomes read-only, like a
  /// replica.
  ///
  /// - Parameters:
  /// - file: The copy with its blob files, which is not open elsewhere.
  /// - transaction: The last transaction whose changes stay; zero to revert all.
  /// - options: How the copy is opened.
  /// - tick: Called after each inverse change; its error ends the call.
  /// - Throws: ``StoreError``, with ``StoreError/Code/irreversible`` if a later transaction changed
  ///   the schema or was erased in part, and ``StoreError/Code/historyExpired`` if a later
  ///   transaction was deleted. The copy is then unchanged.
  package static func rewind(
    _ file: URL,
    to transaction: Int64,
    options: Options = Options(),
    tick: () throws -> Void = {}
  ) throws {
    let location = Location.file(file)
    try describingErrors(at: location.path) {
      let (connection, catalog) = try StoreFile(location: location, options: options).open()
      let writer = try Writer(
        connection,
        catalog: catalog,
        location: location,
        provenance: options.provenance
      )
      try connection.setForeignKeys(enforced: false)
      try connection.inTransaction(abandoned: writer.abandon) {
        if !catalog.isReplica { try writer.seal() }
        try takeBack(writer, to: transaction, tick)
      }
      writer.committed()
    }
  }
}
