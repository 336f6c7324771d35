import SwiftDiagnostics
import SwiftSyntax

// Errors about @Attribute, @Relationship, @Transient, #Unique and #Index.
extension Diagnostic {
  /// The error for an attribute such as `@Attribute` on a declaration that is not a variable.
  static func annotationNeedsProperty(_ node: AttributeSyntax, name: String) -> Diagnostic {
    .error(
      "@\(name) says how a property is stored; put it on a stored property of a class that is "
        + "marked @Model.",
      at: node,
      fixIts: [.removing(node, message: "remove '@\(name)'")]
    )
  }

  /// The error for an attribute such as `@Attribute` on a variable outside of a model class.
  static func annotationOutsideModel(_ node: AttributeSyntax, name: String) -> Diagnostic {
    .error(
      "@\(name) has no effect here, because the property does not belong to a class that is marked "
        + "@Model; mark the class @Model, or remove @\(name).",
      at: node,
      fixIts: [.removing(node, message: "remove '@\(name)'")]
    )
  }

  /// The warning for `@Transient` on a variable outside of a model class.
  static func transientOutsideModel(_ node: AttributeSyntax) -> Diagnostic {
    Diagnostic.error(
      "@Transient has no effect here, because the property does not belong to a class that is "
        + "marked @Model.",
      at: node,
      fixIts: [.removing(node, message: "remove '@Transient'")]
    )
    .asWarning
  }

  /// The error for `@Attribute` or `@Relationship` on a variable that is not stored in each object;
  /// a warning for `@Attribute` on a computed property.
  static func annotationOnUnstored(
    _ node: AttributeSyntax,
    name: String,
    property: ModelProperty
  ) -> Diagnostic {
    let kind =
      switch property.role {
      case .computed: "computed"
      case .ofType: "static"
      default: "@Transient"
      }
    return .error(
      "@\(name) says how a property is stored, but '\(property.name)' is \(kind); remove @\(name), "
        + "or make it a stored property.",
      at: node,
      fixIts: [.removing(node, message: "remove '@\(name)'")]
    )
  }

  /// The error for both `@Attribute` and `@Relationship` on one property.
  static func attributeAndRelationship(
    _ node: AttributeSyntax,
    property: ModelProperty
  ) -> Diagnostic {
    .error(
      "'\(property.name)' can't be an attribute and a relationship at once; keep @Relationship if "
        + "its type is a model, and otherwise @Attribute.",
      at: node,
      fixIts: [.removing(node, message: "remove '@Relationship'")]
    )
  }

  /// The error for an attribute that occurs twice on one property.
  static func repeatedAnnotation(_ node: AttributeSyntax, name: String) -> Diagnostic {
    .error(
      "@\(name) can be put on a property only once; put all options in the first @\(name).",
      at: node,
      fixIts: [.removing(node, message: "remove the second '@\(name)'")]
    )
  }

