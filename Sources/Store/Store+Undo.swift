extension Store {
  /// Reverts all transactions in a range, or none of them, by recording a new transaction.
  ///
  /// Later changes remain. If a later change depends on a reverted change, nothing is written.
  ///
  /// - Returns: The new transaction; nil if the transactions together changed nothing.
  /// - Throws: ``StoreError``, with ``StoreError/Code/undoConflict`` and all conflicts if later
  ///   changes depend on the transactions, and with ``StoreError/Code/irreversible`` if a later
  ///   transaction changed the schema, or if values were erased.
  @discardableResult
  package func undo(_ range: ClosedRange<Int64>, author: Author) throws -> Int64? {
    try undo(range, author: author) {}
  }

  /// Throws the errors that ``undo(_:author:)`` would throw, and changes nothing.
  package func checkUndo(_ range: ClosedRange<Int64>) throws {
    struct NotMeant: Error {}
    do {
      try undo(range, author: Author(name: nil)) { throw NotMeant() }
    } catch is NotMeant {
      // The dry run has succeeded. It ends with this error so that its transaction is rolled back.
    }
  }

  @discardableResult
  private func undo(
    _ range: ClosedRange<Int64>,
    author: Author,
    finished: () throws -> Void
  ) throws -> Int64? {
    guard schema.isAdopted else {
      var made: Int64?
      try write(author, committed: { made = $0 }) {
        try Undo($0).run(range)
        try finished()
      }
      return made
    }
    guard !followsDatabase else { throw followerRefusal(at: location.path) }
    return try maintain { writer in
      let made = try AdoptedUndo.run(range, author: author, writer: writer)
      try finished()
      try writer.blobs.prepareToCommit()
      return made
    }
  }
}
