import SQLite

/// Why a store could not do something: what happened, where, and what to do.
public struct StoreError: Error {
  /// What kind of failure it was; more may come, so a `switch` needs a default.
  public struct Code: Hashable, Sendable {
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
    public static let missing = Code(.missing)
    /// The file is no SQLite database.
    public static let notADatabase = Code(.notADatabase)
    /// The file is an SQLite database of something else.
    public static let notAStore = Code(.notAStore)
    /// The file is damaged.
    public static let damaged = Code(.damaged)
    /// The file was written by a newer version of this library.
    public static let newerFormat = Code(.newerFormat)
    /// The file was written with another schema; see ``StoreError/differences``.
    public static let schemaMismatch = Code(.schemaMismatch)
    /// Another process held the file for longer than the busy timeout.
    public static let locked = Code(.locked)
    /// The file, its folder or the medium can't be written, or the store was opened so.
    public static let readOnly = Code(.readOnly)
    /// The disk is full.
    public static let diskFull = Code(.diskFull)
    /// Reading or writing failed.
    public static let inputOutput = Code(.inputOutput)
    /// There was no memory.
    public static let outOfMemory = Code(.outOfMemory)
    /// The schema can't be made into tables.
    public static let invalidSchema = Code(.invalidSchema)
    /// A call that the store does not allow.
    public static let misuse = Code(.misuse)
    /// SQLite refused a statement; see ``StoreError/cause``.
    public static let database = Code(.database)
    /// Another object has the same values in properties that are unique.
    public static let duplicate = Code(.duplicate)
    /// A property that must have a value has none.
    public static let missingValue = Code(.missingValue)
    /// A value that its property's type does not allow.
    public static let invalidValue = Code(.invalidValue)
    /// A relationship leads to an object that is not there.
    public static let missingReference = Code(.missingReference)
    /// A delete rule denies the deletion; see ``StoreError/objects``.
    public static let deletionDenied = Code(.deletionDenied)
    /// There is no object of that id.
    public static let missingObject = Code(.missingObject)
    /// A column holds what its property's type can't be read from.
    public static let unreadableValue = Code(.unreadableValue)
    /// The file that holds a value beside the store is gone.
    public static let missingBlob = Code(.missingBlob)
    /// The store has a newer schema version than the one that was asked for.
    public static let newerSchema = Code(.newerSchema)
    /// There is no way from the store's schema to the one that was asked for.
    public static let migrationRefused = Code(.migrationRefused)
    /// Another process changed the store while a copy of it was worked on.
    public static let changedMeanwhile = Code(.changedMeanwhile)
    /// A point in history that was deleted from it.
    public static let historyExpired = Code(.historyExpired)
    /// A point of a history that the store does not have: it was restored from an older copy.
    public static let historyDiverged = Code(.historyDiverged)
    /// A transaction that does not follow on the store's last.
    public static let historyGap = Code(.historyGap)
    /// A replayed change that did not find what it expects; see ``StoreError/replayDifferences``.
    public static let replayMismatch = Code(.replayMismatch)
    /// A write to a store that takes nothing but what is replayed into it.
    public static let replica = Code(.replica)
    /// Transactions that can't be taken back: a schema change, or what was erased.
    public static let irreversible = Code(.irreversible)
    /// Later changes stand on what was to be undone; see ``StoreError/undoConflicts``.
    public static let undoConflict = Code(.undoConflict)
  }

  /// What kind of failure it was.
  public let code: Code
  /// What happened, where, and what to do.
  public let message: String
  /// The error below this one.
  public let cause: (any Error)?
  /// The file, or the name of a store in memory.
  public let path: String?
  /// The entity that it is about.
  public let entity: String?
  /// The objects that stand in the way.
  public let objects: [RowKey]
  /// How the schema of the file differs from the one that was asked for.
  public let differences: [SchemaDifference]
  /// What a replayed transaction did not find as it expected.
  public let replayDifferences: [ReplayDifference]
  /// What stands in the way of an undo.
  public let undoConflicts: [UndoConflict]

  /// Makes an error.
  public init(
    _ code: Code,
    _ message: String,
    cause: (any Error)? = nil,
    path: String? = nil,
    entity: String? = nil,
    objects: [RowKey] = [],
    differences: [SchemaDifference] = [],
    replayDifferences: [ReplayDifference] = [],
    undoConflicts: [UndoConflict] = []
  ) {
    self.code = code
    self.message = message
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
  public var description: String {
    cause.map { "\(message) (\($0))" } ?? message
  }
}

/// Matches an error by its code.
public func ~= (pattern: StoreError.Code, error: any Error) -> Bool {
  (error as? StoreError)?.code == pattern
}

/// Names one row: the index of its entity in the schema, and its id.
public struct RowKey: Hashable, Sendable {
  /// The index in ``StoreSchema/entities``.
  public let entity: Int
  /// The id in the entity's table.
  public let id: Int64

  /// Makes a key.
  public init(entity: Int, id: Int64) {
    self.entity = entity
    self.id = id
  }
}
