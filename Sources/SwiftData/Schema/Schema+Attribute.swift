extension Schema {
  /// A property that contains a value, and the options for storing it.
  ///
  /// ```swift
  /// let attribute = schema.entity(for: Trip.self)?.attributesByName["name"]
  /// print(attribute?.isUnique ?? false)
  /// ```
  public class Attribute: SchemaProperty, @unchecked Sendable {
    // An attribute is Sendable, because all members are constants and no subclass changes them.

    /// An option of `@Attribute`, such as ``unique``.
    public struct Option: Hashable, Sendable, Codable {
      enum Kind: Hashable, Codable {
        case unique, externalStorage, ephemeral, preserveValueOnDeletion
        case allowsCloudEncryption, spotlight, codable
        case transformable(String)
      }
      let kind: Kind

      /// No two objects may have the same value, except nil; inserting an object with an existing
      /// value updates the existing object.
      public static var unique: Option { Option(kind: .unique) }
      /// Large values are stored in files beside the store, and not read before their first use.
      public static var externalStorage: Option { Option(kind: .externalStorage) }
      /// The value is only in memory; the context still tracks its changes.
      public static var ephemeral: Option { Option(kind: .ephemeral) }
      /// The tombstone keeps the value, even if ``ModelConfiguration/history`` of the store is
      /// `.tombstones`.
      public static var preserveValueOnDeletion: Option {
        Option(kind: .preserveValueOnDeletion)
      }
      /// An option that has no effect on Linux.
      public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
      /// An option that has no effect on Linux.
      public static var spotlight: Option { Option(kind: .spotlight) }
      /// The value is stored as JSON, as its type encodes it, even if the type could be stored in a
      /// column.
      ///
      /// Predicates and orders that use the attribute are evaluated in memory. If the type later
      /// changes its encoding, it must still decode the stored values, because a migration does not
      /// convert them.
      public static var codable: Option { Option(kind: .codable) }
      /// The transformer with this name, which must be registered, converts the value to bytes.
      public static func transformable(by transformerName: String) -> Option {
        Option(kind: .transformable(transformerName))
      }
      /// The transformer converts the value to bytes; it is registered if necessary.
      public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
        let name = ValueTransformer.register(transformerType)
        return Option(kind: .transformable(name))
      }
    }

    /// The name of the attribute, which is also the name of the property.
    public let name: String
    /// The name in an earlier version of the schema; the same as `name` if the attribute was not
    /// renamed.
    public let originalName: String
    /// The options of the declaration; empty for an attribute without options.
    public let options: [Option]
    /// The type of the values, which may be optional; `Never` in a decoded schema.
    public let valueType: Any.Type
    /// The value in an object that does not set the attribute; nil if there is no default.
    public let defaultValue: Any?
    /// The hash modifier of the declaration, which has no effect.
    public let hashModifier: String?
    /// Whether the value may be nil.
    public let isOptional: Bool

    /// Describes an attribute as `@Attribute` does; name and type are those of the property in a
    /// model class.
    public convenience init(
      _ options: Option...,
      originalName: String? = nil,
      hashModifier: String? = nil
    ) {
      self.init(
        name: "",
        options: options,
        originalName: originalName,
        valueType: Never.self,
        hashModifier: hashModifier
      )
    }

    /// Describes an attribute; by default, it has no options.
    public init(
      name: String,
      options: [Option] = [],
      originalName: String? = nil,
      valueType: Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
      isOptional = valueType is any OptionalType.Type
    }

    /// Whether the property is an attribute; always true.
    public var isAttribute: Bool { true }
    /// Whether the property is a relationship; always false.
    public var isRelationship: Bool { false }
    /// Whether no two objects may have the same value; false for sets of properties in `#Unique`.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the value is only in memory; true with the option ``Option/ephemeral``.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether the value is always stored as its type encodes it; true with the option
    /// ``Option/codable``.
    public var isCodable: Bool { options.contains(.codable) }
    /// Whether a transformer converts the value to bytes; false if the attribute has no transformer.
    public var isTransformable: Bool { transformer != nil }

    var transformer: String? {
      for case .transformable(let name) in options.map(\.kind) { return name }
      return nil
    }
  }

  /// An attribute that consists of other attributes; never created on Linux.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {}
}
