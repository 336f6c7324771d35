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

  /// The error for `@Model` on a generic class.
  static func modelIsGeneric(
    _ source: ClassDeclSyntax,
    clause: GenericParameterClauseSyntax
  ) -> Diagnostic {
    .error(
      "@Model can't be put on the generic class '\(plainName(source.name))', because a store has "
        + "one table for each class; remove the generic parameters, or make a model class for each "
        + "type that is needed.",
      at: clause
    )
  }

  /// The error for `@Model` on a class inside a generic type.
  static func modelInGenericContext(_ source: ClassDeclSyntax) -> Diagnostic {
    .error(
      "@Model can't be put on '\(plainName(source.name))' inside a generic type or function; "
        + "declare the class outside of it.",
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
      at: node,
      fixIts: InitializerDraft(model: model).fixIts
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

  /// The error for a nested type with the same name as a generated type.
  static func nestedTypeNamedRoot(_ name: TokenSyntax, in model: String) -> Diagnostic {
    .error(
      "A type inside of '\(model)' can't be called 'Root', because @Model uses this name; "
        + "rename the type, or declare it outside of '\(model)'.",
      at: name
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
    var fixIts: [FixIt] = []
    if let source = declaration.as(ClassDeclSyntax.self), source.inheritanceClause == nil {
      let keyword = source.classKeyword.with(\.tokenKind, .keyword(.actor))
      var changes: [FixIt.Change] = [
        .replace(oldNode: Syntax(source.classKeyword), newNode: Syntax(keyword))
      ]
      // The modifier `final` can be removed, because actors are always final.
      if let final = source.modifiers.first(where: { $0.name.tokenKind == .keyword(.final) }) {
        let nothing = TokenSyntax.nothing(inPlaceOf: final)
        changes.append(.replace(oldNode: Syntax(final), newNode: Syntax(nothing)))
      }
      let message = Sentence(message: "make it an 'actor'", id: "fixIt")
      fixIts = [FixIt(message: message, changes: changes)]
    } else if let source = declaration.as(StructDeclSyntax.self) {
      let keyword = source.structKeyword.with(\.tokenKind, .keyword(.actor))
      fixIts = [.replacing(source.structKeyword, with: keyword, message: "make it an 'actor'")]
    }
    return .error(
      "@ModelActor needs an actor, which protects the context; '\(nameWord(declaration))' is "
        + "\(kindWord(declaration)).",
      at: node,
      fixIts: fixIts
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
