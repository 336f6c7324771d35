import SwiftOperators
import SwiftParser
import SwiftSyntax

/// The sites of a file.
func sites(path: String, text: String) -> [Site] {
  // An operator that the standard library does not declare is left as it was parsed.
  let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: text)) { _ in }
  let visitor = SiteVisitor(path: path, tree: tree)
  visitor.walk(tree)
  return visitor.sites
}

private let otherOperators = [
  "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "===",
  "&&": "||", "||": "&&",
]
// Strings and arrays can't be subtracted, so one operand must be recognised as a number.
private let otherArithmetic = ["+": "-", "-": "+", "&+": "&-", "&-": "&+", "*": "+"]

private final class SiteVisitor: SyntaxVisitor {
  private let path: String
  private let converter: SourceLocationConverter
  private var repetitions: [String: Int] = [:]
  private(set) var sites: [Site] = []

  init(path: String, tree: Syntax) {
    self.path = path
    converter = SourceLocationConverter(fileName: path, tree: tree)
    super.init(viewMode: .sourceAccurate)
  }

  /// Adds a site; `word` is the keyword before the expression.
  private func add(_ node: some SyntaxProtocol, mutant: String, word: String = "") {
    let text = node.trimmedDescription
    // The mutant is one line, and the compiler is too slow for two copies of a long expression.
    guard text.count <= 160, !["//", "/*", "\"\"\""].contains(where: text.contains) else { return }
    let begin = node.positionAfterSkippingLeadingTrivia
    let end = node.endPositionBeforeTrailingTrivia
    let lines = converter.location(for: begin).line...converter.location(for: end).line
    var site = Site(
      path: path,
      function: functionName(around: node),
      lines: lines,
      range: begin.utf8Offset..<end.utf8Offset,
      original: word + oneLine(text),
      mutant: word + oneLine(mutant),
      expressions: (mutant.split { $0.isNewline }.joined(separator: " "), text)
    )
    let name = site.name
    site.repetition = repetitions[name, default: 0]
    repetitions[name] = site.repetition + 1
    sites.append(site)
  }

  // Patterns, attributes, macros and raw values can't call a function. A default argument of a public
  // function can't call an internal one.
  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }
  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }
  override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    .skipChildren
  }
  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    if let elements = node.elements { walk(elements) }
    return .skipChildren
  }

  // The reserved or kept capacity changes no result, and neither does a slightly other wait.
  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let names = ["reserveCapacity", "usleep", ".seconds", ".milliseconds", ".microseconds"]
    return names.contains(where: node.calledExpression.trimmedDescription.hasSuffix)
      ? .skipChildren : .visitChildren
  }
  override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
    node.label?.text == "keepingCapacity" ? .skipChildren : .visitChildren
  }

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    guard let token = node.operator.as(BinaryOperatorExprSyntax.self)?.operator else {
      return .visitChildren
    }
    guard !isAboutSystem(node) else { return .skipChildren }
    // Other operators would give the same order of elements that are not equal.
    if token.text == "<", isOrder(Syntax(node)) { return .visitChildren }
    let isCounted = isNumber(node.leftOperand) || isNumber(node.rightOperand)
    if let other = otherOperators[token.text] ?? (isCounted ? otherArithmetic[token.text] : nil) {
      let before = node.leftOperand.description + node.operator.leadingTrivia.description
      let after = node.operator.trailingTrivia.description + node.rightOperand.description
      let mutant = (before + other + after)
      add(node, mutant: mutant.trimming { $0.isWhitespace })
    }
    return .visitChildren
  }

  /// Whether tests can't give the condition its other value: programs open the standard descriptors
  /// first, so no file gets the descriptor 0, and tests can't interrupt a given call by a signal.
  private func isAboutSystem(_ node: InfixOperatorExprSyntax) -> Bool {
    let right = node.rightOperand.trimmedDescription
    return right == "EINTR"
      || right == "0" && node.leftOperand.trimmedDescription == "descriptor"
  }

  /// Whether an expression is the order in a call that sorts.
  private func isOrder(_ node: Syntax) -> Bool {
    var node = node
    while let parent = node.parent, !parent.is(CodeBlockSyntax.self) {
      let argument = parent.is(LabeledExprSyntax.self) ? parent.parent?.parent : parent
      if node.is(ClosureExprSyntax.self), let call = argument?.as(FunctionCallExprSyntax.self) {
        let name = call.calledExpression.trimmedDescription
        return name.hasSuffix(".sorted") || name.hasSuffix(".sort")
      }
      node = parent
    }
    return false
  }

  private func isNumber(_ operand: ExprSyntax) -> Bool {
    if let member = operand.as(MemberAccessExprSyntax.self) {
      return member.declName.baseName.text == "count"
    }
    return operand.is(IntegerLiteralExprSyntax.self)
  }

  override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    // A step of zero would be an endless loop, and a greater number may be out of range.
    if let value = node.representedLiteralValue {
      add(node, mutant: value < 2 ? "\(value + 1)" : "\(value - 1)")
    }
    return .skipChildren
  }

  override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    // The compiler relies on a loop that never ends.
    if node.parent?.parent?.parent?.is(WhileStmtSyntax.self) != true {
      add(node, mutant: node.literal.text == "true" ? "false" : "true")
    }
    return .skipChildren
  }

  override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
    for element in node.conditions {
      if let condition = element.condition.as(ExprSyntax.self) {
        add(condition, mutant: "true", word: "guard ")
      }
    }
    return .visitChildren
  }

  override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
    let last = node.body.statements.last?.item
    let leaves =
      last.map {
        $0.is(ReturnStmtSyntax.self) || $0.is(ThrowStmtSyntax.self)
          || $0.is(ContinueStmtSyntax.self) || $0.is(BreakStmtSyntax.self)
      } ?? false
    let conditions = node.conditions.compactMap { $0.condition.as(ExprSyntax.self) }
    if node.elseKeyword == nil, leaves, let condition = conditions.last,
      condition.as(InfixOperatorExprSyntax.self).map(isAboutSystem) != true
    {
      add(condition, mutant: "false", word: "if ")
    }
    return .visitChildren
  }
}

extension String {
  /// The text without characters at both ends that match.
  fileprivate func trimming(_ isLeftOut: (Character) -> Bool) -> String {
    String(drop(while: isLeftOut).reversed().drop(while: isLeftOut).reversed())
  }
}
