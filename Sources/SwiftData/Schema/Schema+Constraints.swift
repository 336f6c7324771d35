extension Schema {
  /// Sets of properties whose values together are unique; `#Unique` creates this object.
  public final class Unique<T: PersistentModel>: SchemaConstraint, @unchecked Sendable {
    // The object is Sendable, because its key paths are constants.

    /// The sets of properties, each with at least one property.
    public let constraints: [[PartialKeyPath<T>]]

    /// Creates constraints, as `#Unique` does; each array is one set of properties.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    var uniqueSets: [[AnyKeyPath]] { constraints }
    var indexSets: [[AnyKeyPath]] { [] }
  }

  /// Sets of properties with an index; `#Index` creates this object.
  public final class Index<T: PersistentModel>: SchemaConstraint, @unchecked Sendable {
    // The object is Sendable, because its key paths are constants.

    /// A kind of index; on Linux, both kinds are stored in the same way.
    public enum Types<Model: PersistentModel> {
      /// An index in the order of the values; the default.
      case binary([PartialKeyPath<Model>])
      /// An index for ranges in several dimensions; on Linux, it is stored as a binary index.
      case rtree([PartialKeyPath<Model>])

      var keyPaths: [PartialKeyPath<Model>] {
        switch self {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }

    /// The sets of properties, each with at least one property.
    public let indices: [[PartialKeyPath<T>]]

    /// Creates indexes, as `#Index` does; each array is the set of properties of one index.
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices }
    /// Creates indexes of given kinds; on Linux, all kinds are stored in the same way.
    public init(_ indices: Types<T>...) { self.indices = indices.map(\.keyPaths) }

    var uniqueSets: [[AnyKeyPath]] { [] }
    var indexSets: [[AnyKeyPath]] { indices }
  }
}

/// The constraints that `#Unique` and `#Index` add to a model class.
protocol SchemaConstraint: Sendable {
  var uniqueSets: [[AnyKeyPath]] { get }
  var indexSets: [[AnyKeyPath]] { get }
}
