import SQLite

extension Store {
  /// Seals foreign changes, if there are any.
  ///
  /// The function does not wait for another writer, because every writer of Travelog seals captured
  /// changes itself. The function returns false if nothing could be sealed, because the store is a
  /// replica, is open for reading, or is being written.
  @discardableResult
  package func sealForeignChanges() throws -> Bool {
    // Commands seal an adopted file when they open it, so nothing is due there.
    let isDue =
      try !schema.belongsToProgram
      && read { reader in
        try writer == nil
          ? StoreCapture.isAnythingWaiting(on: reader.connection)
          : StoreCapture.isAnythingCaptured(schema, on: reader.connection)
      }
    guard isDue else { return true }
    guard writer != nil else {
      return try !isReplica && read { try file.sealForReading($0.connection) }
    }
    return try describingErrors(at: location.path) {
      try lock.withLock { try sealIfNobodyWrites() }
    }
  }

  /// Seals foreign changes; if another program is writing, returns false instead of waiting.
  private func sealIfNobodyWrites() throws -> Bool {
    guard let writer, let connection = writerConnection, !isWriting, !isReplica,
      !connection.isInTransaction
    else { return false }
    connection.setBusyTimeout(.zero)
    defer { connection.setBusyTimeout(options.busyTimeout) }
    do {
      try connection.execute("BEGIN IMMEDIATE")
    } catch SQLiteError.busy {
      return false
    }
    do {
      try writer.seal()
      try connection.execute("COMMIT")
      writer.committed()
      return true
    } catch {
      writer.abandon()
      connection.rollBack()
      throw error
    }
  }
}
