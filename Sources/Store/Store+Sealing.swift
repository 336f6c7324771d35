import SQLite

extension Store {
  /// Seals foreign changes, if there are any.
  ///
  /// The function does not wait for another writer, because every writer of Travelog seals captured
  /// changes itself. The function returns false if nothing could be sealed, because the store is a
  /// replica, is open for reading, or is being written.
  @discardableResult
  package func sealForeignChanges() throws -> Bool {
    guard case .unsealed = try read({ $0.head }) else { return true }
    return try describingErrors(at: location.path) {
      try lock.withLock { try sealIfNobodyWrites { _ in } != nil }
    }
  }

  /// Seals foreign changes; if another program is writing, returns nil instead of waiting.
  ///
  /// The closure is called first, while the write lock is held.
  func sealIfNobodyWrites<Result>(
    before: (Connection) throws -> Result
  ) throws -> Result? {
    guard let writer, let connection = writerConnection, !isWriting, !isReplica,
      !connection.isInTransaction
    else { return nil }
    connection.setBusyTimeout(.zero)
    defer { connection.setBusyTimeout(options.busyTimeout) }
    do {
      try connection.execute("BEGIN IMMEDIATE")
    } catch SQLiteError.busy {
      return nil
    }
    do {
      let result = try before(connection)
      try writer.seal()
      try connection.execute("COMMIT")
      writer.committed()
      return result
    } catch {
      writer.abandon()
      connection.rollBack()
      throw error
    }
  }
}
