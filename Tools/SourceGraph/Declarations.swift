import SwiftSyntax

/// A property, function, case or initializer, and the file that declares it.
struct Member {
  let name: String
  /// The labels of the parameters; nil for a member without parameters.
  let labels: [String]?
  /// Nil for a member that another module declares.
  let file: Int?
  let result: TypeName?
  /// Whether only the file itself can name it.
  let isPrivate: Bool
  /// The types of the parameters, as many as there are labels.
  var parameters: [Parameter] = []
}

/// The known types of a function's parameter.
struct Parameter {
  let type: TypeName?
  /// The types of the parameters of a closure, if the parameter is one.
  let closure: [TypeName?]?

  init(_ type: TypeSyntax) {
    self.type = TypeName(type)
    closure = Self.function(type)?.parameters.map { TypeName($0.type) }
  }

  private static func function(_ type: TypeSyntax) -> FunctionTypeSyntax? {
    if let attributed = type.as(AttributedTypeSyntax.self) { return function(attributed.baseType) }
    if let optional = type.as(OptionalTypeSyntax.self) { return function(optional.wrappedType) }
    if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first.flatMap { function($0.type) }
    }
    return type.as(FunctionTypeSyntax.self)
  }
}

/// A type of the module, or one that the module only extends.
struct TypeDeclaration {
  /// The file of the type itself; nil for a type of another module.
  var file: Int?
  /// Whether the type is declared in a file that was read, of this module or of an imported one.
  var isKnown = false
  var inherited: [String] = []
  var members: [String: [Member]] = [:]
}

/// Everything that the files of a module declare for one another.
struct Declarations {
  /// By the qualified name: `Writer`, `Writer.Slot`.
  var types: [String: TypeDeclaration] = [:]
  var globals: [String: [Member]] = [:]
  var aliases: [String: (target: TypeName, file: Int?)] = [:]

  /// The qualified name that a written name means inside of a type.
  func qualified(_ name: String, inside scope: [String]) -> String? {
    var scope = scope
    while true {
      let candidate = (scope + [name]).joined(separator: ".")
      if types[candidate]?.isKnown == true || aliases[candidate] != nil { return candidate }
      if scope.isEmpty { return nil }
      scope.removeLast()
    }
  }

  /// The members of a type with a name, inherited ones included.
  func members(_ name: String, of type: String) -> [Member] {
    var found: [Member] = []
    var visited: Set<String> = []
    var pending = [type]
    while let next = pending.popLast() {
      guard visited.insert(next).inserted else { continue }
      if let alias = aliases[next] {
        pending.append(alias.target.name)
        continue
      }
      guard let declaration = types[next] else { continue }
      found += declaration.members[name] ?? []
      let scope = Array(next.split(separator: ".").map(String.init).dropLast())
      pending += declaration.inherited.map { qualified($0, inside: scope) ?? $0 }
    }
    return found
  }
}

final class DeclarationVisitor: SyntaxVisitor {
  var declarations: Declarations
  private let file: Int?
  private var scope: [String] = []
  /// Whether each surrounding type is private to the file.
  private var isPrivate: [Bool] = []

  init(file: Int?, declarations: Declarations) {
    self.file = file
    self.declarations = declarations
    super.init(viewMode: .sourceAccurate)
  }

  private func begin(
    _ name: String,
    inheriting clause: InheritanceClauseSyntax?,
    modifiers: DeclModifierListSyntax,
    isOwn: Bool
  ) {
    scope += name.split(separator: ".").map(String.init)
    isPrivate.append(Self.isPrivate(modifiers))
    let path = scope.joined(separator: ".")
    if isOwn {
      declarations.types[path, default: TypeDeclaration()].file = file
      declarations.types[path, default: TypeDeclaration()].isKnown = true
    }
    let inherited = clause?.inheritedTypes.compactMap { TypeName($0.type)?.name } ?? []
    declarations.types[path, default: TypeDeclaration()].inherited += inherited
  }

  private func end() {
    scope.removeLast()
    isPrivate.removeLast()
  }

  private static func isPrivate(_ modifiers: DeclModifierListSyntax) -> Bool {
    modifiers.contains { ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil }
  }

