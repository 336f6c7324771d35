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
