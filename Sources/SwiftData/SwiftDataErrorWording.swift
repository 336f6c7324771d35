import Changes
import SQLite
import Store

extension SwiftDataError {
  /// The reason for an error, with the values that its message contains.
  enum Reason: Sendable {
    case pattern(Code.Kind)
    case store(StoreError)
    // Errors of configurations and schemas.
    case invalidFileName(String), longFileName(bytes: Int)
    case sameFile(String)
    case isNotAFolder(String, store: String), folderNotCreated(String, any Error)
    case modelIsNotInContainer(String, String), modelHasNoConfiguration(String)
    case configurationHasNoSchema(String)
    case sameName(String, String, String)
    case typeIsNotStorable(String, String)
    case linkToOtherStore(String, String)
    case sharedInverse(String, String, String)
    case noTransformer(String)
    // Errors of migrations.
    case schemaIsNotInPlan(String)
    case storeIsNotInPlan(
      String,
      version: String,
      String,
      (version: String, differences: [SchemaDifference])?
    )
    case olderModel(String, stored: String, wanted: String)
    case noStage(from: String, to: String, StoreError)
    // Errors of contexts.
    case unknownModel(String), noRelationship(of: String)
    case modelOfOtherContainer(String), modelOfOtherContext(String), modelIsGone(String)
    case linkToOtherContext(String, String, String)
    case wrongCount(String, Int, minimum: Int, maximum: Int)
    case deletedMeanwhile(String, String)
    case deletionIsDenied(String, String, count: Int)
    case savingIsNotAllowed(String)
    case changedWhileEnumerating(String)
    case failedFetch(of: String, SQLiteError)
    case dependsOnRows(String)
    // Errors of values.
    case unreadProperty(any Error), unreadRelationship(String, String)
    case unknownRow(Int64, table: String, entity: String, base: String)
    case rowValue(String, row: Int64, table: String, any Error)
    case historyValue(String, String, store: String, any Error)
    case notInSnapshot(String, any Error), snapshotValue(String, String, String, any Error)
    case updatedIsMissing(String, store: String)
    // Errors of history tokens.
    case noHistory(of: String, known: [String])
    case tokenOfOtherStores([String], known: [String]), tokenOfOtherStore(String)
  }

  var kind: Code.Kind {
    switch reason {
    case .pattern(let kind): kind
    case .store(let error): Self.kinds[error.code] ?? .loadIssueModelContainer
    case .invalidFileName: .configurationFileNameContainsInvalidCharacters
    case .longFileName: .configurationFileNameTooLong
    case .sameFile: .duplicateConfiguration
    case .isNotAFolder, .folderNotCreated, .unreadProperty: .loadIssueModelContainer
    case .modelIsNotInContainer, .modelHasNoConfiguration:
      .configurationSchemaNotFoundInContainerSchema
    case .configurationHasNoSchema, .schemaIsNotInPlan, .storeIsNotInPlan, .noStage: .unknownSchema
    case .sameName: .duplicateEntityName
    case .typeIsNotStorable, .noTransformer, .rowValue, .historyValue, .notInSnapshot,
      .snapshotValue:
      .unsupportedType
    case .linkToOtherStore: .relationshipAcrossStores
    case .sharedInverse: .ambiguousInverse
    case .olderModel: .backwardMigration
    case .unknownModel, .unknownRow: .unknownEntity
    case .noRelationship: .unsupportedKeyPath
    case .modelOfOtherContainer, .modelOfOtherContext, .linkToOtherContext, .wrongCount:
      .modelValidationFailure
    case .modelIsGone: .missingModelContext
    case .deletedMeanwhile, .unreadRelationship, .updatedIsMissing: .saveFailed
    case .deletionIsDenied: .deletionDenied
    case .savingIsNotAllowed: .readOnly
    case .changedWhileEnumerating: .contextIsDirty
    case .failedFetch, .dependsOnRows: .unsupportedPredicate
    case .noHistory, .tokenOfOtherStores, .tokenOfOtherStore: .invalidTransactionFetchRequest
    }
  }

