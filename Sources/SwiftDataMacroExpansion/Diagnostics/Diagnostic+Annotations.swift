import SwiftDiagnostics
import SwiftSyntax

// Errors about @Attribute, @Relationship, @Transient, #Unique and #Index.
extension Diagnostic {
  /// The error for an annotation that is not on a stored property of a model class; a warning for
  /// `@Transient` outside of a model class, and for `@Attribute` on a computed property.
  static func misplacedAnnotation(_ node: AttributeSyntax, name: String) -> Diagnostic {
    .error(
      "@\(name) has no effect here; put it on a stored property of a class that is marked @Model, or "
        + "remove it.",
      at: node,
      fixIts: [.removing(node, message: "remove '@\(name)'")]
    )
  }

  /// The error for two annotations, or two arguments, that exclude each other: `@Attribute
  /// @Relationship`, or `@Attribute(originalName: "a") @Attribute(originalName: "b")`.
  static func contradiction(_ node: some SyntaxProtocol, property: ModelProperty) -> Diagnostic {
    .error(
      "'\(property.name)' can have one @Relationship, or @Attribute with one value for each argument; "
        + "remove this.",
      at: node
    )
  }

  /// The error for a relationship whose type is not a model: `@Relationship var count: Int`.
  static func relationshipToValue(
    _ node: AttributeSyntax,
    property: ModelProperty,
    type: String
  ) -> Diagnostic {
    .error(
      "@Relationship refers to objects of a model class, but \(type) is not a model; remove "
        + "@Relationship from '\(property.name)'.",
      at: node,
      fixIts: [.removing(node, message: "remove '@Relationship'")]
    )
  }

  /// The error for a transient property without a default: `@Transient var views: Int`.
  static func transientNeedsDefault(_ property: ModelProperty) -> Diagnostic {
    .error(
      "@Transient property '\(property.name)' needs a default value, because a store does not "
        + "contain a value for it; write a default value, or make the property optional.",
      at: property.identifier
    )
  }

  /// The error for `#Unique` or `#Index` outside of a model class, for another class, for the second
  /// time, or with a list that does not name stored properties.
  static func wrongConstraint(_ node: some SyntaxProtocol, name: String) -> Diagnostic {
    .error(
      "#\(name) can be inside a class that is marked @Model, once, with lists of key paths of the "
        + "class's own stored properties: '#\(name)<…>([\\.name], [\\.city, \\.street])'.",
      at: node
    )
  }
}
