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
        problems.append(.wrongConstraint(constraint, name: name))
      }
      guard isOfModel(constraint) else { continue }
      for argument in constraint.arguments {
        problems += listProblems(argument.expression, name: name)
      }
    }
    return problems
  }

  private func isOfModel(_ constraint: MacroExpansionDeclSyntax) -> Bool {
    guard case .type(let type) = constraint.genericArgumentClause?.arguments.first?.argument,
      let named = simpleName(of: type)
    else { return true }
    return [model.name, "Self"].contains(named)
  }

  private func listProblems(_ expression: ExprSyntax, name: String) -> [Diagnostic] {
    if let call = expression.as(FunctionCallExprSyntax.self), let only = call.arguments.first {
      return listProblems(only.expression, name: name)
    }
    guard let list = expression.as(ArrayExprSyntax.self) else { return [] }
    return list.elements.compactMap { element in
      guard let named = firstName(in: element.expression) else { return nil }
      let property = model.properties.first { $0.name == named && !$0.isOfType }
      guard property.map({ !$0.isStored }) ?? isUnknown(named) else { return nil }
      return .wrongConstraint(element.expression, name: name)
    }
  }

  private func firstName(in expression: ExprSyntax) -> String? {
    guard let keyPath = expression.as(KeyPathExprSyntax.self),
      case .property(let first) = keyPath.components.first?.component
    else { return nil }
    return plainName(first.declName.baseName)
  }

  /// Whether a name that the class does not declare can't be that of a stored property; a superclass
  /// or the members in an undecided `#if` may have properties that the macro does not see.
  private func isUnknown(_ name: String) -> Bool {
    model.declaration.inheritanceClause == nil && model.members.undecided.isEmpty
      && !["id", "persistentModelID", "self"].contains(name)
  }
}