  /// The code that SwiftData uses for each error of a store.
  private static let kinds: [StoreError.Code: Code.Kind] = [
    .deletionDenied: .deletionDenied, .readOnly: .readOnly, .duplicate: .modelValidationFailure,
    .missingValue: .modelValidationFailure, .invalidValue: .modelValidationFailure,
    .missingReference: .modelValidationFailure, .missingObject: .saveFailed,
    .diskFull: .saveFailed, .locked: .saveFailed, .unreadableValue: .unsupportedType,
    .newerSchema: .backwardMigration, .historyExpired: .historyTokenExpired,
    .historyDiverged: .historyDiverged,
  ]

  /// The underlying error; nil if there is none.
  public var cause: (any Error)? {
    switch reason {
    case .store(let error), .noStage(_, _, let error): error
    case .failedFetch(_, let error): error
    case .folderNotCreated(_, let error), .rowValue(_, _, _, let error),
      .historyValue(_, _, _, let error), .notInSnapshot(_, let error),
      .snapshotValue(_, _, _, let error):
      error
    default: nil
    }
  }

  var wording: Wording {
    switch reason {
    case .pattern: ""
    case .store(let error): error.wording
    case .invalidFileName(let name):
      "The configuration's name “\(name)” contains a slash or a NUL, so no file can have it."
        + "\nChoose another name, or give the configuration a url."
    case .longFileName(let bytes):
      "The configuration's file name has \(bytes) bytes; 240 are allowed, as files beside it"
        + " need longer names."
        + "\nChoose a shorter name."
    case .sameFile(let path):
      "Two configurations of one container have the file \(path).\nGive each a file of its own."
    case .isNotAFolder(let folder, let store):
      "The store \(store) can't be opened: \(folder) is a file and not a folder."
        + "\nGive the configuration another url."
    case .folderNotCreated(let folder, let error):
      "The folder \(folder) for the store can't be created: \(error.localizedDescription)."
        + "\nGive the configuration a url in a folder that can be written."
    case .modelIsNotInContainer(let model, let configuration):
      "The configuration \(configuration) has the model \(model); the container does not."
        + "\nAdd it to the schema of the container."
    case .modelHasNoConfiguration(let model):
      "No configuration of the container is for the model \(model)."
        + "\nAdd it to the schema of one of them, or add a configuration without a schema."
    case .configurationHasNoSchema(let configuration):
      "The configuration \(configuration) has no schema, so it does not make a store by itself."
        + "\nGive it one, or make a ModelContainer."
    case .sameName(let name, let first, let second):
      "Two model classes are named \(name): \(first) and \(second)."
        + "\nAn entity is named by the simple name of its class; rename one of them, or put them"
        + " into different schemas."
    case .typeIsNotStorable(let property, let type):
      "\(property) has the type \(type), which can't be stored."
        + "\nMake the type Codable, mark the property @Transient, or give it a transformer with"
        + " @Attribute(.transformable(by:))."
    case .linkToOtherStore(let property, let destination):
      "\(property) leads to \(destination), which is kept in another store."
        + "\nPut both models into one configuration, or keep the other's identifier"
        + " (persistentModelID) in an attribute."
    case .sharedInverse(let first, let second, let shared):
      "\(first) and \(second) both have the inverse \(shared)."
        + "\nGive each of them an inverse of its own: add a second property beside \(shared), and"
        + " name it in @Relationship(inverse:)."
    case .noTransformer(let name):
      "There is no value transformer with the name \(name)."
        + "\nCall ValueTransformer.setValueTransformer(_:forName:) before making the container."
    case .schemaIsNotInPlan(let plan):
      "The container's schema is not one of the versions of \(plan)."
        + "\nAdd it to the plan's schemas, or make the container with the models of one of them."
    case .storeIsNotInPlan(let path, let version, let plan, let closest):
      "The store \(path) has a schema (version \(version)) that is not one of the versions of"
        + " \(plan). \(text(closest))"
    case .olderModel(let path, let stored, let wanted):
      "The store \(path) has version \(stored) of the schema, and the container asks for"
        + " version \(wanted), which is older."
        + "\nUse the program that has the newer version."
    case .noStage(let old, let new, let error):
      "The migration plan has no stage from version \(old) to version \(new), and these two"
        + " need one: \(error.message)"
        + "\nAdd a custom stage to the plan's stages that prepares the store for version \(new)."
    case .unknownModel(let model):
      "The container does not have the model \(model)."
        + "\nAdd \(model).self to the schema of the container."
    case .noRelationship(let model):
      "relationshipKeyPathsForPrefetching has a key path that is not a relationship of \(model)."
    case .modelOfOtherContainer(let model):
      "A \(model) of another ModelContainer was inserted or deleted."
        + "\nFetch it with this context, or copy its values into a new \(model)."
    case .modelOfOtherContext(let model):
      "A \(model) that belongs to another context was inserted or deleted."
        + "\nFetch it in this context by its persistentModelID instead."
    case .modelIsGone(let model): "The \(model) that a new one collides with was deallocated."
    case .linkToOtherContext(let property, let object, let other):
      "\(property) of the object \(object) leads to the object \(other), which belongs to"
        + " another context. Nothing was saved."
        + "\nSave the other one in its context, and get it here with model(for:) by its"
        + " persistentModelID."
    case .wrongCount(let property, let count, let minimum, let maximum):
      "\(property) has \(count) \(count == 1 ? "object" : "objects"), and"
        + " \(count < minimum ? "at least \(minimum)" : "no more than \(maximum)") are allowed."
    case .deletedMeanwhile(let model, let id):
      "The \(model) \(id) was deleted by another program or context since it was fetched, so it"
        + " can't be updated."
        + "\nCall rollback(), or delete it here too."
    case .deletionIsDenied(let object, let property, let count):
      "The \(object) can't be deleted: \(property) leads to \(count)"
        + " \(count == 1 ? "object" : "objects") and has the delete rule deny."
        + "\nDelete those or lead them elsewhere first."
    case .savingIsNotAllowed(let configuration):
      "The configuration \(configuration) does not allow saving (allowsSave is false), and the"
        + " context has changes for it."
        + "\nCall rollback(), or open the store for writing."
    case .changedWhileEnumerating(let model):
      "The context was changed while it enumerated \(model)."
        + "\nPass allowEscapingMutations: true if that is intended, and save now and then."
    case .failedFetch(let what, let error): "The fetch of \(what) failed: \(error.message)"
    case .dependsOnRows(let kind):
      "A predicate evaluates another \(kind) that depends on the row."
        + "\nCapture it outside of the predicate first."
    case .unreadProperty(let error): "A property could not be read: \(error)"
    case .unreadRelationship(let property, let object):
      "\(property) of \(object) can't be read from its store, so the object can't be saved."
        + "\nSave again when the store can be read, or call rollback()."
    case .unknownRow(let row, let table, let entity, let base):
      "Row \(row) of the table \(table) has the entity \(entity), which the schema does not"
        + " have as a kind of \(base)."
    case .rowValue(let property, let row, let table, let error):
      "\(property) of the row \(row) in the table \(table) can't be read: \(error)."
        + "\nPut a value of the declared type into the row, or change the model."
    case .historyValue(let property, let change, let store, let error):
      "\(property), as it was \(change) of the store \(store), can't be read: \(error)"
    case .notInSnapshot(let model, let error):
      "A \(model) could not be put into a snapshot: \(error)."
        + "\nLook at the Codable conformances of its properties."
    case .snapshotValue(let object, let property, let type, let error):
      "The snapshot of \(object) does not have a suitable value for \(property): \(error)."
        + "\nLet the snapshot encode a value of the type \(type) under the name of the property."
    case .updatedIsMissing(let object, let store):
      "The object \(object) that is to be updated is not in the store \(store)."
        + "\nFetch it again, or send it as inserted."
    case .noHistory(let type, let known):
      "No store of the container has a history of \(type):"
        + " \(known.isEmpty ? "none has a history" : "they have \(known.joined(separator: ", "))")."
        + "\nMake the descriptor of a type that one of the stores provides."
    case .tokenOfOtherStores(let stores, let known):
      "The history token is of the stores [\(stores.joined(separator: ", "))], and the"
        + " container has [\(known.joined(separator: ", "))]."
        + "\nDiscard the token, and fetch the history without one."
    case .tokenOfOtherStore(let store):
      "The token given for the store \(store) is of another store."
        + "\nGive tokens by the identifiers of their stores, and only those of this container."
    }
  }

  private func text(_ closest: (version: String, differences: [SchemaDifference])?) -> String {
    guard let closest else { return "The plan has no versions." }
    let list = closest.differences.prefix(5).map { "\($0)" }.joined(separator: "; ")
    return "It differs from version \(closest.version): \(list)."
  }
}
