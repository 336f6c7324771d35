/// Why a store could not do something: what happened, where, and what to do.
package struct StoreError: Error {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  package enum Code: Hashable, Sendable {
    /// There is no file.
    case missing
    /// The file is no SQLite database.
    case notADatabase
    /// The file is an SQLite database of something else.
    case notAStore
    /// The file is damaged.
    case damaged
    /// The file was written by a newer version of this library.
    case newerFormat
    /// The file was written with another schema; see ``StoreError/differences``.
    case schemaMismatch
    /// Another process held the file for longer than the busy timeout.
    case locked
    /// The file, its folder or the medium can't be written, or the store was opened so.
    case readOnly
    /// The disk is full.
    case diskFull
    /// Reading or writing failed.
    case inputOutput
    /// There was no memory.
    case outOfMemory
    /// The schema can't be made into tables.
    case invalidSchema
    /// A call that the store does not allow.
    case misuse
    /// SQLite refused a statement; see ``StoreError/cause``.
    case database
    /// Another object has the same values in properties that are unique.
    case duplicate
    /// A property that must have a value has none.
    case missingValue
    /// A value that its property's type does not allow.
    case invalidValue
    /// A relationship leads to an object that is not there.
    case missingReference
    /// A delete rule denies the deletion; see ``StoreError/objects``.
    case deletionDenied
    /// There is no object of that id.
    case missingObject
    /// A column holds what its property's type can't be read from.
    case unreadableValue
    /// The file that holds a value beside the store is gone.
    case missingBlob
    /// The store has a newer schema version than the one that was asked for.
    case newerSchema
    /// There is no way from the store's schema to the one that was asked for.
    case migrationRefused
    /// Another process changed the store while a copy of it was worked on.
    case changedMeanwhile
    /// A point in history that was deleted from it.
    case historyExpired
    /// A point of a history that the store does not have: it was restored from an older copy.
    case historyDiverged
    /// A transaction that does not follow on the store's last.
    case historyGap
    /// A replayed change that did not find what it expects; see ``StoreError/replayDifferences``.
    case replayMismatch
    /// A write to a store that takes nothing but what is replayed into it.
    case replica
    /// Transactions that can't be taken back: a schema change, or what was erased.
    case irreversible
    /// Later changes stand on what was to be undone; see ``StoreError/undoConflicts``.
    case undoConflict
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
