extension Schema {
  /// A value of an object, and how it is stored.
  ///
  /// ```swift
  /// let attribute = schema.entity(for: Trip.self)?.attributesByName["name"]
  /// print(attribute?.isUnique ?? false)
  /// ```
  public class Attribute: SchemaProperty, @unchecked Sendable {
    // All members are constants; no subclass changes them.

    /// An option of `@Attribute`, such as ``unique``.
    public struct Option: Hashable, Sendable, Codable {
      enum Kind: Hashable, Codable {
        case unique, externalStorage, ephemeral, preserveValueOnDeletion
        case allowsCloudEncryption, spotlight, codable
        case transformable(String)
      }
      let kind: Kind

      /// No two objects have the same value, except nil; inserting another updates the first.
      public static var unique: Option { Option(kind: .unique) }
      /// Large values are stored in files beside the store, and not read before their first use.
      public static var externalStorage: Option { Option(kind: .externalStorage) }
      /// The value is only in memory; the context tracks its changes all the same.
      public static var ephemeral: Option { Option(kind: .ephemeral) }
      /// The value is kept in the tombstone, also in a store with ``ModelConfiguration/history``
      /// `.tombstones`.
      public static var preserveValueOnDeletion: Option {
        Option(kind: .preserveValueOnDeletion)
      }
      /// Accepted without effect.
      public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
      /// Accepted without effect.
      public static var spotlight: Option { Option(kind: .spotlight) }
      /// The value is stored as its type encodes it, even if the type has a column form.
      ///
      /// Predicates and orders over it are evaluated in memory. If the type changes its encoding
      /// later, it must still decode stored values: there is no migration.
      public static var codable: Option { Option(kind: .codable) }
      /// The transformer of that name, which must be registered, converts the value to bytes.
      public static func transformable(by transformerName: String) -> Option {
        Option(kind: .transformable(transformerName))
      }
      /// The transformer converts the value to bytes; it is registered if necessary.
      public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
        let name = ValueTransformer.register(transformerType)
        return Option(kind: .transformable(name))
      }
    }

    /// The name of the attribute, which is also the property's.
    public let name: String
    /// The name in an earlier version; the present name if it was not renamed.
    public let originalName: String
    /// The options of its declaration; empty for a plain attribute.
    public let options: [Option]
    /// The type of its values, which may be optional; `Never` in a decoded schema.
    public let valueType: Any.Type
    /// The value of an object that sets none; nil if there is no default.
    public let defaultValue: Any?
    /// Accepted without effect.
    public let hashModifier: String?
    /// Whether the value may be nil.
    public let isOptional: Bool

    /// Describes an attribute as `@Attribute` does; a model class gives it name and type.
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

    /// Describes an attribute, without options unless they are given.
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

    /// Always true.
    public var isAttribute: Bool { true }
    /// Always false.
    public var isRelationship: Bool { false }
    /// Whether no two objects may have the same value; false for sets of properties in `#Unique`.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the value is only in memory, by ``Option/ephemeral``.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether the value is always stored as its type encodes it, by ``Option/codable``.
    public var isCodable: Bool { options.contains(.codable) }
    /// Whether a transformer converts the value to bytes; false for other `Codable` values.
    public var isTransformable: Bool { transformer != nil }

    var transformer: String? {
      for case .transformable(let name) in options.map(\.kind) { return name }
      return nil
    }
  }

  /// An attribute whose values consist of other attributes; never created on Linux.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {}
}
