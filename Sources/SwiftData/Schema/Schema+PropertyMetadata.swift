extension Schema {
  /// A property of a model class as ``Model()`` describes it; applications do not use this type.
  public struct PropertyMetadata: @unchecked Sendable {
    // Metadata is Sendable, because the default value is created once and then only read.

    /// The name of the property, without quotes or backticks.
    public let name: String
    /// The key path that begins at the class that declares the property, not at a subclass.
    public let keypath: AnyKeyPath
    /// The value in an object that does not set the property; nil if there is no default.
    public let defaultValue: Any?
    /// The ``Schema/Attribute`` or ``Schema/Relationship`` of the property; nil for a property
    /// without an annotation.
    public let metadata: Any?

    /// Describes a property; only a property with an annotation has metadata.
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

/// The common members of attributes and relationships; other types do not conform.
public protocol SchemaProperty: AnyObject, Sendable {
  /// The name of the property, unique in its entity.
  var name: String { get }
  /// The name in an earlier version of the schema; the same as `name` if the property was not
  /// renamed.
  var originalName: String { get }
  /// The type of the values; an optional type if a value may be nil.
  var valueType: Any.Type { get }
  /// Whether the value may be nil.
  var isOptional: Bool { get }
  /// Whether the property is a ``Schema/Attribute``, not a relationship.
  var isAttribute: Bool { get }
  /// Whether the property is a ``Schema/Relationship``, not an attribute.
  var isRelationship: Bool { get }
  /// Whether no two objects may have the same value.
  var isUnique: Bool { get }
  /// Whether the value is only in memory; always false for relationships.
  var isTransient: Bool { get }
}
