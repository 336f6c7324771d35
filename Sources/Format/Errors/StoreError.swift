package struct StoreError: Error, Worded {
  /// The kind of a failure.
  ///
  /// Later versions may add kinds of failures, so a `switch` needs a default.
  package enum Code: Hashable, Sendable {
    // Failures of the file.
    case missing, notPermitted, notADatabase, notAStore, damaged, newerFormat, locked, readOnly
    case diskFull, inputOutput, outOfMemory, missingBlob
    // Failures of the schema.
    case schemaMismatch, invalidSchema, newerSchema, migrationRefused, changedMeanwhile
    // Failures of an object.
    case duplicate, missingValue, invalidValue, missingReference, deletionDenied, missingObject
    case unreadableValue
    // Failures of the history.
    case historyExpired, historyDiverged, historyGap, otherStore, replayMismatch, replica
    case irreversible, undoConflict
    // A call that is not allowed, or a statement that SQLite refused.
    case misuse, database
  }

  package let code: Code
  /// The file, or the name of a store in memory; nil if the error is not about a store.
  package let path: String?
  package let wording: Wording
  /// What the error lists, such as objects, differences or conflicts.
  package let items: [any Hashable & Sendable]
  package let cause: (any Error)?

  /// Creates an error.
  ///
  /// If the words have no second line, the hint of the code is used. The words are a closure, so
  /// that they stand alone below the code.
  package init(
    _ code: Code,
    at path: String? = nil,
    items: [any Hashable & Sendable] = [],
    cause: (any Error)? = nil,
    _ wording: () -> Wording
  ) {
    self.code = code
    self.path = path
    self.wording = wording().withHint(code.hint)
    self.items = items
    self.cause = cause
  }

  /// The same error about the user's store, after an operation on a copy of the store.
  package func naming(_ path: String, insteadOf copy: String) -> StoreError {
    StoreError(code, at: path, items: items, cause: cause) {
      wording.naming { $0.replacing(visible(copy), with: visible(path)) }
    }
  }
}

extension StoreError.Code {
  /// The usual remedy for failures with this code; empty if there is no usual remedy.
  package var hint: String {
    switch self {
    case .missing, .notADatabase, .notAStore: "Check the path."
    case .damaged:
      "Restore the store from a copy, or rebuild the store: travelog import LOGS --into NEW"
    case .newerFormat: "Use a newer version of the program."
    case .locked: "Try again when the other program has finished."
    case .readOnly: "Check the permissions."
    case .diskFull: "Free some space and try again."
    case .inputOutput: "Check the disk."
    case .outOfMemory:
      "Try again when other programs need less memory, or raise this program's limit."
    case .changedMeanwhile: "Try again."
    case .historyExpired: "Read all objects once, and continue with a new token."
    case .replayMismatch: "Create a new replica: travelog import LOGS --into NEW"
    case .irreversible: "Revert only later transactions."
    case .undoConflict: "Undo the later changes first."
    default: ""
    }
  }
}
