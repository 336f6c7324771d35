/// An interface for describing one version of a schema.
public protocol VersionedSchema: SendableMetatype {
  /// The models of the version.
  static var models: [any PersistentModel.Type] { get }
  /// The number of the version.
  static var versionIdentifier: Schema.Version { get }
}

extension VersionedSchema {
  /// Version 1.0.0, for those who give none.
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

/// An interface for describing the way from one version of a schema to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps between them.
  static var stages: [MigrationStage] { get }
}

/// One step of a migration.
public enum MigrationStage: @unchecked Sendable {
  // The closures run on the thread that opens the container.

  /// A step that needs no code.
  case lightweight(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type
  )
  /// A step with code that runs before it, on the old schema, or after it, on the new one.
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?,
    didMigrate: ((ModelContext) throws -> Void)?
  )
}

extension Schema {
  /// A version of a schema, compared number by number.
  public struct Version: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// The number that changes with great changes.
    public let major: Int
    /// The number that changes with additions.
    public let minor: Int
    /// The number that changes with corrections.
    public let patch: Int

    /// Makes a version of its three numbers.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// The three numbers with dots between.
    public var description: String { "\(major).\(minor).\(patch)" }

    /// Orders versions by their numbers.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }
}
