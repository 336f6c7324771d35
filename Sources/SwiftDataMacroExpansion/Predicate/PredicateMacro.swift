import SwiftSyntax
import SwiftSyntaxMacros

/// `#Predicate` and `#Expression` over a model.
///
/// The macros use Foundation's macros and add `evaluate`, which Foundation supports only on Apple's
/// systems.
///
/// The closure is passed to Foundation's macro, but each call of `evaluate` is rewritten as the
/// subscript `captured[argument, default: "evaluate"]`. Foundation's macro supports this subscript,
/// and SwiftData has a builder for it. A condition with `||` and `&&` is split by
/// ``PredicateChain``.
public enum PredicateMacro: ExpressionMacro {
  /// Passes the rewritten closure to Foundation's macro.
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> ExprSyntax {
    let calls = Evaluations(viewMode: .sourceAccurate)
    var macro = MacroExpansionExprSyntax(
      macroName: .identifier("_" + node.macroName.text),
      genericArgumentClause: node.genericArgumentClause,
      leftParen: node.leftParen,
      arguments: node.arguments,
      rightParen: node.rightParen,
      trailingClosure: node.trailingClosure,
      additionalTrailingClosures: node.additionalTrailingClosures
    )
    macro.leadingTrivia = []
    let rewritten = calls.rewrite(macro).cast(MacroExpansionExprSyntax.self)
    guard node.macroName.text == "Predicate" else { return ExprSyntax(rewritten) }
    return PredicateChain.source(of: rewritten) ?? ExprSyntax(rewritten)
  }
}

/// Rewrites each call of `evaluate` with one argument as a subscript.
private final class Evaluations: SyntaxRewriter {
  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    guard let member = node.calledExpression.as(MemberAccessExprSyntax.self),
      let captured = member.base, member.declName.baseName.text == "evaluate",
      member.declName.argumentNames == nil, node.trailingClosure == nil,
      node.arguments.count == 1, let argument = node.arguments.first, argument.label == nil
    else { return super.visit(node) }
    let base = rewrite(captured).cast(ExprSyntax.self)
    let value = rewrite(argument.expression).cast(ExprSyntax.self)
    var call: ExprSyntax = "\(base)[\(value), default: \"evaluate\"]"
    call.leadingTrivia = node.leadingTrivia
    call.trailingTrivia = node.trailingTrivia
    return call
  }
}
