extension Schema {
  /// A value that an object has, and how it is stored.
  public class Attribute: SchemaProperty, @unchecked Sendable {
    // All members are constants; the classes of the schema are not made to be changed.

    /// A way in which an attribute differs from plain ones.
    public struct Option: Hashable, Sendable, Codable {
      enum Kind: Hashable, Codable {
        case unique, externalStorage, ephemeral, preserveValueOnDeletion
        case allowsCloudEncryption, spotlight, codable
        case transformable(String)
      }
      let kind: Kind

      /// No two objects have the same value; inserting another updates the first.
      public static var unique: Option { Option(kind: .unique) }
      /// Large values are kept in files beside the store.
      public static var externalStorage: Option { Option(kind: .externalStorage) }
      /// Changes are tracked, but the value is never stored.
      public static var ephemeral: Option { Option(kind: .ephemeral) }
      /// The value outlives the object in its tombstone.
      public static var preserveValueOnDeletion: Option {
        Option(kind: .preserveValueOnDeletion)
      }
      /// Accepted, and without effect here.
      public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
      /// Accepted, and without effect here.
      public static var spotlight: Option { Option(kind: .spotlight) }
      /// The value is stored as its type encodes it, also if the type is one that has a column form
      /// of its own.
      ///
      /// Predicates and orders over it are evaluated in memory. A type that encodes itself otherwise
      /// later must be able to decode what it has stored: there is no migration.
      public static var codable: Option { Option(kind: .codable) }
      /// The value is turned into bytes by the transformer that is registered by that name.
      public static func transformable(by transformerName: String) -> Option {
        Option(kind: .transformable(transformerName))
      }
      /// The value is turned into bytes by that transformer.
      public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
        let name = ValueTransformer.register(transformerType)
        return Option(kind: .transformable(name))
      }
    }

    /// The name of the attribute.
    public let name: String
    /// The name that it had in an earlier version; the same one where it was not renamed.
    public let originalName: String
    /// The options that it was declared with.
    public let options: [Option]
    /// The type of its values.
    public let valueType: Any.Type
    /// The value that an object has where none is given.
    public let defaultValue: Any?
    /// Accepted, and without effect here.
    public let hashModifier: String?
    /// Whether nil may stand for a value.
    public let isOptional: Bool

    /// Describes an attribute, as `@Attribute` does.
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

    /// Describes an attribute.
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

    /// True.
    public var isAttribute: Bool { true }
    /// False.
    public var isRelationship: Bool { false }
    /// Whether no two objects may have the same value.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the value is kept in memory alone.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether the value is stored as its type encodes it.
    public var isCodable: Bool { options.contains(.codable) }
    /// Whether the value is turned into bytes.
    public var isTransformable: Bool { transformer != nil }

    /// The name of the transformer, if there is one.
    var transformer: String? {
      for case .transformable(let name) in options.map(\.kind) { return name }
      return nil
    }
  }

  /// An attribute whose values have attributes of their own.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {}
}
