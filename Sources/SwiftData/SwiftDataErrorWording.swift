import Changes
import SQLite
import Store

extension SwiftDataError {
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
      "The configuration's name “\(name)” contains a slash or a NUL, which file names"
        + " can't contain."
        + "\nChoose another name, or give the configuration a url."
    case .longFileName(let bytes):
      "The configuration's file name has \(bytes) bytes; at most 240 are allowed, because"
        + " the names of the files beside the store are longer."
        + "\nChoose a shorter name."
    case .sameFile(let path):
      "Two configurations of one container use the same file \(path)."
        + "\nGive each configuration a different file."
    case .isNotAFolder(let folder, let store):
      "The store \(store) can't be opened: \(folder) is a file, not a folder."
        + "\nGive the configuration another url."
    case .folderNotCreated(let folder, let error):
      "The folder \(folder) for the store can't be created: \(error.localizedDescription)."
        + "\nGive the configuration a url in a folder in which you can create files."
    case .modelIsNotInContainer(let model, let configuration):
      "The configuration \(configuration) contains the model \(model), but the schema of the"
        + " container does not."
        + "\nAdd the model to the schema of the container."
    case .modelHasNoConfiguration(let model):
      "No configuration of the container contains the model \(model)."
        + "\nAdd the model to the schema of a configuration, or add a configuration without a schema."
    case .configurationHasNoSchema(let configuration):
      "The configuration \(configuration) does not have a schema, so a store can't be opened"
        + " with it."
        + "\nGive the configuration a schema, or create a ModelContainer, which sets the schema."
    case .sameName(let name, let first, let second):
      "Two model classes are named \(name): \(first) and \(second)."
        + "\nAn entity has the simple name of its class; rename one of the classes, or put the"
        + " classes into different schemas."
    case .typeIsNotStorable(let property, let type):
      "\(property) has the type \(type), which can't be stored."
        + "\nMake the type Codable, mark the property @Transient, or give the property a"
        + " transformer with @Attribute(.transformable(by:))."
    case .linkToOtherStore(let property, let destination):
      "\(property) refers to \(destination), which is in another store."
        + "\nPut both models into one configuration, or store the persistentModelID of the other"
        + " object in an attribute."
    case .sharedInverse(let first, let second, let shared):
      "\(first) and \(second) both have the inverse \(shared)."
        + "\nGive each relationship a different inverse: declare a second property beside \(shared),"
        + " and name the second property in @Relationship(inverse:)."
    case .noTransformer(let name):
      "There is no value transformer with the name \(name)."
        + "\nCall ValueTransformer.setValueTransformer(_:forName:) before you create the container."
    case .schemaIsNotInPlan(let plan):
      "The container's schema is not one of the versions of \(plan)."
        + "\nAdd the schema to the plan's schemas, or create the container with one of the plan's"
        + " versions."
    case .storeIsNotInPlan(let path, let version, let plan, let closest):
      "The store \(path) has a schema (version \(version)) that is not one of the versions of"
        + " \(plan). \(text(closest))"
    case .olderModel(let path, let stored, let wanted):
      "The store \(path) has version \(stored) of the schema, but the container has the older"
        + " version \(wanted)."
        + "\nOpen the store with a program that has version \(stored)."
    case .noStage(let old, let new, let error):
      "The migration plan has no stage from version \(old) to version \(new), but this migration"
        + " needs a stage: \(error.message)"
        + "\nAdd a custom stage to the plan; it must prepare the store for version \(new)."
    case .unknownModel(let model):
      "The container does not have the model \(model)."
        + "\nAdd \(model).self to the schema of the container."
    case .noRelationship(let model):
      "relationshipKeyPathsForPrefetching contains a key path that is not a relationship of"
        + " \(model)."
    case .modelOfOtherContainer(let model):
      "A \(model) of another ModelContainer was inserted into this context or deleted from it."
        + "\nFetch the model with this context, or copy the values into a new \(model)."
    case .modelOfOtherContext(let model):
      "A \(model) of another context was inserted into this context or deleted from it."
        + "\nFetch the model in this context by its persistentModelID instead."
    case .modelIsGone(let model):
      "A new \(model) can't be merged with the \(model) that has the same unique values, because"
        + " that model object was deallocated."
    case .linkToOtherContext(let property, let object, let other):
      "\(property) of the object \(object) refers to the object \(other), which belongs to"
        + " another context. Nothing was saved."
        + "\nSave the other object in its context, and then pass its persistentModelID to"
        + " model(for:) of this context."
    case .wrongCount(let property, let count, let minimum, let maximum):
      "\(property) has \(count) \(count == 1 ? "object" : "objects"), but"
        + " \(count < minimum ? "at least \(minimum)" : "at most \(maximum)") are allowed."
    case .deletedMeanwhile(let model, let id):
      "The \(model) \(id) can't be updated: another program or context has deleted the object."
        + "\nCall rollback(), or delete the object in this context too."
    case .deletionIsDenied(let object, let property, let count):
      "The \(object) can't be deleted: \(property) has the delete rule .deny and refers to \(count)"
        + " \(count == 1 ? "object" : "objects")."
        + "\nFirst delete the objects in \(property), or remove them from it."
    case .savingIsNotAllowed(let configuration):
      "The context has changes for a store whose configuration \(configuration) does not allow"
        + " saving."
        + "\nCall rollback(), or open the store with allowsSave: true."
    case .changedWhileEnumerating(let model):
      "A model of the context was changed while the context enumerated \(model)."
        + "\nIf this is intended, pass allowEscapingMutations: true, and save regularly."
    case .failedFetch(let what, let error): "The fetch of \(what) failed: \(error.message)"
    case .dependsOnRows(let kind):
      "A predicate evaluates a nested \(kind) that is created or chosen for each row."
        + "\nCreate one \(kind) for all rows, and store it in a constant before the predicate."
    case .unreadProperty(let error): "A property could not be read: \(error)"
    case .unreadRelationship(let property, let object):
      "\(property) of \(object) can't be read from its store, so the object can't be saved."
        + "\nMake sure that the store can be read. Then save again, or call rollback()."
    case .unknownRow(let row, let table, let entity, let base):
      "Row \(row) of the table \(table) has the entity “\(entity)”, which is not in the schema of"
        + " this table. It must be \(base) or an entity that inherits from \(base)."
    case .rowValue(let property, let row, let table, let error):
      "\(property) can't be read from row \(row) of the table \(table): \(error)."
        + "\nPut a value of the declared type into the row, or change the model."
    case .historyValue(let property, let change, let store, let error):
      "The value of \(property) \(change) of the store \(store) can't be read: \(error)"
    case .notInSnapshot(let model, let error):
      "The snapshot of a \(model) could not be encoded: \(error)."
        + "\nCheck the Codable conformances of the types of its properties."
    case .snapshotValue(let object, let property, let type, let error):
      "The snapshot of \(object) does not have a suitable value for \(property): \(error)."
        + "\nThe snapshot must encode a value of the type \(type) under the name of the property."
    case .updatedIsMissing(let object, let store):
      "The object \(object) can't be updated, because the object is not in the store \(store)."
        + "\nFetch the object again, or pass the object to the store as an inserted object."
    case .noHistory(let type, let known):
      "No store of the container has a history with transactions of the type \(type):"
        + " \(known.isEmpty ? "none has a history" : "they have \(known.joined(separator: ", "))")."
        + "\nUse a HistoryDescriptor for a type of transaction that one of the stores provides."
    case .tokenOfOtherStores(let stores, let known):
      "The history token belongs to the stores [\(stores.joined(separator: ", "))], but the"
        + " container has the stores [\(known.joined(separator: ", "))]."
        + "\nDiscard the token, and fetch the history without a token."
    case .tokenOfOtherStore(let store):
      "No store of the container can use the token for the store \(store)."
        + "\nPass only tokens of this container's stores, each under the identifier of its store."
    }
  }

  private func text(_ closest: (version: String, differences: [SchemaDifference])?) -> String {
    guard let closest else { return "The migration plan has no versions." }
    let list = closest.differences.prefix(5).map { "\($0)" }.joined(separator: "; ")
    return "The schema differs from version \(closest.version): \(list)."
  }
}
