/// An error that SwiftData throws: a code to match, and a sentence that says what happened, where,
/// and what to do.
///
/// ```swift
/// do { try context.fetchHistory(descriptor) }
/// catch SwiftDataError.historyTokenExpired { token = nil }
/// ```
public struct SwiftDataError: Error, Sendable {
  /// What kinds of errors there are; more may come.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
      case unsupportedPredicate, unsupportedSortDescriptor, unsupportedKeyPath
      case includePendingChangesWithBatchSize, sortingPendingChangesWithIdentifiers
      case missingModelContext, modelValidationFailure
      case historyTokenExpired, invalidTransactionFetchRequest
      case loadIssueModelContainer, duplicateConfiguration
      case configurationFileNameContainsInvalidCharacters, configurationFileNameTooLong
      case configurationSchemaNotFoundInContainerSchema, unknownSchema, backwardMigration
      // Beyond Apple's.
      case duplicateEntityName, unsupportedType, relationshipAcrossStores, readOnly
      case contextIsDirty, deletionDenied, unknownEntity, unsupportedFeature, saveFailed
      case historyDiverged, ambiguousInverse
    }
    let kind: Kind

    /// The name of the code.
    public var description: String { kind.rawValue }
  }

  let kind: Code.Kind
  /// What happened, where, and what to do.
  public let message: String
  /// The error underneath, if there is one.
  public let cause: (any Error)?

  /// The code.
  public var code: Code { Code(kind: kind) }

  init(_ kind: Code.Kind, _ message: String = "", cause: (any Error)? = nil) {
    self.kind = kind
    self.message = message
    self.cause = cause
  }
}

extension SwiftDataError: Hashable {
  /// Errors are equal when their codes are.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool {
    left.kind == right.kind
  }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Matches any error of the same code, so that an error can be a pattern of `catch`.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError)?.kind == pattern.kind
  }
}

extension SwiftDataError: LocalizedError, CustomStringConvertible {
  /// The code and the sentence.
  public var description: String {
    message.isEmpty ? "SwiftData: \(kind.rawValue)" : "SwiftData: \(message)"
  }
  /// The sentence.
  public var errorDescription: String? { description }
}

extension SwiftDataError {
  /// A predicate that can't be evaluated.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// A sort descriptor that can't be evaluated.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// A key path that leads to no property of the model.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// A fetch in batches that is to include changes that are not saved.
  public static let includePendingChangesWithBatchSize = SwiftDataError(
    .includePendingChangesWithBatchSize
  )
  /// A sorted fetch of identifiers that is to include changes that are not saved.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    .sortingPendingChangesWithIdentifiers
  )
  /// A model that no context manages.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// A model whose values break a rule of its schema.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// A token from a part of history that was deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// A token of a history that the store does not have: it was restored from an older copy.
  public static let historyDiverged = SwiftDataError(.historyDiverged)
  /// A request for history that can't be answered.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    .invalidTransactionFetchRequest
  )
  /// A store that can't be opened.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// Two configurations of one name or one file.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// A configuration whose name can't be the name of a file.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters
  )
  /// A configuration whose name is too long for the name of a file.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// A configuration with models that the container does not have.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema
  )
  /// A store whose schema is not known to the migration plan.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// A migration to an older version.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// Two model classes of one simple name.
  public static let duplicateEntityName = SwiftDataError(.duplicateEntityName)
  /// A property of a type that can't be stored.
  public static let unsupportedType = SwiftDataError(.unsupportedType)
  /// A relationship between models of different stores.
  public static let relationshipAcrossStores = SwiftDataError(.relationshipAcrossStores)
  /// Two relationships with the same inverse.
  public static let ambiguousInverse = SwiftDataError(.ambiguousInverse)
  /// A change to a store that may only be read.
  public static let readOnly = SwiftDataError(.readOnly)
  /// A context that was changed where it must not be.
  public static let contextIsDirty = SwiftDataError(.contextIsDirty)
  /// A deletion that a rule forbids.
  public static let deletionDenied = SwiftDataError(.deletionDenied)
  /// A model that the container does not have.
  public static let unknownEntity = SwiftDataError(.unknownEntity)
  /// Something that a store can't do.
  public static let unsupportedFeature = SwiftDataError(.unsupportedFeature)
}
