/// Why a store could not do something.
package struct StoreError: Error, Worded {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  package enum Code: Hashable, Sendable {
    // The file.
    case missing, notADatabase, notAStore, damaged, newerFormat, locked, readOnly
    case diskFull, inputOutput, outOfMemory, missingBlob
    // The schema.
    case schemaMismatch, invalidSchema, newerSchema, migrationRefused, changedMeanwhile
    // An object.
    case duplicate, missingValue, invalidValue, missingReference, deletionDenied, missingObject
    case unreadableValue
    // The history.
    case historyExpired, historyDiverged, historyGap, replayMismatch, replica, irreversible
    case undoConflict
    // A call that is not allowed, and a statement that SQLite refused.
    case misuse, database
  }

  /// What happened, as data.
  package let reason: any StoreReason
  /// The file, or the name of a store in memory; nil if the error is not about a store.
  package let path: String?
  package let cause: (any Error)?

  package init(_ reason: any StoreReason, path: String? = nil, cause: (any Error)? = nil) {
    self.reason = reason
    self.path = path
    self.cause = cause
  }

  /// The same error with another path, by which the user knows the store.
  package func at(_ path: String) -> StoreError { reason.at(path, cause: cause) }

  package var code: Code { reason.code }
  package var wording: Wording { reason.wording(path ?? "").withHint(code.hint) }
}

/// The reason for a ``StoreError``: an enumeration with payloads for each subject.
package protocol StoreReason: Sendable {
  var code: StoreError.Code { get }
  /// The text for the store at a path; the code has a hint if this has no second line.
  func wording(_ path: String) -> Wording
}

extension StoreReason {
  /// The error of the store at a path.
  package func at(_ path: String, cause: (any Error)? = nil) -> StoreError {
    StoreError(self, path: path, cause: cause)
  }
}

extension StoreError.Code {
  /// The usual remedy for failures of this kind; empty if there is none.
  package var hint: String {
    switch self {
    case .missing, .notADatabase, .notAStore: "Check the path."
    case .damaged: "Restore the store from a copy, or rebuild it: travelog import LOGS --into NEW"
    case .newerFormat: "Use a newer version of the program."
    case .locked: "Try again when it has finished."
    case .readOnly: "Check the permissions."
    case .diskFull: "Free some space and try again."
    case .inputOutput: "Check the disk."
    case .outOfMemory:
      "Try again when other programs need less memory, or raise this program's limit."
    case .changedMeanwhile: "Try again."
    case .historyExpired: "Read the whole state, and continue from there."
    case .replayMismatch: "Create a new replica: travelog import LOGS --into NEW"
    case .irreversible: "Use only later transactions."
    case .undoConflict: "Undo the later changes first."
    default: ""
    }
  }
}
