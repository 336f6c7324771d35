import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: turns a class into a model, whose objects can be stored.
public enum ModelMacro {
  /// The protocol by which subclasses of models are recognized: the macro adds it only to the root
  /// class of a family.
  static let rootMarker = "_ModelRoot"

  private static func isMissing(_ name: String, in protocols: [TypeSyntax]) -> Bool {
    protocols.contains { simpleName(of: $0) == name }
  }
}

extension ModelMacro: MemberMacro {
  /// Adds the members of a model to the class.
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let source = declaration.as(ClassDeclSyntax.self) else {
      context.diagnose(.modelNeedsClass(node, declaration: declaration))
      return []
    }
    if let refusal = ModelChecks.refusal(of: source, in: context) {
      context.diagnose(refusal)
      return []
    }
    let model = ModelClass(source, in: context)
    let problems = ModelChecks(model: model, node: node).problems
    for problem in problems { context.diagnose(problem) }
    let members = ModelMembers(
      model: model,
      isRoot: isMissing(rootMarker, in: protocols),
      isBroken: problems.contains { $0.diagMessage.severity == .error },
      module: moduleName(of: node, context: context)
    )
    return members.all
  }

  /// The name of the module that is being compiled, which is the beginning of the file's
  /// identifier.
  private static func moduleName(
    of node: AttributeSyntax,
    context: some MacroExpansionContext
  ) -> String? {
    let location = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .fileID)
    guard let literal = location?.file.as(StringLiteralExprSyntax.self),
      let text = literal.representedLiteralValue
    else { return nil }
    return text.split(separator: "/").first.map(String.init)
  }
}

extension ModelMacro: ExtensionMacro {
  /// Adds the conformances of a model to the class.
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let source = declaration.as(ClassDeclSyntax.self), isMissing(rootMarker, in: protocols),
      ModelChecks.refusal(of: source, in: context) == nil
    else { return [] }
    let name = plainName(source.name)
    let conformances = [rootMarker, "PersistentModel"]
      .filter { isMissing($0, in: protocols) }
      .map { "nonisolated SwiftData.\($0)" }
      .joined(separator: ", ")
    var extensions: [DeclSyntax] = ["extension \(type.trimmed): \(raw: conformances) {}"]
    if isMissing("Sendable", in: protocols) {
      let message =
        "PersistentModels are not Sendable, consider utilizing a ModelActor or use \(name)'s"
        + " persistentModelID instead."
      extensions.append(
        """
        @available(*, unavailable, message: \(literal: message))
        extension \(type.trimmed): Swift.Sendable {}
        """
      )
    }
    return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}

extension ModelMacro: MemberAttributeMacro {
  /// Adds `@_PersistedProperty` to the persisted properties.
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let source = declaration.as(ClassDeclSyntax.self),
      let variable = member.as(VariableDeclSyntax.self),
      ModelChecks.refusal(of: source, in: context) == nil,
      let index = ModelClass(source, in: context).index(of: variable)
    else { return [] }
    return ["@SwiftData._PersistedProperty(\(literal: index))"]
  }
}
