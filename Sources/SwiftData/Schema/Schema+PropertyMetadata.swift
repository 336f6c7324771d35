extension Schema {
  /// A property of a model class, as ``Model()`` describes it; not for use in applications.
  public struct PropertyMetadata: @unchecked Sendable {
    // The default value, which is not Sendable, is created once and then only read.
    /// The name of the property, without quotes or backticks.
    public let name: String
    /// The key path from the class that declares the property, not from a subclass.
    public let keypath: AnyKeyPath
    /// The value of an object that sets none; nil if there is no default.
    public let defaultValue: Any?
    /// The ``Schema/Attribute`` or ``Schema/Relationship`` of the property; nil for a plain one.
    public let metadata: Any?

    /// Describes a property; metadata is only for properties with an annotation.
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

/// The common members of attributes and relationships; no other types conform.
public protocol SchemaProperty: AnyObject, Sendable {
  /// The name of the property, unique in its entity.
  var name: String { get }
  /// The name in an earlier version; the present name if it was not renamed.
  var originalName: String { get }
  /// The type of its values; an optional type if they may be nil.
  var valueType: Any.Type { get }
  /// Whether the value may be nil.
  var isOptional: Bool { get }
  /// Whether it is a ``Schema/Attribute``, not a relationship.
  var isAttribute: Bool { get }
  /// Whether it is a ``Schema/Relationship``, not an attribute.
  var isRelationship: Bool { get }
  /// Whether no two objects may have the same value.
  var isUnique: Bool { get }
  /// Whether the value is only in memory; always false for relationships.
  var isTransient: Bool { get }
}
