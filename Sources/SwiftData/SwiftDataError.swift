import Changes

/// An error that SwiftData throws: a code to match, what happened and where, and what to do.
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

  let reason: Reason
  /// What happened and where.
  public var message: String { wording.message }
  /// What to do about it; empty if there is nothing to add.
  public var hint: String { wording.hint }

  /// The code.
  public var code: Code { Code(kind: kind) }

  init(_ reason: Reason) { self.reason = reason }

  /// A pattern of `catch`.
  private init(_ kind: Code.Kind) { reason = .pattern(kind) }

  /// An error of a store.
  init(_ error: StoreError) { reason = .store(error) }
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
  /// The message and the hint, or else the code.
  public var description: String {
    let texts = [message.isEmpty ? kind.rawValue : message, hint]
    return "SwiftData: " + texts.filter { !$0.isEmpty }.joined(separator: " ")
  }
  /// The message and the hint, or else the code.
  public var errorDescription: String? { description }
}

extension SwiftDataError {
  /// A predicate that can't be evaluated.
  public static let unsupportedPredicate = Self(.unsupportedPredicate)
  /// A sort descriptor that can't be evaluated.
  public static let unsupportedSortDescriptor = Self(.unsupportedSortDescriptor)
  /// A key path that leads to no property of the model.
  public static let unsupportedKeyPath = Self(.unsupportedKeyPath)
  /// A fetch in batches that is to include changes that are not saved.
  public static let includePendingChangesWithBatchSize = Self(.includePendingChangesWithBatchSize)
  /// A sorted fetch of identifiers that is to include changes that are not saved.
  public static let sortingPendingChangesWithIdentifiers = Self(
    .sortingPendingChangesWithIdentifiers
  )
  /// A model that no context manages.
  public static let missingModelContext = Self(.missingModelContext)
  /// A model whose values break a rule of its schema.
  public static let modelValidationFailure = Self(.modelValidationFailure)
  /// A token from a part of history that was deleted.
  public static let historyTokenExpired = Self(.historyTokenExpired)
  /// A token of a history that the store does not have: it was restored from an older copy.
  public static let historyDiverged = Self(.historyDiverged)
  /// A request for history that can't be answered.
  public static let invalidTransactionFetchRequest = Self(.invalidTransactionFetchRequest)
  /// A store that can't be opened.
  public static let loadIssueModelContainer = Self(.loadIssueModelContainer)
  /// Two configurations of one name or one file.
  public static let duplicateConfiguration = Self(.duplicateConfiguration)
  /// A configuration whose name can't be the name of a file.
  public static let configurationFileNameContainsInvalidCharacters = Self(
    .configurationFileNameContainsInvalidCharacters
  )
  /// A configuration whose name is too long for the name of a file.
  public static let configurationFileNameTooLong = Self(.configurationFileNameTooLong)
  /// A configuration with models that the container does not have.
  public static let configurationSchemaNotFoundInContainerSchema = Self(
    .configurationSchemaNotFoundInContainerSchema
  )
  /// A store whose schema is not known to the migration plan.
  public static let unknownSchema = Self(.unknownSchema)
  /// A migration to an older version.
  public static let backwardMigration = Self(.backwardMigration)
  /// Two model classes of one simple name.
  public static let duplicateEntityName = Self(.duplicateEntityName)
  /// A property of a type that can't be stored.
  public static let unsupportedType = Self(.unsupportedType)
  /// A relationship between models of different stores.
  public static let relationshipAcrossStores = Self(.relationshipAcrossStores)
  /// Two relationships with the same inverse.
  public static let ambiguousInverse = Self(.ambiguousInverse)
  /// A change to a store that may only be read.
  public static let readOnly = Self(.readOnly)
  /// A context that was changed where it must not be.
  public static let contextIsDirty = Self(.contextIsDirty)
  /// A deletion that a rule forbids.
  public static let deletionDenied = Self(.deletionDenied)
  /// A model that the container does not have.
  public static let unknownEntity = Self(.unknownEntity)
  /// Something that a store can't do.
  public static let unsupportedFeature = Self(.unsupportedFeature)
}
