extension Schema {
  /// Sets of properties whose values, taken together, name one object.
  public final class Unique<T: PersistentModel>: SchemaConstraint, @unchecked Sendable {
    // The key paths are constants.
    /// The sets of properties.
    public let constraints: [[PartialKeyPath<T>]]

    /// Makes constraints, as `#Unique` does.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    var uniqueSets: [[AnyKeyPath]] { constraints }
    var indexSets: [[AnyKeyPath]] { [] }
  }

  /// Sets of properties that are indexed for queries.
  public final class Index<T: PersistentModel>: SchemaConstraint, @unchecked Sendable {
    // The key paths are constants.

    /// A kind of index.
    public enum Types<Model: PersistentModel> {
      /// A tree in the order of the values.
      case binary([PartialKeyPath<Model>])
      /// For ranges in several dimensions; kept as a binary index here.
      case rtree([PartialKeyPath<Model>])

      var keyPaths: [PartialKeyPath<Model>] {
        switch self {
        case .binary(let keyPaths), .rtree(let keyPaths): keyPaths
        }
      }
    }

    /// The sets of properties.
    public let indices: [[PartialKeyPath<T>]]

    /// Makes indices, as `#Index` does.
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices }
    /// Makes indices of named kinds, as `#Index` does.
    public init(_ indices: Types<T>...) { self.indices = indices.map(\.keyPaths) }

    var uniqueSets: [[AnyKeyPath]] { [] }
    var indexSets: [[AnyKeyPath]] { indices }
  }
}

/// What `#Unique` and `#Index` add to a model class.
protocol SchemaConstraint: Sendable {
  var uniqueSets: [[AnyKeyPath]] { get }
  var indexSets: [[AnyKeyPath]] { get }
}
