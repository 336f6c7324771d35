import SwiftDiagnostics
import SwiftSyntax

/// Finds errors in `@Attribute` and `@Relationship` on one property.
struct AnnotationChecks {
  let property: ModelProperty

  var problems: [Diagnostic] {
    let list = property.declaration.attributes
    let attributes = list.named("Attribute")
    let relationships = list.named("Relationship")
    var problems: [Diagnostic] = []
    for (name, nodes) in [("Attribute", attributes), ("Relationship", relationships)] {
      guard let first = nodes.first else { continue }
      if !property.isStored {
        let problem = Diagnostic.misplacedAnnotation(first, name: name)
        // Public applications have `@Attribute(.ephemeral)` on computed properties.
        problems.append(name == "Attribute" && property.isComputed ? problem.asWarning : problem)
      }
      problems += repetitions(of: nodes, name: name)
    }
    if let relationship = relationships.first {
      if !attributes.isEmpty {
        problems.append(.contradiction(relationship, property: property))
      } else if let problem = typeProblem(relationship) {
        problems.append(problem)
      }
    }
    return problems
  }

  /// Finds arguments that occur twice: several `@Attribute` on one property are combined, and some
  /// arguments may occur only once.
  private func repetitions(of nodes: [AttributeSyntax], name: String) -> [Diagnostic] {
    guard name == "Attribute" else {
      return nodes.dropFirst().map { .contradiction($0, property: property) }
    }
    var seen: Set<String> = []
    return nodes.flatMap(\.labeledArguments).compactMap { argument in
      guard let label = argument.label?.text, !seen.insert(label).inserted else { return nil }
      return .contradiction(argument, property: property)
    }
  }

  private func typeProblem(_ node: AttributeSyntax) -> Diagnostic? {
    guard var type = property.type else { return literalProblem(node) }
    if let optional = type.as(OptionalTypeSyntax.self) { type = optional.wrappedType }
    if type.is(DictionaryTypeSyntax.self) { return notModel(node, "a dictionary") }
    if let array = type.as(ArrayTypeSyntax.self) { type = array.element }
    if let identifier = type.as(IdentifierTypeSyntax.self),
      let argument = identifier.genericArgumentClause?.arguments.first?.argument,
      case .type(let element) = argument
    {
      switch identifier.name.text {
      case "Dictionary": return notModel(node, "a dictionary")
      case "Array", "Set", "Optional": type = element
      default: break
      }
    }
    guard let name = simpleName(of: type), ValueTypes.isValue(name) else { return nil }
    return notModel(node, name)
  }

  /// Finds a relationship whose default is a literal, such as `@Relationship var count = 0`.
  private func literalProblem(_ node: AttributeSyntax) -> Diagnostic? {
    let name: String
    switch property.initializer?.kind {
    case .integerLiteralExpr: name = "Int"
    case .floatLiteralExpr: name = "Double"
    case .booleanLiteralExpr: name = "Bool"
    case .stringLiteralExpr: name = "String"
    default: return nil
    }
    return notModel(node, name)
  }

  private func notModel(_ node: AttributeSyntax, _ type: String) -> Diagnostic {
    .relationshipToValue(node, property: property, type: type)
  }
}
