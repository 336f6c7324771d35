/// Why a store could not do something: what happened, where, and what to do.
package struct StoreError: Error {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  package struct Code: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
      case missing, notADatabase, notAStore, damaged, newerFormat, schemaMismatch
      case locked, readOnly, diskFull, inputOutput, invalidSchema, misuse, database
      case duplicate, missingValue, invalidValue, missingReference, deletionDenied
      case missingObject, unreadableValue, missingBlob
      case newerSchema, migrationRefused, changedMeanwhile
      case historyExpired, historyDiverged, historyGap, replayMismatch, replica
      case irreversible, undoConflict, outOfMemory
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// There is no file.
    package static let missing = Code(.missing)
    /// The file is no SQLite database.
    package static let notADatabase = Code(.notADatabase)
    /// The file is an SQLite database of something else.
    package static let notAStore = Code(.notAStore)
    /// The file is damaged.
    package static let damaged = Code(.damaged)
    /// The file was written by a newer version of this library.
    package static let newerFormat = Code(.newerFormat)
    /// The file was written with another schema; see ``StoreError/differences``.
    package static let schemaMismatch = Code(.schemaMismatch)
    /// Another process held the file for longer than the busy timeout.
    package static let locked = Code(.locked)
    /// The file, its folder or the medium can't be written, or the store was opened so.
    package static let readOnly = Code(.readOnly)
    /// The disk is full.
    package static let diskFull = Code(.diskFull)
    /// Reading or writing failed.
    package static let inputOutput = Code(.inputOutput)
    /// There was no memory.
    package static let outOfMemory = Code(.outOfMemory)
    /// The schema can't be made into tables.
    package static let invalidSchema = Code(.invalidSchema)
    /// A call that the store does not allow.
    package static let misuse = Code(.misuse)
    /// SQLite refused a statement; see ``StoreError/cause``.
    package static let database = Code(.database)
    /// Another object has the same values in properties that are unique.
    package static let duplicate = Code(.duplicate)
    /// A property that must have a value has none.
    package static let missingValue = Code(.missingValue)
    /// A value that its property's type does not allow.
    package static let invalidValue = Code(.invalidValue)
    /// A relationship leads to an object that is not there.
    package static let missingReference = Code(.missingReference)
    /// A delete rule denies the deletion; see ``StoreError/objects``.
    package static let deletionDenied = Code(.deletionDenied)
    /// There is no object of that id.
    package static let missingObject = Code(.missingObject)
    /// A column holds what its property's type can't be read from.
    package static let unreadableValue = Code(.unreadableValue)
    /// The file that holds a value beside the store is gone.
    package static let missingBlob = Code(.missingBlob)
    /// The store has a newer schema version than the one that was asked for.
    package static let newerSchema = Code(.newerSchema)
    /// There is no way from the store's schema to the one that was asked for.
    package static let migrationRefused = Code(.migrationRefused)
    /// Another process changed the store while a copy of it was worked on.
    package static let changedMeanwhile = Code(.changedMeanwhile)
    /// A point in history that was deleted from it.
    package static let historyExpired = Code(.historyExpired)
    /// A point of a history that the store does not have: it was restored from an older copy.
    package static let historyDiverged = Code(.historyDiverged)
    /// A transaction that does not follow on the store's last.
    package static let historyGap = Code(.historyGap)
    /// A replayed change that did not find what it expects; see ``StoreError/replayDifferences``.
    package static let replayMismatch = Code(.replayMismatch)
    /// A write to a store that takes nothing but what is replayed into it.
    package static let replica = Code(.replica)
    /// Transactions that can't be taken back: a schema change, or what was erased.
    package static let irreversible = Code(.irreversible)
    /// Later changes stand on what was to be undone; see ``StoreError/undoConflicts``.
    package static let undoConflict = Code(.undoConflict)
  }

  /// What kind of failure it was.
  package let code: Code
  /// What happened, where, and what to do.
  package let message: String
  /// The end of the message that says what to do; empty if it is not told apart.
  package let hint: String
  /// The error below this one.
  package let cause: (any Error)?
  /// The file, or the name of a store in memory.
  package let path: String?
  /// The entity that it is about.
  package let entity: String?
  /// The objects that stand in the way.
  package let objects: [RowKey]
  /// How the schema of the file differs from the one that was asked for.
  package let differences: [SchemaDifference]
  /// What a replayed transaction did not find as it expected.
  package let replayDifferences: [ReplayDifference]
  /// What stands in the way of an undo.
  package let undoConflicts: [UndoConflict]

  /// Makes an error.
  package init(
    _ code: Code,
    _ message: String,
    hint: String = "",
    cause: (any Error)? = nil,
    path: String? = nil,
    entity: String? = nil,
    objects: [RowKey] = [],
    differences: [SchemaDifference] = [],
    replayDifferences: [ReplayDifference] = [],
    undoConflicts: [UndoConflict] = []
  ) {
    self.code = code
    self.message = hint.isEmpty ? message : "\(message) \(hint)"
    self.hint = hint
    self.cause = cause
    self.path = path
    self.entity = entity
    self.objects = objects
    self.differences = differences
    self.replayDifferences = replayDifferences
    self.undoConflicts = undoConflicts
  }
}

extension StoreError: CustomStringConvertible {
  /// The message, and the error below in parentheses.
  package var description: String {
    cause.map { "\(message) (\($0))" } ?? message
  }
}

/// Matches an error by its code.
package func ~= (pattern: StoreError.Code, error: any Error) -> Bool {
  (error as? StoreError)?.code == pattern
}

/// Names one row: the index of its entity in the schema, and its id.
package struct RowKey: Hashable, Sendable {
  /// The index in ``StoreSchema/entities``.
  package let entity: Int
  /// The id in the entity's table.
  package let id: Int64

  /// Makes a key.
  package init(entity: Int, id: Int64) {
    self.entity = entity
    self.id = id
  }
}
