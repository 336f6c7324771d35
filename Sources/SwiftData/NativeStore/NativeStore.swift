import Format
import Store

/// A store in SQLite.
///
/// Opening a store migrates it if the container has a newer schema.
struct NativeStore: Sendable {
  let store: Store
  let configuration: ModelConfiguration
  let past: PastSchemas
  /// Whether the store accepts changes.
  let allowsSave: Bool

  var identifier: String { store.identifier }

  init(
    _ configuration: ModelConfiguration,
    map: EntityMap,
    storeIndex: Int,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    asOf point: PastPoint? = nil
  ) throws {
    let schema = map.schemas[storeIndex]
    let isInMemory = configuration.isStoredInMemoryOnly
    self.configuration = configuration
    allowsSave = configuration.allowsSave && point == nil
    var options = Options()
    options.isReadOnly = !allowsSave
    options.busyTimeout = configuration.busyTimeout
    options.maximumPageCount = configuration.maximumPageCount
    options.isDurable = configuration.isDurable
    options.provenance = configuration.provenance
    options.historyMode = configuration.history.map { $0 == .full ? .full : .tombstones }
    options.historyTimeToLive = configuration.historyTimeToLive
    options.configure = { try SQLFunctions.register(on: $0) }
    do {
      if let point {
        options.point = try point.transaction(of: configuration, schema: schema, options: options)
      }
      if !isInMemory, allowsSave {
        try Self.makeFolder(of: configuration.url)
        try Self.migrate(configuration, to: schema, migrationPlan: migrationPlan, options: options)
      }
      store = try Store.open(
        isInMemory ? .memory(configuration.name) : .file(configuration.url),
        schema: schema,
        options: options
      )
      if point != nil { try store.read { _ in } }
    } catch let error as StoreError {
      throw SwiftDataError(error)
    }
    past = PastSchemas(map, storeIndex: storeIndex, store: store)
  }

  private static func makeFolder(of url: URL) throws {
    let folder = url.deletingLastPathComponent()
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) {
      guard !isFolder.boolValue else { return }
      throw SwiftDataError(.loadIssueModelContainer) {
        "The store \(url.path) can't be opened: \(folder.path) is a file, not a folder."
          + "\nGive the configuration another url."
      }
    }
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw SwiftDataError(.loadIssueModelContainer, cause: error) {
        "The folder \(folder.path) for the store can't be created: \(error.localizedDescription)."
          + "\nGive the configuration a url in a folder in which you can create files."
      }
    }
  }

  private static func migrate(
    _ configuration: ModelConfiguration,
    to schema: StoreSchema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    options: Options
  ) throws {
    guard let stored = try Migration.schema(of: configuration.url, options: options),
      stored != schema
    else { return }
    guard let migrationPlan else {
      try Migration.migrate(configuration.url, to: schema, author: Author(), options: options)
      return
    }
    try PlannedMigration(
      configuration,
      plan: migrationPlan,
      from: stored,
      to: schema,
      options: options
    ).run()
  }
}

extension NativeStore {
  func write(
    _ save: PendingSave,
    storeIndex: Int,
    in context: ModelContext,
    _ writeRest: () throws -> Void
  ) throws {
    guard allowsSave else {
      throw SwiftDataError(.readOnly) {
        configuration.allowsSave
          ? "The context has changes for an earlier state of the store \(store.location.path), which"
            + " can only be read."
            + "\nCall rollback(), and make the changes in a container without asOf."
          : "The context has changes for a store whose configuration \(configuration.name) does not"
            + " allow saving."
            + "\nCall rollback(), or open the store with allowsSave: true."
      }
    }
    var clock: Int64?
    let committed = { (transaction: Int64?) in
      guard let transaction, let clock else { return }
      let head = Reader.Head(transaction: transaction, clock: clock)
      context.registry.readings[storeIndex].noteOwn(head)
    }
    let purpose = context.transactionContext
    let author = Author(name: purpose.author, reason: purpose.reason, request: purpose.request)
    try store.write(author, committed: committed) { writer in
      clock = writer.clock
      try NativeSave(save, storeIndex: storeIndex).write(to: writer)
      try writeRest()
    }
  }
}
