import SwiftDiagnostics
import SwiftSyntax

/// Finds errors in `@Attribute` and `@Relationship` on one property.
struct AnnotationChecks {
  let property: ModelProperty

  private static let options: [String: [String]] = [
    "Attribute": [
      "unique", "externalStorage", "ephemeral", "preserveValueOnDeletion", "transformable",
      "allowsCloudEncryption", "spotlight", "codable",
    ],
    "Relationship": ["unique", "cascade", "nullify", "deny", "noAction"],
  ]

  var problems: [Diagnostic] {
    let list = property.declaration.attributes
    let attributes = list.named("Attribute")
    let relationships = list.named("Relationship")
    var problems: [Diagnostic] = []
    for (name, nodes) in [("Attribute", attributes), ("Relationship", relationships)] {
      guard let first = nodes.first else { continue }
      if !property.isStored {
        let problem = Diagnostic.annotationOnUnstored(first, name: name, property: property)
        // Public applications have `@Attribute(.ephemeral)` on computed properties.
        problems.append(name == "Attribute" && property.isComputed ? problem.asWarning : problem)
      }
      problems += repetitions(of: nodes, name: name)
      problems += nodes.flatMap { optionProblems($0, annotation: name) }
    }
    if let relationship = relationships.first {
      if !attributes.isEmpty {
        problems.append(.attributeAndRelationship(relationship, property: property))
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
      return nodes.dropFirst().map { .repeatedAnnotation($0, name: name) }
    }
    var seen: Set<String> = []
    return nodes.flatMap(\.labeledArguments).compactMap { argument in
      guard let label = argument.label?.text, !seen.insert(label).inserted else { return nil }
      return .repeatedArgument(argument, label: label, property: property)
    }
  }

  private func optionProblems(_ node: AttributeSyntax, annotation: String) -> [Diagnostic] {
    let other = annotation == "Attribute" ? "Relationship" : "Attribute"
    return node.labeledArguments.compactMap { argument in
      // Only options written as members such as `.unique` are checked: an application may declare
      // further options, which the compiler knows but this module does not.
      guard argument.label == nil, let member = memberAccess(argument.expression),
        member.base == nil, let name = optionName(of: argument.expression),
        let own = Self.options[annotation], !own.contains(name)
      else { return nil }
      if Self.options[other]?.contains(name) == true {
        return .optionOfOther(argument.expression, name: name, of: annotation, belongsTo: other)
      }
      guard let meant = closest(to: name, in: own) else { return nil }
      return .unknownOption(argument.expression, name: name, of: annotation, meant: meant)
    }
  }

  private func typeProblem(_ node: AttributeSyntax) -> Diagnostic? {
    guard var type = property.type else { return literalProblem(node) }
    if let optional = type.as(OptionalTypeSyntax.self) { type = optional.wrappedType }
    if type.is(DictionaryTypeSyntax.self) {
      return .relationshipInCollection(node, property: property, collection: "dictionary")
    }
    if let array = type.as(ArrayTypeSyntax.self) { type = array.element }
    if let identifier = type.as(IdentifierTypeSyntax.self),
      let argument = identifier.genericArgumentClause?.arguments.first?.argument,
      case .type(let element) = argument
    {
      switch identifier.name.text {
      case "Dictionary":
        return .relationshipInCollection(node, property: property, collection: "dictionary")
      case "Array", "Set", "Optional": type = element
      default: break
      }
    }
    guard let name = simpleName(of: type), DefaultValues.isValue(name) else { return nil }
    return .relationshipToValue(node, property: property, type: name)
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
    return .relationshipToValue(node, property: property, type: name)
  }
}

/// The candidate that is most similar to a misspelt word; nil if no candidate is similar.
func closest(to word: String, in candidates: [String]) -> String? {
  let ranked = candidates.map { (candidate: $0, distance: editDistance(word, $0)) }
  guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance <= max(2, word.count / 4) ? best.candidate : nil
}

/// The number of letters that must be added, removed or replaced to turn one word into the other.
func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left.lowercased())
  let right = Array(right.lowercased())
  var row = Array(0...right.count)
  for (line, character) in left.enumerated() {
    var diagonal = row[0]
    row[0] = line + 1
    for (column, other) in right.enumerated() {
      let replaced = diagonal + (character == other ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
    }
  }
  return row[right.count]
}
