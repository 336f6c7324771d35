/// An interface for describing the migration between versions of a schema.
///
/// ```swift
/// enum TripsPlan: SchemaMigrationPlan {
///   static let schemas: [any VersionedSchema.Type] = [TripsV1.self, TripsV2.self]
///   static let stages: [MigrationStage] = [
///     .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)
///   ]
/// }
/// ```
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first; the store may have the schema of any of them.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages; between two versions without a stage, the migration runs without code.
  static var stages: [MigrationStage] { get }
}

/// One stage of a migration; see ``SchemaMigrationPlan`` for an example.
public enum MigrationStage: @unchecked Sendable {
  // A stage is Sendable, because its closures run only on the thread that opens the container.

  /// A stage without code; it may add, rename and remove entities and properties.
  case lightweight(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type
  )
  /// A stage with code, which runs on the old schema before the migration, or on the new schema
  /// after the migration.
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?,
    didMigrate: ((ModelContext) throws -> Void)?
  )
}
