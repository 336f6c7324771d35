import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds the errors of a model class that are visible in its source.
struct ModelChecks {
  let model: ModelClass
  let node: AttributeSyntax

  /// The reason why the declaration can't be a model; nil if the declaration can be a model.
  static func refusal(
    of source: ClassDeclSyntax,
    in context: some MacroExpansionContext
  ) -> Diagnostic? {
    for outer in [Syntax(source)] + context.lexicalContext {
      let generic = outer.asProtocol((any WithGenericParametersSyntax).self)
      if generic?.genericParameterClause != nil { return .modelIsGeneric(source) }
    }
    if let observable = source.attributes.named("Observable").first {
      return .modelIsObservable(observable)
    }
    for member in source.memberBlock.members {
      if !member.decl.is(VariableDeclSyntax.self),
        let named = member.decl.asProtocol((any NamedDeclSyntax).self),
        plainName(named.name) == "Root"
      {
        return .reservedName(named.name)
      }
    }
    return nil
  }

  var problems: [Diagnostic] {
    var problems: [Diagnostic] = []
    if !model.hasInitializer, !model.getsInitializer {
      problems.append(.modelHasNoInitializer(model, node: node))
    }
    problems += ofConditions
    problems += model.members.declarations.flatMap { member in
      member.as(VariableDeclSyntax.self).map(self.problems(of:)) ?? []
    }
    return problems + ConstraintChecks(model: model).problems
  }

  private var ofConditions: [Diagnostic] {
    model.members.undecided.filter(Self.holdsStorage).map { .undecidedCondition($0) }
  }

  private static func holdsStorage(_ conditional: IfConfigDeclSyntax) -> Bool {
    conditional.clauses.contains { clause in
      guard case .decls(let members) = clause.elements else { return false }
      return members.contains { member in
        if let inner = member.decl.as(IfConfigDeclSyntax.self) { return holdsStorage(inner) }
        guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
        return ModelProperty.all(in: variable).contains(where: \.isPersisted)
      }
    }
  }

  private func problems(of variable: VariableDeclSyntax) -> [Diagnostic] {
    let properties = ModelProperty.all(in: variable)
    if properties.count < variable.bindings.count {
      let isStatic = variable.modifiers.contains(.static)
      let isTransient = variable.attributes.contains(named: "Transient")
      guard !isStatic, !isTransient,
        let tuple = variable.bindings.first(where: { $0.pattern.is(TuplePatternSyntax.self) })
      else { return [] }
      return [.severalProperties(tuple)]
    }
    if variable.bindings.count > 1 {
      guard properties.contains(where: \.isPersisted) else { return [] }
      return [.severalProperties(variable)]
    }
    return properties.flatMap { property in
      AnnotationChecks(property: property).problems + model.storage.problems(of: property)
    }
  }
}
