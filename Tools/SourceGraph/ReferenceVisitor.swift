import SwiftSyntax

/// Finds the names in one file that other files of its module declare.
final class ReferenceVisitor: SyntaxAnyVisitor {
  /// The files that this one uses, with the names.
  private(set) var uses: [Int: Set<String>] = [:]

  let declarations: Declarations
  let index: MemberIndex
  let file: Int
  /// The type that the code belongs to, as a path.
  var scope: [String] = []
  /// The names of parameters and variables, innermost last; nil for a type that is not known.
  var locals: [[String: TypeName?]] = [[:]]
  /// The types of `$0` and of the first parameter, for each surrounding closure.
  var closureElement: [TypeName?] = []
  /// The types of the subjects of the surrounding switches.
  var subjects: [TypeName?] = []
  /// The function that was found last, for the arguments of its call.
  var called: Member?

  init(file: Int, declarations: Declarations, index: MemberIndex) {
    self.file = file
    self.declarations = declarations
    self.index = index
    super.init(viewMode: .sourceAccurate)
  }

  func note(_ used: Int?, _ name: String) {
    if let used, used != file { uses[used, default: []].insert(name) }
  }

  func note(_ members: [Member], _ name: String) {
    let files = Set(members.filter { !$0.isPrivate || $0.file == file }.map(\.file))
    if files.count == 1, let only = files.first { note(only, name) }
  }

  // MARK: Types

  /// Records a type that is written, and returns its qualified name.
  @discardableResult
  func resolve(_ type: TypeName) -> TypeName {
    var resolved = type
    if let name = qualified(type.name) {
      resolved.name = name
      note(declarations.types[name]?.file ?? declarations.aliases[name]?.file, name)
    }
    resolved.arguments = type.arguments.map { resolve($0) }
    return resolved
  }

  func qualified(_ name: String) -> String? {
    if name == "Self", !scope.isEmpty { return scope.joined(separator: ".") }
    let first = name.split(separator: ".").first.map(String.init) ?? name
    guard let outer = declarations.qualified(first, inside: scope) else { return nil }
    let full = outer + name.dropFirst(first.count)
    if declarations.types[full]?.isKnown == true || declarations.aliases[full] != nil {
      return full
    }
    return outer
  }

  func resolve(_ type: TypeSyntax?) -> TypeName? {
    type.flatMap { TypeName($0) }.map { resolve($0) }
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    if let type = TypeName(TypeSyntax(node)) { resolve(type) }
    return .visitChildren
  }

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    if let type = TypeName(TypeSyntax(node)) { resolve(type) }
    return .visitChildren
  }

  // MARK: Scopes

  private func enter(_ name: String) { scope += name.split(separator: ".").map(String.init) }
  func begin() { locals.append([:]) }
  func end() { locals.removeLast() }
  func declare(_ name: String, _ type: TypeName?) {
    locals[locals.count - 1][name] = .some(type)
  }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
    return .visitChildren
  }
  override func visitPost(_ node: StructDeclSyntax) { scope.removeLast() }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
    return .visitChildren
  }
  override func visitPost(_ node: ClassDeclSyntax) { scope.removeLast() }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
    return .visitChildren
  }
  override func visitPost(_ node: ActorDeclSyntax) { scope.removeLast() }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
    return .visitChildren
  }
  override func visitPost(_ node: EnumDeclSyntax) { scope.removeLast() }
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
    return .visitChildren
  }
  override func visitPost(_ node: ProtocolDeclSyntax) { scope.removeLast() }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(TypeName(node.extendedType)?.name ?? "?")
    return .visitChildren
  }
  override func visitPost(_ node: ExtensionDeclSyntax) { scope = [] }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if locals.count > 1 { declare(node.name.text, TypeName(name: "?")) }
    begin()
    return .visitChildren
  }
  override func visitPost(_ node: FunctionDeclSyntax) { end() }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    begin()
    return .visitChildren
  }
  override func visitPost(_ node: InitializerDeclSyntax) { end() }
  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
    begin()
    return .visitChildren
  }
  override func visitPost(_ node: SubscriptDeclSyntax) { end() }
  override func visitPost(_ node: FunctionParameterSyntax) {
    declare((node.secondName ?? node.firstName).text, resolve(node.type))
  }
  override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
    begin()
    return .visitChildren
  }
  override func visitPost(_ node: AccessorBlockSyntax) { end() }
  override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind {
    begin()
    return .visitChildren
  }
  override func visitPost(_ node: CodeBlockSyntax) { end() }
  override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind {
    begin()
    return .visitChildren
  }
  override func visitPost(_ node: WhileStmtSyntax) { end() }
  override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
    begin()
    return .visitChildren
  }
  override func visitPost(_ node: SwitchCaseSyntax) { end() }
  override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
    begin()
    declare("error", TypeName(name: "Error"))
    return .visitChildren
  }
  override func visitPost(_ node: CatchClauseSyntax) { end() }

  override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
    let sequence = infer(node.sequence)
    begin()
    if let pattern = node.pattern.as(IdentifierPatternSyntax.self) {
      declare(pattern.identifier.text, resolve(node.typeAnnotation?.type) ?? sequence?.element)
    } else {
      walk(node.pattern)
    }
    if let condition = node.whereClause { walk(condition) }
    walk(node.body)
    end()
    return .skipChildren
  }

  override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
    _ = infer(node.expression, expected: subjects.last ?? nil)
    return .skipChildren
  }

  /// A name in a pattern that nothing else declares: `case .failed(let reason)`.
  override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
    declare(node.identifier.text, nil)
    return .skipChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    walk(node.attributes)
    for binding in node.bindings {
      let written = resolve(binding.typeAnnotation?.type)
      let value = binding.initializer.flatMap { infer($0.value) }
      if let pattern = binding.pattern.as(IdentifierPatternSyntax.self) {
        if locals.count > 1 { declare(pattern.identifier.text, written ?? value) }
      } else {
        walk(binding.pattern)
      }
      if let accessors = binding.accessorBlock { walk(accessors) }
    }
    return .skipChildren
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    let written = resolve(node.typeAnnotation?.type)
    let value = node.initializer.flatMap { infer($0.value) }
    if let pattern = node.pattern.as(IdentifierPatternSyntax.self) {
      let name = pattern.identifier.text
      let known = node.initializer == nil ? type(ofName: name, labels: nil) : value
      declare(name, written ?? known)
    }
    return .skipChildren
  }

  override func visitAny(_ node: Syntax) -> SyntaxVisitorContinueKind {
    guard let expression = node.as(ExprSyntax.self) else { return .visitChildren }
    _ = infer(expression)
    return .skipChildren
  }
}
