package struct StoreError: Error, Worded {
  /// The kind of a failure.
  ///
  /// Later versions may add kinds of failures, so a `switch` needs a default.
  package enum Code: Hashable, Sendable {
    // Failures of the file.
    case missing, notADatabase, notAStore, damaged, newerFormat, locked, readOnly
    case diskFull, inputOutput, outOfMemory, missingBlob
    // Failures of the schema.
    case schemaMismatch, invalidSchema, newerSchema, migrationRefused, changedMeanwhile
    // Failures of an object.
    case duplicate, missingValue, invalidValue, missingReference, deletionDenied, missingObject
    case unreadableValue
    // Failures of the history.
    case historyExpired, historyDiverged, historyGap, replayMismatch, replica, irreversible
    case undoConflict
    // A call that is not allowed, or a statement that SQLite refused.
    case misuse, database
  }

  /// The failure as data, from which the text of the error is derived.
  package let reason: any StoreReason
  /// The file, or the name of a store in memory; nil if the error is not about a store.
  package let path: String?
  package let cause: (any Error)?

  package init(_ reason: any StoreReason, path: String? = nil, cause: (any Error)? = nil) {
    self.reason = reason
    self.path = path
    self.cause = cause
  }

  /// The same error with the path that the user gave for the store.
  package func at(_ path: String) -> StoreError { reason.at(path, cause: cause) }

  package var code: Code { reason.code }
  package var wording: Wording { reason.wording(path ?? "").withHint(code.hint) }
}

/// A type of reasons for a ``StoreError``, usually an enumeration with associated values.
package protocol StoreReason: Sendable {
  var code: StoreError.Code { get }
  /// The text of the failure for the store at a path. If the text has no second line, the hint of
  /// the code is used.
  func wording(_ path: String) -> Wording
}

extension StoreReason {
  /// The same failure as an error of the store at a path.
  package func at(_ path: String, cause: (any Error)? = nil) -> StoreError {
    StoreError(self, path: path, cause: cause)
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
