import Format

extension StoreError {
  package var objects: [ObjectName] { items as? [ObjectName] ?? [] }

  /// The differences between the schema of the file and the requested schema.
  package var differences: [SchemaDifference] { items as? [SchemaDifference] ?? [] }

  /// The conflicts that prevent an undo.
  package var undoConflicts: [UndoConflict] { items as? [UndoConflict] ?? [] }

  /// The values that a replayed transaction expected and did not find.
  package var replayDifferences: [ReplayDifference] { items as? [ReplayDifference] ?? [] }
}
