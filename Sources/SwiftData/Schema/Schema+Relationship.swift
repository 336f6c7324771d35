import Format
import Store

extension Schema {
  /// A reference to one or more other objects.
  ///
  /// ```swift
  /// let days = schema.entity(for: Trip.self)?.relationshipsByName["days"]
  /// print(days?.destination ?? "", days?.inverseName ?? "")
  /// ```
  public class Relationship: SchemaProperty, @unchecked Sendable {
    // A relationship is Sendable, because all members are constants and no subclass changes them.

    /// An option of `@Relationship`, such as ``unique``.
    public struct Option: Hashable, Sendable, Codable {
      enum Kind: Hashable, Codable {
        case unique
        case deleteRule(StoredDeleteRule)
      }
      let kind: Kind

      /// No two objects may refer to the same object.
      public static var unique: Option { Option(kind: .unique) }
      /// Deleting the object also deletes its destinations; an older spelling of
      /// ``DeleteRule/cascade``.
      public static var cascade: Option { Option(kind: .deleteRule(.cascade)) }
      /// Deleting an object removes the references to it from its destinations; see
      /// ``DeleteRule/nullify``.
      public static var nullify: Option { Option(kind: .deleteRule(.nullify)) }
      /// The object can't be deleted while it has destinations; see ``DeleteRule/deny``.
      public static var deny: Option { Option(kind: .deleteRule(.deny)) }
      /// Deleting the object does not change its destinations; see ``DeleteRule/noAction``.
      public static var noAction: Option { Option(kind: .deleteRule(.noAction)) }
    }

    /// The effect of a deletion on the destinations of the deleted object; `.nullify` by default.
    public enum DeleteRule: String, Hashable, Codable, Sendable {
      /// Destinations are not changed; the save only sets their references to the deleted object to
      /// nil, because a row can't refer to a missing row.
      case noAction
      /// References of destinations to the deleted object are removed; the default.
      case nullify
      /// Destinations are deleted too, and their own delete rules apply.
      case cascade
      /// A save throws ``SwiftDataError/deletionDenied`` while the object has destinations.
      case deny
    }

    /// The name of the relationship, which is also the name of the property.
    public let name: String
    /// The name in an earlier version of the schema; the same as `name` if it was not renamed.
    public let originalName: String
    /// The options of the declaration; empty for a relationship without options.
    public let options: [Option]
    /// The type of the property: a model, an array or a set, which may be optional.
    public let valueType: Any.Type
    /// The name of the destination's entity; objects of its subclasses are allowed too.
    public let destination: String
    /// The effect of a deletion on the destinations; `.nullify` by default.
    public let deleteRule: DeleteRule
    /// The minimum number of destinations; nil or 0 means no minimum.
    public let minimumModelCount: Int?
    /// The maximum number of destinations; nil or 0 means no maximum.
    public let maximumModelCount: Int?
    /// The name of the inverse; nil if there is none.
    public let inverseName: String?
    /// The key path of the inverse; nil if there is none, or the schema was decoded.
    public let inverseKeyPath: AnyKeyPath?
    /// The hash modifier of the declaration, which has no effect.
    public let hashModifier: String?
    /// Whether the value may be nil.
    public let isOptional: Bool
    /// Whether the relationship has at most one destination.
    public let isToOneRelationship: Bool

    /// Describes a relationship as `@Relationship` does; name and type are those of the property in
    /// a model class.
    public init(
      _ options: Option...,
      deleteRule: DeleteRule = .nullify,
      minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0,
      originalName: String? = nil,
      inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      name = ""
      self.originalName = originalName ?? ""
      self.options = options
      valueType = Never.self
      destination = ""
      self.deleteRule = Self.rule(in: options) ?? deleteRule
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      inverseName = nil
      inverseKeyPath = inverse
      self.hashModifier = hashModifier
      isOptional = true
      isToOneRelationship = false
    }

    init(
      _ property: PropertyDescription,
      destination: String,
      inverse: PropertyReference?
    ) {
      let declared = property.relationship
      name = property.name
      originalName = declared.flatMap { $0.originalName.isEmpty ? nil : $0.originalName } ?? name
      options = declared?.options ?? []
      valueType = property.valueType
      self.destination = destination
      deleteRule = declared?.deleteRule ?? .nullify
      minimumModelCount = declared?.minimumModelCount ?? 0
      maximumModelCount = declared?.maximumModelCount ?? 0
      inverseName = inverse?.property.name
      inverseKeyPath = inverse?.property.keyPath
      hashModifier = declared?.hashModifier
      isOptional = property.isOptional
      isToOneRelationship = !property.isToMany
    }

    init(_ coded: CodedRelationship) {
      name = coded.name
      originalName = coded.originalName
      options = coded.options
      valueType = Never.self
      destination = coded.destination
      deleteRule = coded.deleteRule
      minimumModelCount = coded.minimum
      maximumModelCount = coded.maximum
      inverseName = coded.inverse
      inverseKeyPath = nil
      hashModifier = nil
      isOptional = coded.isOptional
      isToOneRelationship = coded.isToOne
    }

    /// Whether the property is an attribute; always false.
    public var isAttribute: Bool { false }
    /// Whether the property is a relationship; always true.
    public var isRelationship: Bool { true }
    /// Whether each object may be the destination of only one other object.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether the value is only in memory; always false, because ephemeral relationships do not
    /// exist.
    public var isTransient: Bool { false }

    private static func rule(in options: [Option]) -> DeleteRule? {
      for case .deleteRule(let rule) in options.map(\.kind) {
        return DeleteRule(rawValue: rule.rawValue)
      }
      return nil
    }
  }
}
