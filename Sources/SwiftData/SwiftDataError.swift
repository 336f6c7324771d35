import Changes

/// An error that SwiftData throws: a code to match, what happened and where, and what to do.
///
/// ```swift
/// do { try context.save() } catch SwiftDataError.deletionDenied { context.rollback() }
/// ```
public struct SwiftDataError: Error, Sendable {
  /// The kinds of errors; later versions may add more.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
      case unsupportedPredicate, unsupportedSortDescriptor, unsupportedKeyPath
      case includePendingChangesWithBatchSize, sortingPendingChangesWithIdentifiers
      case missingModelContext, modelValidationFailure
      case historyTokenExpired, invalidTransactionFetchRequest
      case loadIssueModelContainer, duplicateConfiguration
      case configurationFileNameContainsInvalidCharacters, configurationFileNameTooLong
      case configurationSchemaNotFoundInContainerSchema, unknownSchema, backwardMigration
      // Not in Apple's framework.
      case duplicateEntityName, unsupportedType, relationshipAcrossStores, readOnly
      case contextIsDirty, deletionDenied, unknownEntity, unsupportedFeature, saveFailed
      case historyDiverged, ambiguousInverse
    }
    let kind: Kind

    /// The name of the code, as in ``SwiftDataError/historyTokenExpired``.
    public var description: String { kind.rawValue }
  }

  let reason: Reason
  /// What happened and where; a sentence for people that may change.
  public var message: String { wording.message }
  /// How to resolve the error; empty if there is no advice.
  public var hint: String { wording.hint }

  /// The code, for comparing without a `catch` pattern.
  public var code: Code { Code(kind: kind) }

  init(_ reason: Reason) { self.reason = reason }

  private init(_ kind: Code.Kind) { reason = .pattern(kind) }

  init(_ error: StoreError) { reason = .store(error) }
}

extension SwiftDataError: Hashable {
  /// Whether the codes are equal; messages are not compared.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool {
    left.kind == right.kind
  }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Whether an error has the same code, so that `catch` can use it as a pattern.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError)?.kind == pattern.kind
  }
}

extension SwiftDataError: LocalizedError, CustomStringConvertible {
  /// The message and the hint; for a pattern, the code.
  public var description: String {
    let texts = [message.isEmpty ? kind.rawValue : message, hint]
    return "SwiftData: " + texts.filter { !$0.isEmpty }.joined(separator: " ")
  }
  /// The same as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension SwiftDataError {
  /// A predicate can't be evaluated, neither by SQL nor in memory.
  public static let unsupportedPredicate = Self(.unsupportedPredicate)
  /// A sort descriptor can't be evaluated, neither by SQL nor in memory.
  public static let unsupportedSortDescriptor = Self(.unsupportedSortDescriptor)
  /// A key path is not that of a stored property.
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
  /// A token's transaction was deleted from history; fetch without it.
  public static let historyTokenExpired = Self(.historyTokenExpired)
  /// A token's history is not in the store, because it was restored from an older copy.
  public static let historyDiverged = Self(.historyDiverged)
  /// A request for history can't be answered, for example with a token of another store.
  public static let invalidTransactionFetchRequest = Self(.invalidTransactionFetchRequest)
  /// A store can't be opened, for example because it is damaged.
  public static let loadIssueModelContainer = Self(.loadIssueModelContainer)
  /// Two configurations have the same name or file.
  public static let duplicateConfiguration = Self(.duplicateConfiguration)
  /// A configuration's name contains a character that a file name can't.
  public static let configurationFileNameContainsInvalidCharacters = Self(
    .configurationFileNameContainsInvalidCharacters
  )
  /// A configuration's name is too long for a file name.
  public static let configurationFileNameTooLong = Self(.configurationFileNameTooLong)
  /// A configuration has models that the container does not have.
  public static let configurationSchemaNotFoundInContainerSchema = Self(
    .configurationSchemaNotFoundInContainerSchema
  )
  /// The schema of a store is in no version of the migration plan.
  public static let unknownSchema = Self(.unknownSchema)
  /// A store has a later version than the container; stores are never migrated back.
  public static let backwardMigration = Self(.backwardMigration)
  /// Two model classes have the same simple name.
  public static let duplicateEntityName = Self(.duplicateEntityName)
  /// The type of a property can't be stored.
  public static let unsupportedType = Self(.unsupportedType)
  /// A relationship is between models of different stores, which can't refer to each other.
  public static let relationshipAcrossStores = Self(.relationshipAcrossStores)
  /// Two relationships could have the same inverse; name it in one.
  public static let ambiguousInverse = Self(.ambiguousInverse)
  /// A store that may only be read can't be changed.
  public static let readOnly = Self(.readOnly)
  /// A context was changed where it must not be, as in
  /// ``ModelContext/enumerate(_:batchSize:allowEscapingMutations:block:)``.
  public static let contextIsDirty = Self(.contextIsDirty)
  /// A delete rule forbids a deletion while the object has destinations.
  public static let deletionDenied = Self(.deletionDenied)
  /// A model is not in the container's schema.
  public static let unknownEntity = Self(.unknownEntity)
  /// A store does not support a request.
  public static let unsupportedFeature = Self(.unsupportedFeature)
}
