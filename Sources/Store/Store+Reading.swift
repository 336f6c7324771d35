import Format
import SQLite

extension Store {
  /// Calls the closure with a reader, which sees one state of the store; ``takeReader(after:)``
  /// explains the point.
  package func read<Result>(
    after point: Int64? = nil,
    _ body: (Reader) throws -> Result
  ) throws -> Result {
    func run() throws -> Result {
      let reader = try takeReader(after: point)
      do {
        let result = try describingErrorsOfFiles { try body(reader) }
        try file.checkIsUnchanged(reader.connection)
        giveBack(reader)
        return result
      } catch {
        giveBack(reader)
        throw error
      }
    }
    return try isInMemory ? lock.withLock(run) : run()
  }

  /// The first bytes of a file, which can be an open store.
  ///
  /// The first bytes of the file are read through SQLite, because closing any other descriptor of
  /// the file would release all locks that this process has on it.
  package static func firstBytes(of path: String, count: Int) throws -> [UInt8] {
    try describingErrors(at: path) {
      try Connection(path: path, mode: .readOnly).firstBytes(count)
    }
  }

  /// Lends a reader, which sees one state of the store until it is returned.
  ///
  /// Until the reader is returned, the write-ahead log can't be emptied, and grows. A reader of a
  /// store in memory sees later writes.
  ///
  /// - Parameter point: The last transaction whose changes the rows show; by default that of the
  ///   options. Its history is not cut off there.
  /// - Returns: The reader, which must be given back.
  /// - Throws: ``StoreError``. If history does not show the rows at the point, its code is
  ///   ``StoreError/Code/historyExpired``; if a later transaction migrated the store, so that only a
  ///   restore shows them, it is ``StoreError/Code/irreversible``.
  package func takeReader(after point: Int64? = nil) throws -> Reader {
    try describingErrors(at: location.path) {
      let point = point ?? options.point
      // The connection of a store in memory is the writer's, which must see the rows that exist now.
      guard point == nil || !isInMemory else {
        throw StoreError(.misuse, at: location.path) {
          "Earlier states can be read only from a file, and \(location.path) is in memory."
            + "\nOpen a store in a file."
        }
      }
      let known = point == options.point ? readers.take() : nil
      let reader = try known ?? makeReader(on: connectionForReading(), point: point)
      try reader.begin()
      do {
        try schemaCheck.run(on: reader.connection)
      } catch {
        giveBack(reader)
        throw error
      }
      return reader
    }
  }

  /// Lends a reader with a companion, which is a second reader of the same state.
  ///
  /// The reader does not have a companion if the store is in memory, or if another program writes
  /// again and again.
  package func takeReaderWithCompanion() throws -> Reader {
    let reader = try takeReader()
    guard !reader.isShared else { return reader }
    do {
      for _ in 0..<3 {
        let version = try reader.version()
        let companion = try takeReader()
        // A program may have committed between the two snapshots, so the reader takes a newer one.
        try reader.refresh()
        if try reader.version() == version {
          reader.companion = companion
          return reader
        }
        giveBack(companion)
      }
    } catch {
      giveBack(reader)
      throw error
    }
    giveBack(reader)
    return try takeReader()
  }

  package func watch() throws -> CommitWatch {
    try describingErrors(at: location.path) {
      CommitWatch(self, connection: isInMemory ? nil : try file.connectReader())
    }
  }

  package func giveBack(_ reader: Reader) {
    if let companion = reader.companion {
      reader.companion = nil
      giveBack(companion)
    }
    do {
      try reader.end()
      if reader.point == options.point { readers.giveBack(reader) }
    } catch {
      // If the reader can't end its snapshot, it is closed instead.
    }
  }

  private func connectionForReading() throws -> Connection {
    if isInMemory, let writerConnection { return writerConnection }
    return try file.connectReader()
  }

  func makeReader(on connection: Connection, point: Int64?) -> Reader {
    Reader(
      connection: connection,
      layouts: layouts,
      isShared: isInMemory,
      blobFolder: location.blobFolder,
      point: point
    )
  }
}
