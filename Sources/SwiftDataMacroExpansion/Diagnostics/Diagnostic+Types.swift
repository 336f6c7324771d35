import SwiftDiagnostics
import SwiftSyntax

// Errors about the types to which macros are attached.
extension Diagnostic {
  /// The error for `@Model` on a struct, an enumeration, an actor or a protocol.
  static func modelNeedsClass(
    _ node: AttributeSyntax,
    declaration: some DeclGroupSyntax
  ) -> Diagnostic {
    let kind = kindWord(declaration)
    let keyword =
      declaration.as(StructDeclSyntax.self)?.structKeyword
      ?? declaration.as(ActorDeclSyntax.self)?.actorKeyword
    let fixIts = keyword.map { keyword in
      let changed = keyword.with(\.tokenKind, .identifier("final class"))
      return [FixIt.replacing(keyword, with: changed, message: "make it a 'final class'")]
    }
    return .error(
      "@Model needs a class, because contexts keep track of objects by identity; "
        + "'\(nameWord(declaration))' is \(kind).",
      at: node,
      fixIts: fixIts ?? []
    )
  }

  /// The error for `@Model` on a generic class, or on a class inside a generic type or function.
  static func modelIsGeneric(_ source: ClassDeclSyntax) -> Diagnostic {
    .error(
      "@Model can't be put on '\(plainName(source.name))', because it is generic or inside of something "
        + "generic, and a store has one table for each class; remove the generic parameters, or "
        + "declare the class outside.",
      at: source.name
    )
  }

  /// The warning for a class without an initializer.
  ///
  /// The warning can be ignored for a class in an earlier version of a schema, because a program
  /// only reads objects of such a class.
  static func modelHasNoInitializer(_ model: ModelClass, node: AttributeSyntax) -> Diagnostic {
    Diagnostic.error(
      "'\(model.name)' has no initializer, so its objects can only be read from a store; write an "
        + "init that sets its properties.",
      at: node
    ).asWarning
  }

  /// The error for `@Model` and `@Observable` on the same class.
  static func modelIsObservable(_ attribute: AttributeSyntax) -> Diagnostic {
    .error(
      "@Model makes the class observable; remove @Observable.",
      at: attribute,
      fixIts: [.removing(attribute, message: "remove '@Observable'")]
    )
  }

  /// The error for an `#if` around stored properties whose condition the macro can't evaluate.
  static func undecidedCondition(_ conditional: IfConfigDeclSyntax) -> Diagnostic {
    .error(
      "@Model can't evaluate this condition, so it does not know which properties the class has; "
        + "use '#if os(…)', '#if DEBUG' or another compilation condition, or move the stored "
        + "properties out of the '#if'.",
      at: conditional
    )
  }

  /// The error for `@ModelActor` on something that is not an actor.
  static func modelActorNeedsActor(
    _ node: AttributeSyntax,
    declaration: some DeclGroupSyntax
  ) -> Diagnostic {
    .error(
      "@ModelActor needs an actor, which protects the context; '\(nameWord(declaration))' is "
        + "\(kindWord(declaration)).",
      at: node
    )
  }

  /// The error for a stored property of an actor that the generated initializer can't set.
  static func modelActorNeedsDefault(
    _ property: ModelProperty,
    source: ActorDeclSyntax
  ) -> Diagnostic {
    .error(
      "@ModelActor generates 'init(modelContainer:)', which has no value for '\(property.name)'; "
        + "give the property a default value, or write an initializer of your own for "
        + "'\(plainName(source.name))' that sets 'modelContainer' and 'modelExecutor' too.",
      at: property.identifier
    )
  }

  private static func kindWord(_ declaration: some DeclGroupSyntax) -> String {
    switch declaration.kind {
    case .structDecl: "a struct"
    case .enumDecl: "an enum"
    case .actorDecl: "an actor"
    case .protocolDecl: "a protocol"
    case .extensionDecl: "an extension"
    case .classDecl: "a class"
    default: "none"
    }
  }

  private static func nameWord(_ declaration: some DeclGroupSyntax) -> String {
    if let named = declaration.asProtocol((any NamedDeclSyntax).self) {
      return plainName(named.name)
    }
    return declaration.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription ?? ""
  }
}
