import SwiftDiagnostics
import SwiftSyntax

/// Finds errors in `#Unique` and `#Index` that depend on the other members of the class;
/// ``Placement`` finds the other errors.
struct ConstraintChecks {
  let model: ModelClass

  var problems: [Diagnostic] {
    var problems: [Diagnostic] = []
    var seen: Set<String> = []
    for constraint in model.constraints {
      let name = plainName(constraint.macroName)
      if !seen.insert(name).inserted {
        problems.append(.repeatedConstraint(constraint, name: name))
      }
      for argument in constraint.arguments {
        problems += listProblems(argument.expression, name: name)
      }
    }
    return problems
  }

  private func listProblems(_ expression: ExprSyntax, name: String) -> [Diagnostic] {
    if let call = expression.as(FunctionCallExprSyntax.self), let only = call.arguments.first {
      return listProblems(only.expression, name: name)
    }
    guard let list = expression.as(ArrayExprSyntax.self) else { return [] }
    return list.elements.compactMap { element in
      guard let property = property(named: element.expression), !property.isStored else {
        return nil
      }
      return .constraintOnUnstored(element.expression, name: name, property: property)
    }
  }

  private func property(named expression: ExprSyntax) -> ModelProperty? {
    guard let keyPath = expression.as(KeyPathExprSyntax.self),
      case .property(let first) = keyPath.components.first?.component
    else { return nil }
    let name = plainName(first.declName.baseName)
    return model.properties.first { $0.name == name && !$0.isOfType }
  }
}
