/// An interface for describing one version of a schema.
///
/// ```swift
/// enum TripsV1: VersionedSchema {
///   static let versionIdentifier = Schema.Version(1, 0, 0)
///   static let models: [any PersistentModel.Type] = [Trip.self]
/// }
/// ```
public protocol VersionedSchema: SendableMetatype {
  /// The models of the version; destinations of relationships are included automatically.
  static var models: [any PersistentModel.Type] { get }
  /// The number of the version; 1.0.0 by default.
  static var versionIdentifier: Schema.Version { get }
}

extension VersionedSchema {
  /// The default number of a version, which is 1.0.0.
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

extension Schema {
  /// A version of a schema.
  ///
  /// Versions are compared number by number, not as text: 1.10.0 is greater than 1.9.0.
  public struct Version: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// The first number; a version with a greater first number is later.
    public let major: Int
    /// The second number; it is only compared if the first numbers are equal.
    public let minor: Int
    /// The third number; it is only compared if the other numbers are equal.
    public let patch: Int

    /// Creates a version from three numbers, as in `Schema.Version(1, 2, 0)`.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// The three numbers, separated by dots.
    public var description: String { "\(major).\(minor).\(patch)" }

    /// Whether the left version is earlier; versions are compared as numbers, not as texts.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }
}
