extension Store {
  /// Takes transactions back by a new one, which is recorded as any other.
  ///
  /// All of them are taken back, or none. What others did later stays; where it stands on what is
  /// to be undone, nothing is done.
  ///
  /// - Returns: The new transaction; nil if the old ones come to nothing.
  /// - Throws: ``StoreError``, with ``StoreError/Code/undoConflict`` and all conflicts where later
  ///   changes stand on these, and with ``StoreError/Code/irreversible`` where a schema change is
  ///   among them or came later, or where values were erased.
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

  /// Does what ``undo(_:author:)`` does up to the commit, and leaves the store as it was.
  ///
  /// - Throws: What undoing would throw.
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
      // All of it could be done, and was taken back.
    }
  }
}
