import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds what is wrong with a model class, as far as its source tells.
struct ModelChecks {
  let model: ModelClass
  let node: AttributeSyntax

  /// What every model has and no property can stand in for.
  private static let reserved: Set<String> = [
    "persistentModelID", "persistentBackingData", "modelContext", "schemaMetadata", "Root",
  ]

  func run(in context: some MacroExpansionContext) {
    for problem in ofClass + ofConditions { context.diagnose(problem) }
    for member in model.members.declarations {
      guard let variable = member.as(VariableDeclSyntax.self) else { continue }
      for problem in problems(of: variable) { context.diagnose(problem) }
    }
    for problem in ConstraintChecks(model: model).problems { context.diagnose(problem) }
  }

  private var ofClass: [Diagnostic] {
    var problems: [Diagnostic] = []
    if let observable = model.declaration.attributes.named("Observable").first {
      problems.append(.modelIsObservable(observable))
    }
    if !model.hasInitializer { problems.append(.modelNeedsInitializer(model, node)) }
    for member in model.members.declarations {
      if !member.is(VariableDeclSyntax.self),
        let named = member.asProtocol((any NamedDeclSyntax).self), plainName(named.name) == "Root"
      {
        problems.append(.nestedTypeNamedRoot(named.name, in: model))
      }
    }
    return problems
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
      return [.tupleProperty(tuple)]
    }
    if variable.bindings.count > 1 {
      guard properties.contains(where: \.isPersisted) else { return [] }
      return [.severalProperties(variable, separated(variable))]
    }
    return properties.flatMap { property in
      AnnotationChecks(property: property).problems + storageProblems(property)
    }
  }

  /// Each property of the declaration as a declaration of its own.
  private func separated(_ variable: VariableDeclSyntax) -> String {
    let lines = ModelProperty.all(in: variable).map { property in
      let binding = property.binding.with(\.trailingComma, nil).trimmed
      return variable.trimmed.with(\.bindings, [binding]).description
    }
    let indentation = variable.leadingTrivia.description.split(separator: "\n").last ?? ""
    return lines.joined(separator: "\n\(indentation)")
  }

  private func storageProblems(_ property: ModelProperty) -> [Diagnostic] {
    switch property.role {
    case .unsupported(let word, let modifier):
      return [.unsupportedModifier(property, word, modifier)]
    case .transient:
      return property.hasDefault || isWrapped(property)
        || property.declaration.modifiers.contains(.weak)
        ? [] : [.transientNeedsDefault(property)]
    case .computed, .ofType:
      return []
    case .persisted:
      return persistedProblems(property)
    }
  }

  private func persistedProblems(_ property: ModelProperty) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    if property.type == nil, property.initializer == nil {
      problems.append(.propertyNeedsType(property))
    }
    if let wrapper = PropertyWrappers.first(on: property) {
      problems.append(.propertyWrapper(wrapper, on: property))
    }
    if Self.reserved.contains(property.name) || property.name.hasPrefix("_$") {
      problems.append(.reservedName(property))
    }
    if property.isConstant, !model.allowsConstants { problems.append(.constantInModel(property)) }
    if let other = model.properties.first(where: { "_\(property.name)" == $0.name }) {
      problems.append(.nameTakenByStorage(other, of: property.name))
    }
    return problems
  }

  private func isWrapped(_ property: ModelProperty) -> Bool {
    PropertyWrappers.first(on: property) != nil
  }
}
