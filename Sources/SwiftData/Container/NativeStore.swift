import Store

/// Opens the stores that SwiftData keeps in SQLite.
enum NativeStore {
  static func open(
    _ configuration: ModelConfiguration,
    schema: StoreSchema,
    version: Schema.Version,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> StoreFile {
    var options = Options()
    options.isReadOnly = !configuration.allowsSave
    options.configure = { try SQLFunctions.register(on: $0) }
    do {
      return try StoreFile.open(location(of: configuration), schema: schema, options: options)
    } catch let error as StoreError {
      throw SwiftDataError(error)
    }
  }

  static func location(of configuration: ModelConfiguration) throws -> Location {
    if configuration.isStoredInMemoryOnly { return .memory(configuration.name) }
    return .file(configuration.url)
  }
}

extension SwiftDataError {
  /// An error of a store, under the name that SwiftData has for it.
  init(_ error: StoreError) {
    let kinds: [StoreError.Code: Code.Kind] = [
      .deletionDenied: .deletionDenied, .readOnly: .readOnly, .duplicate: .modelValidationFailure,
      .missingValue: .modelValidationFailure, .invalidValue: .modelValidationFailure,
      .missingReference: .modelValidationFailure, .missingObject: .saveFailed,
      .diskFull: .saveFailed, .locked: .saveFailed, .unreadableValue: .unsupportedType,
    ]
    self.init(kinds[error.code] ?? .loadIssueModelContainer, error.message, cause: error)
  }
}
