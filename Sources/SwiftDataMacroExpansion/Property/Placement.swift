import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds annotations in places that `@Model` does not read.
enum Placement {
  /// Rejects an attribute that is not on a variable of a model class.
  ///
  /// On a variable outside of a model class, `@Transient` causes only a warning. In an extension it
  /// is allowed, because an extension stores nothing.
  static func check(
    _ node: AttributeSyntax,
    name: String,
    on declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) {
    let problem = Diagnostic.misplacedAnnotation(node, name: name)
    if !declaration.is(VariableDeclSyntax.self) {
      context.diagnose(problem)
    } else if enclosingModel(context) != nil {
      return
    } else if name != TransientMacro.name {
      context.diagnose(problem)
    } else if context.lexicalContext.first?.is(ExtensionDeclSyntax.self) != true {
      context.diagnose(problem.asWarning)
    }
  }

  /// Rejects `#Unique` and `#Index` if they are outside of a model class, are for another class, or
  /// have no properties.
  static func check(
    _ node: some FreestandingMacroExpansionSyntax,
    name: String,
    in context: some MacroExpansionContext
  ) {
    guard let model = enclosingModel(context) else {
      context.diagnose(.wrongConstraint(node, name: name))
      return
    }
    if let argument = node.genericArgumentClause?.arguments.first?.argument,
      case .type(let type) = argument, let named = simpleName(of: type),
      named != plainName(model.name), named != "Self"
    {
      context.diagnose(.wrongConstraint(type, name: name))
    } else if node.arguments.isEmpty {
      context.diagnose(.wrongConstraint(node, name: name))
    } else {
      for argument in node.arguments where isEmptyList(argument.expression) {
        context.diagnose(.wrongConstraint(argument.expression, name: name))
      }
    }
  }

  /// Whether the argument is `[]` or `.binary([])`.
  private static func isEmptyList(_ expression: ExprSyntax) -> Bool {
    if let call = expression.as(FunctionCallExprSyntax.self), let only = call.arguments.first {
      return isEmptyList(only.expression)
    }
    return expression.as(ArrayExprSyntax.self)?.elements.isEmpty ?? false
  }

  private static func enclosingModel(_ context: some MacroExpansionContext) -> ClassDeclSyntax? {
    guard let source = context.lexicalContext.first?.as(ClassDeclSyntax.self) else { return nil }
    return source.attributes.contains(named: "Model") ? source : nil
  }
}
