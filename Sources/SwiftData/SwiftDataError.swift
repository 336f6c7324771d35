import Format

/// An error of SwiftData: a code for comparisons, a message that says what happened, and a hint
/// that says what to do.
///
/// ```swift
/// do { try context.save() } catch SwiftDataError.deletionDenied { context.rollback() }
/// ```
public struct SwiftDataError: Error, Sendable {
  /// The kinds of errors; later versions may add further kinds.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
      case unsupportedPredicate, unsupportedSortDescriptor, unsupportedKeyPath
      case includePendingChangesWithBatchSize, sortingPendingChangesWithIdentifiers
      case missingModelContext, modelValidationFailure
      case historyTokenExpired, invalidTransactionFetchRequest
      case loadIssueModelContainer, duplicateConfiguration
      case configurationFileNameContainsInvalidCharacters, configurationFileNameTooLong
      case configurationSchemaNotFoundInContainerSchema, unknownSchema, backwardMigration
      // These codes do not exist in Apple's framework.
      case duplicateEntityName, unsupportedType, relationshipAcrossStores, readOnly
      case contextIsDirty, deletionDenied, unknownEntity, unsupportedFeature, saveFailed
      case historyDiverged, ambiguousInverse
    }
    let kind: Kind

    /// The name of the code, as in ``SwiftDataError/historyTokenExpired``.
    public var description: String { kind.rawValue }
  }

  let kind: Code.Kind
  let wording: Wording
  /// The underlying error; nil if there is none.
  public let cause: (any Error)?
  /// A sentence that says what happened and where.
  ///
  /// The wording may change between versions.
  public var message: String { wording.message }
  /// How to resolve the error; empty if there is no advice.
  public var hint: String { wording.hint }

  /// The code, to compare errors without a `catch` pattern.
  public var code: Code { Code(kind: kind) }

  /// Creates an error, or a pattern if there are no words.
  init(_ kind: Code.Kind, cause: (any Error)? = nil, _ wording: () -> Wording = { "" }) {
    self.kind = kind
    self.wording = wording()
    self.cause = cause
  }

  init(_ error: StoreError) {
    self.init(Self.kinds[error.code] ?? .loadIssueModelContainer, cause: error) { error.wording }
  }

  private static let kinds: [StoreError.Code: Code.Kind] = [
    .deletionDenied: .deletionDenied, .readOnly: .readOnly, .notPermitted: .readOnly,
    .duplicate: .modelValidationFailure,
    .missingValue: .modelValidationFailure, .invalidValue: .modelValidationFailure,
    .missingReference: .modelValidationFailure, .missingObject: .saveFailed,
    .diskFull: .saveFailed, .locked: .saveFailed, .unreadableValue: .unsupportedType,
    .newerSchema: .backwardMigration, .historyExpired: .historyTokenExpired,
    .historyDiverged: .historyDiverged,
  ]
}

extension SwiftDataError: Hashable {
  /// Whether the codes are equal; messages are not compared.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool {
    left.kind == right.kind
  }

  /// Hashes only the code of the error.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Whether an error has the same code, so that `catch` can use it as a pattern.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError)?.kind == pattern.kind
  }
}

extension SwiftDataError: LocalizedError, CustomStringConvertible {
  /// The message and the hint.
  ///
  /// For a pattern such as ``SwiftDataError/readOnly``, the name of the code.
  public var description: String {
    let texts = [message.isEmpty ? kind.rawValue : message, hint]
    return "SwiftData: " + texts.filter { !$0.isEmpty }.joined(separator: " ")
  }
  /// The same as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension SwiftDataError {
  /// A predicate can't be evaluated by SQL or in memory.
  public static let unsupportedPredicate = Self(.unsupportedPredicate)
  /// A sort descriptor can't be evaluated by SQL or in memory.
  public static let unsupportedSortDescriptor = Self(.unsupportedSortDescriptor)
  /// The key path does not belong to a stored property.
  public static let unsupportedKeyPath = Self(.unsupportedKeyPath)
  /// A fetch in batches may not include unsaved changes.
  public static let includePendingChangesWithBatchSize = Self(.includePendingChangesWithBatchSize)
  /// A sorted fetch of identifiers may not include unsaved changes.
  public static let sortingPendingChangesWithIdentifiers = Self(
    .sortingPendingChangesWithIdentifiers
  )
  /// A model without a context was used where one is required.
  public static let missingModelContext = Self(.missingModelContext)
  /// The values of a model break a rule of its schema, such as a minimum count.
  public static let modelValidationFailure = Self(.modelValidationFailure)
  /// The transaction of a token was deleted from history; fetch without the token.
  public static let historyTokenExpired = Self(.historyTokenExpired)
  /// The token's transaction is not in the store, because the store was restored from an older
  /// copy.
  public static let historyDiverged = Self(.historyDiverged)
  /// A request for history can't be answered, for example because its token belongs to another
  /// store.
  public static let invalidTransactionFetchRequest = Self(.invalidTransactionFetchRequest)
  /// A store can't be opened, for example because it is damaged.
  public static let loadIssueModelContainer = Self(.loadIssueModelContainer)
  /// Two configurations have the same name or file.
  public static let duplicateConfiguration = Self(.duplicateConfiguration)
  /// The name of a configuration contains a character that file names can't contain.
  public static let configurationFileNameContainsInvalidCharacters = Self(
    .configurationFileNameContainsInvalidCharacters
  )
  /// The name of a configuration is too long for a file name.
  public static let configurationFileNameTooLong = Self(.configurationFileNameTooLong)
  /// A configuration has models that the container does not have.
  public static let configurationSchemaNotFoundInContainerSchema = Self(
    .configurationSchemaNotFoundInContainerSchema
  )
  /// The schema of a store is not one of the versions of the migration plan.
  public static let unknownSchema = Self(.unknownSchema)
  /// The store has a later version of the schema than the container.
  ///
  /// SwiftData can't migrate a store to an earlier version.
  public static let backwardMigration = Self(.backwardMigration)
  /// Two model classes have the same simple name.
  public static let duplicateEntityName = Self(.duplicateEntityName)
  /// The type of a property can't be stored.
  public static let unsupportedType = Self(.unsupportedType)
  /// A relationship refers to a model in another store, which is not possible.
  public static let relationshipAcrossStores = Self(.relationshipAcrossStores)
  /// Two relationships could have the same inverse; declare the inverse of one of them.
  public static let ambiguousInverse = Self(.ambiguousInverse)
  /// The configuration of a store does not allow changes.
  public static let readOnly = Self(.readOnly)
  /// A context was changed at a time when changes are not allowed, for example in the closure of
  /// ``ModelContext/enumerate(_:batchSize:allowEscapingMutations:block:)``.
  public static let contextIsDirty = Self(.contextIsDirty)
  /// An object with destinations can't be deleted, because the delete rule of its relationship is
  /// `.deny`.
  public static let deletionDenied = Self(.deletionDenied)
  /// A model is not in the schema of the container.
  public static let unknownEntity = Self(.unknownEntity)
  /// A store does not support a request.
  public static let unsupportedFeature = Self(.unsupportedFeature)
}
