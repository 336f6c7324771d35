import FoundationEssentials
import SQLite

extension Store {
  /// Takes a copy of a store back to the state that it had after an earlier transaction.
  ///
  /// Its rows are taken back and its history is not, so that it can be taken back further. It takes
  /// no writes any more, as a replica doesn't: it is there to be looked at.
  ///
  /// - Parameters:
  ///   - file: The copy, which is open nowhere else, with its folder of large values.
  ///   - transaction: The last transaction whose changes stay; zero for none.
  ///   - options: How the copy is opened.
  ///   - tick: Called after each change that was taken back; what it throws ends the call.
  /// - Throws: ``StoreError``, with ``StoreError/Code/irreversible`` where a schema change or erased
  ///   values lie on the way, and ``StoreError/Code/historyExpired`` where history lacks one of the
  ///   transactions; the copy is then as it was.
  package static func rewind(
    _ file: URL,
    to transaction: Int64,
    options: Options = Options(),
    tick: () throws -> Void = {}
  ) throws {
    let location = Location.file(file)
    try describingErrors(at: location.path) {
      let (connection, catalog) = try StoreFile(location: location, options: options)
        .open()
      let writer = try Writer(
        connection: connection,
        catalog: catalog,
        layouts: catalog.schema.layouts(),
        blobFolder: location.blobFolder,
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
