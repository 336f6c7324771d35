public import FoundationEssentials
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
  /// - Throws: ``StoreError``, with ``StoreError/Code/irreversible`` where a schema change or erased
  ///   values lie on the way; the copy is then as it was.
  public static func rewind(
    _ file: URL,
    to transaction: Int64,
    options: Options = Options()
  ) throws {
    let location = Location.file(file)
    try describingErrors(at: location.path) {
      let (connection, catalog) = try StoreFile(location: location, options: options)
        .open(schema: nil)
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
        try rewind(writer, to: transaction)
        try writer.blobs.prepareToCommit()
      }
      writer.committed()
    }
  }

  private static func rewind(_ writer: Writer, to transaction: Int64) throws {
    let connection = writer.connection
    let rows = HistoryRows(connection)
    var position = try rows.range().head.transaction
    if case .integer(let rewound) = try Catalog.value("rewound", on: connection) {
      position = rewound
    }
    guard (0...position).contains(transaction) else {
      throw StoreError(
        .misuse,
        "The store \(connection.path) is at transaction \(position), and can't be taken back to"
          + " \(transaction).",
        path: connection.path
      )
    }
    try writer.beginRows()
    let replayer = try Replayer(writer)
    replayer.content = { try writer.blobs.content($0) }
    if transaction < position {
      try rows.inverses(of: transaction + 1...position) { try replayer.takeBack($1, of: $0) }
      try replayer.endTakingBack()
    }
    try Catalog.set("replica", .integer(1), on: connection)
    try Catalog.set("rewound", .integer(transaction), on: connection)
  }
}
