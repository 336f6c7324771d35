extension Schema {
  /// What a model class tells of one of its properties.
  public struct PropertyMetadata: @unchecked Sendable {
    // Sendable but for the default value, which is made once and then only read.
    /// The name of the property.
    public let name: String
    /// The key path that leads to it.
    public let keypath: AnyKeyPath
    /// The value that an object has where none is given.
    public let defaultValue: Any?
    /// The attribute or relationship that the property was marked as.
    public let metadata: Any?

    /// Tells of a property.
    public init(
      name: String,
      keypath: AnyKeyPath,
      defaultValue: Any? = nil,
      metadata: Any? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}

/// What attributes and relationships have in common.
public protocol SchemaProperty: AnyObject, Sendable {
  /// The name of the property.
  var name: String { get }
  /// The name that the property had in an earlier version.
  var originalName: String { get }
  /// The type of its values.
  var valueType: Any.Type { get }
  /// Whether nil may stand for a value.
  var isOptional: Bool { get }
  /// True for attributes.
  var isAttribute: Bool { get }
  /// True for relationships.
  var isRelationship: Bool { get }
  /// Whether no two objects may have the same value.
  var isUnique: Bool { get }
  /// Whether the value is kept in memory alone.
  var isTransient: Bool { get }
}
