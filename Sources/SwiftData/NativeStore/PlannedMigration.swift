import Format
import Store

/// Migrates a copy of a store through the versions of a migration plan.
///
/// After the last stage, the copy replaces the store.
struct PlannedMigration {
  private let configuration: ModelConfiguration
  private let stages: [MigrationStage]
  private let versions: [Version]
  private let first: Int
  private let last: Int
  private let options: Options

  /// One version of the plan, restricted to the models of this store.
  private struct Version {
    var type: any VersionedSchema.Type
    var schema: StoreSchema
  }

  init(
    _ configuration: ModelConfiguration,
    plan: any SchemaMigrationPlan.Type,
    from stored: StoreSchema,
    to schema: StoreSchema,
    options: Options
  ) throws {
    self.configuration = configuration
    self.options = options
    stages = plan.stages
    let names = Set((stored.entities + schema.entities).map(\.name))
    let versions = try plan.schemas.map { type in
      Version(type: type, schema: try Self.resolve(type, names: names))
    }
    self.versions = versions
    guard let last = versions.lastIndex(where: { $0.schema.entities == schema.entities }) else {
      throw SwiftDataError(.unknownSchema) {
        "The container's schema is not one of the versions of \(plan)."
          + "\nAdd the schema to the plan's schemas, or create the container with one of the plan's"
          + " versions."
      }
    }
    self.last = last
    let same = versions.firstIndex {
      $0.schema.entities == stored.entities && $0.schema.version == stored.version
    }
    guard let first = same ?? versions.firstIndex(where: { $0.schema.entities == stored.entities })
    else {
      throw SwiftDataError(.unknownSchema) {
        "The store \(configuration.url.path) has a schema (version \(stored.version)) that is not"
          + " one of the versions of \(plan). \(Self.difference(versions, from: stored))"
      }
    }
    self.first = first
    guard first <= last else {
      let found = versions[first].schema.version
      throw SwiftDataError(.backwardMigration) {
        "The store \(configuration.url.path) has version \(found) of the schema, but the container"
          + " has the older version \(schema.version)."
          + "\nOpen the store with a program that has version \(found)."
      }
    }
  }

  /// The differences between the store's schema and the most similar version of the plan, as text.
  private static func difference(_ versions: [Version], from stored: StoreSchema) -> String {
    let differences = versions.map {
      ($0.schema.version, $0.schema.differences(fromStored: stored))
    }
    guard let closest = differences.min(by: { $0.1.count < $1.1.count }) else {
      return "The migration plan has no versions."
    }
    let list = closest.1.prefix(5).map { "\($0)" }.joined(separator: "; ")
    return "The schema differs from version \(closest.0): \(list)."
  }

  private static func resolve(
    _ type: any VersionedSchema.Type,
    names: Set<String>
  ) throws -> StoreSchema {
    let schema = Schema(versionedSchema: type)
    // Models that are kept in other stores of the container are left out.
    let models = schema.models.map(_ModelDescription.of).filter { names.contains($0.name) }
    return try SchemaResolution(models: models, version: "\(schema.version)").resolve()
  }

  func run() throws {
    guard first < last else {
      try Migration.migrate(
        configuration.url,
        to: versions[last].schema,
        author: Author(),
        options: options
      )
      return
    }
    let migration = try StagedMigration.begin(on: configuration.url, options: options)
    do {
      var index = first
      while index < last { index = try step(index, migration: migration) }
      try migration.commit()
    } catch {
      migration.abandon()
      throw error
    }
  }

  /// Migrates from a version with the stage that begins there; if there is no such stage, migrates
  /// to the next version without code.
  ///
  /// Returns the version that the store has after the step.
  private func step(_ index: Int, migration: StagedMigration) throws -> Int {
    let old = versions[index]
    for stage in stages {
      guard
        let next = (index + 1...last).first(where: {
          stage.leads(from: old.type, to: versions[$0].type)
        })
      else { continue }
      try run(stage, from: old, to: versions[next], migration: migration)
      return next
    }
    let new = versions[index + 1]
    do {
      try migration.migrate(to: new.schema, author: Author(), options: options)
    } catch let error as StoreError where Self.needsStage.contains(error.code) {
      let (from, to) = (old.schema.version, new.schema.version)
      let error = error.naming(configuration.url.path, insteadOf: migration.workingCopy.path)
      throw SwiftDataError(.unknownSchema, cause: error) {
        "The migration plan has no stage from version \(from) to version \(to), but this migration"
          + " needs a stage: \(error.message)"
          + "\nAdd a custom stage to the plan; it must prepare the store for version \(to)."
      }
    }
    return index + 1
  }

  /// The errors by which a migration without code shows that the plan needs a stage with code.
  private static let needsStage: Set<StoreError.Code> = [
    .migrationRefused, .duplicate, .missingValue, .invalidValue, .missingReference,
  ]

  private func run(
    _ stage: MigrationStage,
    from old: Version,
    to new: Version,
    migration: StagedMigration
  ) throws {
    guard case .custom(_, _, let willMigrate, let didMigrate) = stage else {
      try migration.migrate(to: new.schema, author: Author(), options: options)
      return
    }
    // The schema of the copy equals that of the old version, except perhaps for the version number,
    // which is set here.
    try migration.migrate(to: old.schema, author: Author(), options: options)
    if let willMigrate { try run(willMigrate, version: old, migration: migration) }
    try migration.migrate(to: new.schema, author: Author(), options: options)
    if let didMigrate { try run(didMigrate, version: new, migration: migration) }
  }

  private func run(
    _ code: (ModelContext) throws -> Void,
    version: Version,
    migration: StagedMigration
  ) throws {
    let names = Set(version.schema.entities.map(\.name))
    let models = Schema(versionedSchema: version.type).models.filter {
      names.contains(_ModelDescription.of($0).name)
    }
    let schema = Schema(models, version: version.type.versionIdentifier)
    var workingCopy = ModelConfiguration(schema: schema, url: migration.workingCopy)
    workingCopy.provenance = configuration.provenance
    let container = try ModelContainer(schema: schema, migrationPlan: nil, store: workingCopy)
    let context = ModelContext(container)
    try code(context)
    if context.hasChanges { try context.save() }
  }
}

extension MigrationStage {
  func leads(from old: any VersionedSchema.Type, to new: any VersionedSchema.Type) -> Bool {
    switch self {
    case .lightweight(let fromVersion, let toVersion),
      .custom(let fromVersion, let toVersion, _, _):
      fromVersion == old && toVersion == new
    }
  }
}
