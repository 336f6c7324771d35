import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ModelActor`: gives an actor its own context, and an executor that protects it.
public enum ModelActorMacro {}

extension ModelActorMacro: MemberMacro {
  /// Adds the members that an actor needs for its context and executor.
  public static func expansion(
    of node: AttributeSyntax,
    providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let source = declaration.as(ActorDeclSyntax.self) else {
      context.diagnose(.modelActorNeedsActor(node, declaration: declaration))
      return []
    }
    let members = ActiveMembers(of: source.memberBlock.members, in: context).declarations
    let stored = members.compactMap { $0.as(VariableDeclSyntax.self) }
      .flatMap(ModelProperty.all(in:))
    let names = Set(stored.map(\.name))
    let access = AccessLevel(modifiers: source.modifiers).prefix

    var added: [DeclSyntax] = []
    if !names.contains("modelExecutor") {
      added.append("\(raw: access)nonisolated let modelExecutor: any SwiftData.ModelExecutor")
    }
    if !names.contains("modelContainer") {
      added.append("\(raw: access)nonisolated let modelContainer: SwiftData.ModelContainer")
    }
    let initializers = members.compactMap { $0.as(InitializerDeclSyntax.self) }
    if initializers.contains(where: takesOnlyContainer) { return added }
    if let property = stored.first(where: needsValue) {
      // The actor's own initializer can set the value, but a generated initializer can't.
      guard initializers.isEmpty else { return added }
      context.diagnose(.modelActorNeedsDefault(property, source: source))
      return added + [
        "\(raw: access)init(modelContainer: SwiftData.ModelContainer) { \(raw: neverRuns) }"
      ]
    }
    added.append(
      """
      \(raw: access)init(modelContainer: SwiftData.ModelContainer) {
        let modelContext = SwiftData.ModelContext(modelContainer)
        self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
        self.modelContainer = modelContainer
      }
      """
    )
    return added
  }

  private static func takesOnlyContainer(_ initializer: InitializerDeclSyntax) -> Bool {
    let parameters = initializer.signature.parameterClause.parameters
    return parameters.count == 1 && parameters.first?.firstName.text == "modelContainer"
  }

  /// Whether a generated initializer can't give the property a value.
  private static func needsValue(_ property: ModelProperty) -> Bool {
    if case .ofType = property.role { return false }
    if case .computed = property.role { return false }
    if property.declaration.modifiers.contains(.lazy) { return false }
    return !property.hasDefault
      && !["modelExecutor", "modelContainer"].contains(property.name)
  }
}

extension ModelActorMacro: ExtensionMacro {
  /// Adds the conformance to `ModelActor`.
  public static func expansion(
    of node: AttributeSyntax,
    attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    let conformance: DeclSyntax = "extension \(type.trimmed): SwiftData.ModelActor {}"
    return [conformance].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