  /// The error for an argument with two values: `@Attribute(originalName: "a")
  /// @Attribute(originalName: "b") var name: String`.
  static func repeatedArgument(
    _ argument: LabeledExprSyntax,
    label: String,
    property: ModelProperty
  ) -> Diagnostic {
    .error(
      "'\(property.name)' has two values for '\(label)'; keep only one value.",
      at: argument
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

  /// The error for an unsupported collection: `@Relationship var items: [String: Item]`.
  static func relationshipInCollection(
    _ node: AttributeSyntax,
    property: ModelProperty,
    collection: String
  ) -> Diagnostic {
    .error(
      "A relationship to several objects is an array; declare '\(property.name)' as an array "
        + "rather than a \(collection).",
      at: node
    )
  }

  /// The error for a transient property without a default: `@Transient var views: Int`.
  static func transientNeedsDefault(_ property: ModelProperty) -> Diagnostic {
    var fixIts: [FixIt] = []
    if let type = property.type, let value = DefaultValues.obvious(for: type) {
      var changed = property.binding
      changed.trailingTrivia = []
      changed.initializer = InitializerClauseSyntax(equal: equalSign, value: value)
      changed.trailingTrivia = property.binding.trailingTrivia
      fixIts = [.replacing(property.binding, with: changed, message: "give it the value \(value)")]
    }
    return .error(
      "@Transient property '\(property.name)' needs a default value, because a store does not "
        + "contain a value for it; write a default value, or make the property optional.",
      at: property.identifier,
      fixIts: fixIts
    )
  }

  /// The error for an unknown option whose name resembles that of an existing option.
  static func unknownOption(
    _ expression: ExprSyntax,
    name: String,
    of annotation: String,
    meant: String
  ) -> Diagnostic {
    var fixIts: [FixIt] = []
    if let member = memberAccess(expression) {
      let token = member.declName.baseName
      let changed = token.with(\.tokenKind, .identifier(meant))
      fixIts = [.replacing(token, with: changed, message: "write '.\(meant)'")]
    }
    return .error(
      "@\(annotation) has no option '.\(name)'; did you mean '.\(meant)'?",
      at: expression,
      fixIts: fixIts
    )
  }

  /// The error for an option of `@Attribute` in `@Relationship`, or the reverse.
  static func optionOfOther(
    _ expression: ExprSyntax,
    name: String,
    of annotation: String,
    belongsTo other: String
  ) -> Diagnostic {
    .error(
      "'.\(name)' is an option of @\(other), not of @\(annotation).",
      at: expression
    )
  }

  /// The error for `#Unique` or `#Index` outside of a model class.
  static func constraintOutsideModel(
    _ node: some FreestandingMacroExpansionSyntax,
    name: String
  ) -> Diagnostic {
    .error(
      "#\(name) must be inside the class to which it applies, and that class must be "
        + "marked @Model; move #\(name) into that class.",
      at: node
    )
  }

  /// The error for a constraint that names another class: `#Unique<Other>`.
  static func constraintForOtherType(
    _ type: TypeSyntax,
    name: String,
    of other: String,
    in model: ClassDeclSyntax
  ) -> Diagnostic {
    let own = plainName(model.name)
    let changed = TypeSyntax(IdentifierTypeSyntax(name: model.name.trimmed))
      .with(\.leadingTrivia, type.leadingTrivia).with(\.trailingTrivia, type.trailingTrivia)
    return .error(
      "#\(name) inside '\(own)' can only apply to '\(own)'; write '#\(name)<\(own)>', or move it "
        + "into '\(other)'.",
      at: type,
      fixIts: [.replacing(type, with: changed, message: "write '\(own)'")]
    )
  }

  /// The error for a constraint without arguments: `#Unique<Trip>()`.
  static func constraintWithoutProperties(
    _ node: some FreestandingMacroExpansionSyntax,
    name: String
  ) -> Diagnostic {
    .error(
      "#\(name) names no properties; list them as key paths: '#\(name)<…>([\\.name])'.",
      at: node
    )
  }

  /// The error for a constraint with an empty list: `#Unique<Trip>([])`.
  static func constraintWithEmptyList(_ argument: LabeledExprSyntax, name: String) -> Diagnostic {
    .error(
      "This list of #\(name) is empty; add key paths to it, or remove it.",
      at: argument.expression
    )
  }

  /// The error for a second `#Unique` or `#Index` in one class.
  static func repeatedConstraint(_ node: MacroExpansionDeclSyntax, name: String) -> Diagnostic {
    .error(
      "A model can have only one #\(name); put all lists in the first #\(name), separated by commas.",
      at: node
    )
  }

  /// The error for a constraint on a property that is not stored: `#Unique<Trip>([\.views])`.
  static func constraintOnUnstored(
    _ keyPath: ExprSyntax,
    name: String,
    property: ModelProperty
  ) -> Diagnostic {
    .error(
      "#\(name) applies to stored properties, but '\(property.name)' is not stored; "
        + "remove it from the list.",
      at: keyPath
    )
  }

  /// The error for a constraint on a property that the class does not have: `#Unique<Trip>([\.nmae])`.
  static func constraintOnUnknown(
    _ keyPath: ExprSyntax,
    name: String,
    property: String,
    in model: ModelClass,
    meant: String?
  ) -> Diagnostic {
    let offer = meant.map { "did you mean '\($0)'?" } ?? "name one of its stored properties."
    return .error(
      "#\(name) names '\(property)', but '\(model.name)' has no stored property of this name; \(offer)",
      at: keyPath
    )
  }

  private static let equalSign = TokenSyntax.equalToken(
    leadingTrivia: .space,
    trailingTrivia: .space
  )
}

/// The member access in an option: `.unique`, or `.transformable` in `.transformable(by: "…")`.
func memberAccess(_ expression: ExprSyntax) -> MemberAccessExprSyntax? {
  if let call = expression.as(FunctionCallExprSyntax.self) {
    return memberAccess(call.calledExpression)
  }
  return expression.as(MemberAccessExprSyntax.self)
}
