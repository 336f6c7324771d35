extension Store {
  /// Reverts transactions by recording a new one: all of them, or none.
  ///
  /// Later changes stay; if one depends on those to be undone, nothing is written.
  ///
  /// - Returns: The new transaction; nil if the old ones have no effect together.
  /// - Throws: ``StoreError``, with ``StoreError/Code/undoConflict`` and all conflicts if later
  ///   changes depend on these, and with ``StoreError/Code/irreversible`` if the schema changed
  ///   since, or values were erased.
  @discardableResult
  package func undo(_ range: ClosedRange<Int64>, author: Author) throws -> Int64? {
    var made: Int64?
    try write(author, committed: { made = $0 }) { writer in
      let undo = try Undo(writer)
      try undo.run(range)
      guard undo.conflicts.isEmpty else { throw try undo.refusal(range) }
    }
    return made
  }

  /// Checks whether ``undo(_:author:)`` would succeed, and throws its errors.
  package func checkUndo(_ range: ClosedRange<Int64>) throws {
    struct NotMeant: Error {}
    do {
      try write(Author(name: nil)) { writer in
        let undo = try Undo(writer)
        try undo.run(range)
        guard undo.conflicts.isEmpty else { throw try undo.refusal(range) }
        throw NotMeant()
      }
    } catch is NotMeant {
      // It would succeed, and has been rolled back.
    }
  }
}
