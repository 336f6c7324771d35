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
      guard let property = model.properties.first(where: { $0.name == named && !$0.isOfType })
      else { return isUnknown(named) ? unknown(named, at: element.expression, name: name) : nil }
      guard !property.isStored else { return nil }
      return .constraintOnUnstored(element.expression, name: name, property: property)
    }
  }

  /// The first name in a key path.
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

  private func unknown(_ named: String, at keyPath: ExprSyntax, name: String) -> Diagnostic {
    let stored = model.properties.filter(\.isStored).map(\.name)
    return .constraintOnUnknown(
      keyPath,
      name: name,
      property: named,
      in: model,
      meant: closest(to: named, in: stored)
    )
  }
}
