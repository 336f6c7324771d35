import Changes
import Store

extension StoreError {
  /// The conflicts that prevent an undo.
  package var undoConflicts: [UndoConflict] {
    if case HistoryFailure.undoConflict(_, let conflicts, _)? = reason as? HistoryFailure {
      conflicts
    } else {
      []
    }
  }

  /// The values that a replayed transaction expected and did not find.
  package var replayDifferences: [ReplayDifference] {
    if case ReplayFailure.mismatch(_, let differences)? = reason as? ReplayFailure {
      differences
    } else {
      []
    }
  }
}
