import Format
import SQLite

extension Store {
  /// Removes the triggers of an adopted file while a function runs.
  ///
  /// The changes that the function makes are recorded as one transaction of op `migration`.
  ///
  /// Before the function runs, the recorded rows are copied to a temporary file, so that the
  /// differences can be recorded.
  ///
  /// SQLite refuses DROP COLUMN while a trigger names the column. The triggers are restored even if
  /// the function fails; after a kill, the next command that opens the file restores them.
  package static func suspend<Result>(
    _ path: String,
    busyTimeout: Duration = .seconds(10),
    during body: () throws -> Result
  ) throws -> Result {
    try describingErrors(at: path) {
      let connection = try openAdopted(path, busyTimeout: busyTimeout)
      try connection.setTriggers(enabled: false)
      let folder = BlobFolder(besides: path)
      try AdoptedFile.seal(on: connection, blobFolder: folder, timeout: busyTimeout)
      guard let names = AdoptedFile.names(on: connection) else { return try body() }
      let blobs = Blobs(connection, folder: folder)
      let earlier = try AdoptedFile.inTransaction(
        waiting: busyTimeout,
        blobs: blobs,
        on: connection
      ) {
        // A program can have committed changes since the seal. The captured rows are removed
        // together with the triggers.
        try Capture.sealAll(names, blobs: blobs, on: connection)
        let catalog = try Catalog(on: connection)
        let layouts = try catalog.schema.layouts()
        var uncaptured: Set<String> = []
        let digests = try layouts.map { layout in
          let name = layout.entity.name
          let table = Table(connection, layout: layout, layouts: layouts)
          var found = RowsDigest()
          let digest = try TableDigest(table) { found.add($0, values: table.stored($1)) }
          if let known = try RowsDigests.digest(of: name, on: connection), known != found {
            uncaptured.insert(name)
          }
          return (name, digest)
        }
        // Otherwise the copied rows would contain changes that no transaction has.
        if !uncaptured.isEmpty {
          _ = try SchemaRenewal(
            connection: connection,
            names: names,
            catalog: catalog,
            blobs: blobs
          ).recordAgain(uncaptured, author: Author())
        }
        let schema = try Catalog(on: connection).schema
        try AdoptedFile.removeCapture(names: names, on: connection)
        let earlier: EarlierTables
        do {
          earlier = try EarlierTables(of: schema, on: connection)
        } catch SQLiteError.full {
          throw StoreError(.diskFull, at: path) {
            "There is no space left for a temporary copy of the rows of \(path), which a migration"
              + " needs. Nothing is changed.\nSet the variable SQLITE_TMPDIR to a folder with more"
              + " space."
          }
        }
        try Suspension(tables: Dictionary(uniqueKeysWithValues: digests)).note(on: connection)
        return earlier
      }
      // The function may call a program that needs exclusive access to the file. So no statement
      // may keep it open.
      connection.removeCachedStatements()
      let outcome = Swift.Result { try body() }
      try AdoptedFile.seal(
        on: connection,
        blobFolder: folder,
        timeout: busyTimeout,
        earlier: earlier
      )
      return try outcome.get()
    }
  }
}
