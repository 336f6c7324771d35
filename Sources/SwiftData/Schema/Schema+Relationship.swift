import Changes
import Store

extension Schema {
  /// A reference to one or more other objects.
  public class Relationship: SchemaProperty, @unchecked Sendable {
    // All members are constants; the classes of the schema are not made to be changed.

    /// A way in which a relationship differs from plain ones.
    public struct Option: Hashable, Sendable, Codable {
      enum Kind: Hashable, Codable {
        case unique
        case deleteRule(StoredDeleteRule)
      }
      let kind: Kind

      /// No two objects lead to the same one.
      public static var unique: Option { Option(kind: .unique) }
      /// Deleting the object deletes those that it leads to; the spelling of early releases.
      public static var cascade: Option { Option(kind: .deleteRule(.cascade)) }
      /// Deleting the object makes those that it leads to forget it.
      public static var nullify: Option { Option(kind: .deleteRule(.nullify)) }
      /// The object can't be deleted while it leads to others.
      public static var deny: Option { Option(kind: .deleteRule(.deny)) }
      /// Deleting the object leaves those that it leads to as they are.
      public static var noAction: Option { Option(kind: .deleteRule(.noAction)) }
    }

    /// What happens to the objects that a deleted object leads to.
    public enum DeleteRule: String, Hashable, Codable, Sendable {
      /// They stay as they are.
      case noAction
      /// They forget the deleted object.
      case nullify
      /// They are deleted too.
      case cascade
      /// The deletion is refused while there are any.
      case deny
    }

    /// The name of the relationship.
    public let name: String
    /// The name that it had in an earlier version; the same one where it was not renamed.
    public let originalName: String
    /// The options that it was declared with.
    public let options: [Option]
    /// The type of the property.
    public let valueType: Any.Type
    /// The name of the entity that it leads to.
    public let destination: String
    /// What happens to the objects that it leads to when the object is deleted.
    public let deleteRule: DeleteRule
    /// The fewest objects it may lead to.
    public let minimumModelCount: Int?
    /// The most objects it may lead to; zero means any number.
    public let maximumModelCount: Int?
    /// The name of the relationship that leads back.
    public let inverseName: String?
    /// The key path of the relationship that leads back.
    public let inverseKeyPath: AnyKeyPath?
    /// Accepted, and without effect here.
    public let hashModifier: String?
    /// Whether nil may stand for a value.
    public let isOptional: Bool
    /// Whether it leads to no more than one object.
    public let isToOneRelationship: Bool

    /// Describes a relationship, as `@Relationship` does.
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

    /// False.
    public var isAttribute: Bool { false }
    /// True.
    public var isRelationship: Bool { true }
    /// Whether no two objects may lead to the same one.
    public var isUnique: Bool { options.contains(.unique) }
    /// False.
    public var isTransient: Bool { false }

    private static func rule(in options: [Option]) -> DeleteRule? {
      for case .deleteRule(let rule) in options.map(\.kind) {
        return DeleteRule(rawValue: rule.rawValue)
      }
      return nil
    }
  }
}
