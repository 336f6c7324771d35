import SwiftSyntax
import SwiftSyntaxBuilder

/// A predicate whose condition joins several terms with `||` and `&&`.
///
/// Foundation's macro makes one expression of the whole condition. The compiler then chooses between
/// the overloads of all terms together, so the time grows exponentially with the number of terms. A
/// chain passes each term to Foundation's macro as a separate statement, and joins the results
/// without overloads. The result has the same nodes as that of Foundation's macro.
///
/// The terms must share the variables of the predicate, but each use of Foundation's macro has its
/// own variables. So the terms have no inputs, and each reference to an input of the closure is
/// replaced by the subscript `input["variable"]`, for which SwiftData has a builder.
struct PredicateChain {
  private let macro: MacroExpansionExprSyntax
  private let closure: ClosureExprSyntax
  private var references: InputReferences
  private var terms: [String] = []

  /// The source of the predicate, or nil if its condition can't be split.
  static func source(of macro: MacroExpansionExprSyntax) -> ExprSyntax? {
    guard macro.arguments.isEmpty, let closure = macro.trailingClosure,
      closure.statements.count == 1, let only = closure.statements.first,
      let condition = expression(of: only), isChain(condition),
      let inputs = inputs(of: closure)
    else { return nil }
    var chain = PredicateChain(
      macro: macro,
      closure: closure,
      references: InputReferences(inputs)
    )
    let result = chain.joined(condition)
    return chain.references.isAmbiguous ? nil : chain.source(returning: result)
  }

  private static func expression(of item: CodeBlockItemSyntax) -> ExprSyntax? {
    switch item.item {
    case .expr(let expression): expression
    case .stmt(let statement): statement.as(ReturnStmtSyntax.self)?.expression
    default: nil
    }
  }

  /// The names of the closure's inputs, each with its spelling; nil if the macro can't know them.
  private static func inputs(of closure: ClosureExprSyntax) -> [TokenSyntax]? {
    guard let signature = closure.signature else {
      return (0..<9).map { .dollarIdentifier("$\($0)") }
    }
    guard signature.capture == nil else { return nil }
    switch signature.parameterClause {
    case .simpleInput(let list): return list.map(\.name.trimmed)
    case .parameterClause(let clause):
      return clause.parameters.map { ($0.secondName ?? $0.firstName).trimmed }
    default: return nil
    }
  }

  /// The function that joins the operands of an operator.
  private static let functions = ["||": "_or", "&&": "_and"]

  private static func isChain(_ expression: ExprSyntax) -> Bool {
    operation(ungrouped(expression)) != nil
  }

  private static func operation(
    _ expression: ExprSyntax
  ) -> (function: String, left: ExprSyntax, right: ExprSyntax)? {
    guard let infix = expression.as(InfixOperatorExprSyntax.self),
      let symbol = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text,
      let function = functions[symbol]
    else { return nil }
    return (function, infix.leftOperand, infix.rightOperand)
  }

  private static func ungrouped(_ expression: ExprSyntax) -> ExprSyntax {
    guard let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let only = tuple.elements.first, only.label == nil
    else { return expression }
    return ungrouped(only.expression)
  }

  /// The source that joins the terms of an expression, which are added to `terms`.
  private mutating func joined(_ grouped: ExprSyntax) -> String {
    let expression = Self.ungrouped(grouped)
    if let (function, left, right) = Self.operation(expression) {
      let first = joined(left)
      return "SwiftData.\(function)(\(first), \(joined(right)))"
    }
    if let negation = expression.as(PrefixOperatorExprSyntax.self), negation.operator.text == "!",
      Self.isChain(negation.expression)
    {
      return "SwiftData._not(\(joined(negation.expression)))"
    }
    let term = references.rewrite(expression)
    terms.append("let _$term\(terms.count) = #_Predicate { \(term.trimmedDescription) }.expression")
    return "_$term\(terms.count - 1)"
  }

  private func source(returning result: String) -> ExprSyntax {
    let inputs = references.used.sorted { $0.key < $1.key }.map { index, name in
      "let \(InputReferences.name(of: index)) = SwiftData._PredicateInput(\(name))"
    }
    let statements = (inputs + terms + ["return \(result)"]).joined(separator: "\n")
    return """
      Foundation.Predicate\(macro.genericArgumentClause?.trimmed)({\(raw: head)
      \(raw: statements)
      })
      """
  }

  /// The signature of the closure, for variables instead of values.
  private var head: String {
    guard var signature = closure.signature else { return "" }
    signature.returnClause = nil
    if case .parameterClause(var clause) = signature.parameterClause {
      clause.parameters = ClosureParameterListSyntax(
        clause.parameters.map { parameter in
          guard let type = parameter.type else { return parameter }
          return parameter.with(\.type, "PredicateExpressions.Variable<\(type.trimmed)>")
        }
      )
      signature.parameterClause = .parameterClause(clause)
    }
    return " \(signature.trimmedDescription)"
  }
}

/// Replaces each reference to an input of a predicate.
private final class InputReferences: SyntaxRewriter {
  /// The inputs that have been replaced, by index.
  private(set) var used: [Int: String] = [:]
  /// Whether another variable may have the name of an input.
  private(set) var isAmbiguous = false
  private var indexes: [String: Int]

  init(_ inputs: [TokenSyntax]) {
    indexes = Dictionary(
      inputs.enumerated().map { (plainName($1), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    super.init(viewMode: .sourceAccurate)
  }

  static func name(of index: Int) -> String { "_$input\(index)" }

  func rewrite(_ term: ExprSyntax) -> Syntax { super.rewrite(term) }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard let index = indexes[plainName(node.baseName)], node.argumentNames == nil else {
      return ExprSyntax(node)
    }
    used[index] = node.baseName.text
    var subscripted: ExprSyntax = "\(raw: Self.name(of: index))[\"variable\"]"
    subscripted.leadingTrivia = node.leadingTrivia
    subscripted.trailingTrivia = node.trailingTrivia
    return subscripted
  }

  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    // The name of a member is a reference too, but not to an input.
    guard let base = node.base else { return ExprSyntax(node) }
    return ExprSyntax(node.with(\.base, super.rewrite(base).as(ExprSyntax.self)))
  }

  override func visit(_ node: KeyPathPropertyComponentSyntax) -> KeyPathPropertyComponentSyntax {
    node
  }

  override func visit(_ node: ClosureExprSyntax) -> ExprSyntax {
    let outer = indexes
    defer { indexes = outer }
    indexes = indexes.filter { !$0.key.hasPrefix("$") }
    return super.visit(node)
  }

  override func visit(_ node: TokenSyntax) -> TokenSyntax {
    if declaresName(node), indexes[plainName(node)] != nil { isAmbiguous = true }
    return node
  }

  /// Whether the token is the name of a parameter, a captured value or a variable.
  private func declaresName(_ token: TokenSyntax) -> Bool {
    switch token.parent?.kind {
    case .closureShorthandParameter, .closureParameter, .closureCapture, .identifierPattern: true
    default: false
    }
  }
}