  private func add(
    _ name: String,
    labels: [String]? = nil,
    result: TypeName?,
    parameters: [Parameter] = [],
    modifiers: DeclModifierListSyntax = []
  ) {
    let member = Member(
      name: name,
      labels: labels,
      file: file,
      result: result,
      isPrivate: Self.isPrivate(modifiers) || isPrivate.contains(true),
      parameters: parameters
    )
    if scope.isEmpty {
      declarations.globals[name, default: []].append(member)
    } else {
      let path = scope.joined(separator: ".")
      declarations.types[path, default: TypeDeclaration()].members[name, default: []].append(member)
    }
  }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    begin(
      node.name.text,
      inheriting: node.inheritanceClause,
      modifiers: node.modifiers,
      isOwn: true
    )
    return .visitChildren
  }
  override func visitPost(_ node: StructDeclSyntax) { end() }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    begin(
      node.name.text,
      inheriting: node.inheritanceClause,
      modifiers: node.modifiers,
      isOwn: true
    )
    return .visitChildren
  }
  override func visitPost(_ node: ClassDeclSyntax) { end() }

  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    begin(
      node.name.text,
      inheriting: node.inheritanceClause,
      modifiers: node.modifiers,
      isOwn: true
    )
    return .visitChildren
  }
  override func visitPost(_ node: ActorDeclSyntax) { end() }

  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    begin(
      node.name.text,
      inheriting: node.inheritanceClause,
      modifiers: node.modifiers,
      isOwn: true
    )
    return .visitChildren
  }
  override func visitPost(_ node: EnumDeclSyntax) { end() }

  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    begin(
      node.name.text,
      inheriting: node.inheritanceClause,
      modifiers: node.modifiers,
      isOwn: true
    )
    return .visitChildren
  }
  override func visitPost(_ node: ProtocolDeclSyntax) { end() }

  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    begin(
      TypeName(node.extendedType)?.name ?? "?",
      inheriting: node.inheritanceClause,
      modifiers: node.modifiers,
      isOwn: false
    )
    return .visitChildren
  }
  override func visitPost(_ node: ExtensionDeclSyntax) {
    scope = []
    isPrivate = []
  }

  override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
    if let target = TypeName(node.initializer.value) {
      declarations.aliases[(scope + [node.name.text]).joined(separator: ".")] = (target, file)
    }
    return .skipChildren
  }

  override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind {
    for element in node.elements {
      add(
        element.name.text,
        labels: element.parameterClause?.parameters.map { $0.firstName?.text ?? "_" },
        result: TypeName(name: scope.joined(separator: ".")),
        parameters: element.parameterClause?.parameters.map { Parameter($0.type) } ?? []
      )
    }
    return .skipChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    add(
      node.name.text,
      labels: node.signature.parameterClause.parameters.map(\.firstName.text),
      result: node.signature.returnClause.flatMap { TypeName($0.type) },
      parameters: node.signature.parameterClause.parameters.map { Parameter($0.type) },
      modifiers: node.modifiers
    )
    return .skipChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    add(
      "init",
      labels: node.signature.parameterClause.parameters.map(\.firstName.text),
      result: TypeName(name: scope.joined(separator: ".")),
      parameters: node.signature.parameterClause.parameters.map { Parameter($0.type) },
      modifiers: node.modifiers
    )
    return .skipChildren
  }

  override func visit(_ node: SubscriptDeclSyntax) -> SyntaxVisitorContinueKind {
    add("subscript", result: TypeName(node.returnClause.type))
    return .skipChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    for binding in node.bindings {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { continue }
      let written = binding.typeAnnotation.flatMap { TypeName($0.type) }
      add(
        pattern.identifier.text,
        result: written ?? Self.called(binding.initializer?.value),
        modifiers: node.modifiers
      )
    }
    return .skipChildren
  }

  /// The type of `Type(…)`, for properties whose type is not written.
  private static func called(_ value: ExprSyntax?) -> TypeName? {
    guard let call = value?.as(FunctionCallExprSyntax.self),
      let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      name.first?.isUppercase == true
    else { return nil }
    return TypeName(name: name)
  }
}
