import SwiftSyntax

extension ReferenceVisitor {

  /// Records the names in an expression, and returns its type if that is known.
  ///
  /// A name without a type before it, as in `.insert`, belongs to the expected type.
  func infer(_ expression: ExprSyntax, expected: TypeName? = nil) -> TypeName? {
    switch expression.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let node):
      return type(ofName: node.baseName.text, labels: node.argumentNames.map(labels))
    case .memberAccessExpr(let node):
      return infer(node, labels: node.declName.argumentNames.map(labels), expected: expected)
    case .functionCallExpr(let node):
      return infer(node, expected: expected)
    case .subscriptCallExpr(let node):
      let base = infer(node.calledExpression)
      for argument in node.arguments { _ = infer(argument.expression) }
      guard let base else { return nil }
      if let element = base.subscripted { return element }
      let members = declarations.members("subscript", of: base.name)
      note(members, "subscript")
      return members.first?.result.map { qualify($0, in: base.name) }
    case .tryExpr(let node): return infer(node.expression, expected: expected)
    case .awaitExpr(let node): return infer(node.expression)
    case .consumeExpr(let node): return infer(node.expression)
    case .forceUnwrapExpr(let node): return infer(node.expression)
    case .optionalChainingExpr(let node): return infer(node.expression)
    case .inOutExpr(let node): return infer(node.expression)
    case .tupleExpr(let node):
      let types = node.elements.map { infer($0.expression) }
      return types.count == 1 ? types[0] : nil
    case .sequenceExpr(let node):
      let types = node.elements.map { infer($0) }
      let operators = node.elements.compactMap {
        $0.as(BinaryOperatorExprSyntax.self)?.operator.text
      }
      if operators.allSatisfy({ $0 == "??" }), !operators.isEmpty { return types[0] }
      return node.elements.last?.is(TypeExprSyntax.self) == true ? types.last ?? nil : nil
    case .typeExpr(let node): return resolve(node.type)?.metatype
    case .genericSpecializationExpr(let node):
      walk(node.genericArgumentClause)
      return infer(node.expression)
    case .closureExpr(let node):
      visitClosure(node, parameters: [])
      return nil
    case .arrayExpr(let node):
      let types = node.elements.map { infer($0.expression) }
      return TypeName(name: "Array", arguments: [types.first ?? nil].compactMap { $0 })
    case .stringLiteralExpr(let node):
      for child in node.children(viewMode: .sourceAccurate) { walk(child) }
      return TypeName(name: "String")
    case .integerLiteralExpr: return TypeName(name: "Int")
    case .booleanLiteralExpr: return TypeName(name: "Bool")
    case .switchExpr(let node):
      subjects.append(infer(node.subject))
      walk(node.cases)
      subjects.removeLast()
      return nil
    case .ifExpr(let node):
      begin()
      for child in node.children(viewMode: .sourceAccurate) { walk(child) }
      end()
      return nil
    default:
      for child in expression.children(viewMode: .sourceAccurate) { walk(child) }
      return nil
    }
  }

  private func labels(_ names: DeclNameArgumentsSyntax) -> [String] {
    names.arguments.map(\.name.text)
  }

  /// The type of a name without a base: a local, a member of `self`, a global or a type.
  func type(ofName name: String, labels: [String]?) -> TypeName? {
    if name == "self" { return scope.isEmpty ? nil : TypeName(name: scope.joined(separator: ".")) }
    if name == "Self" { return type(ofName: "self", labels: nil)?.metatype }
    if name == "$0" { return closureElement.last ?? nil }
    for local in locals.reversed() {
      if let known = local[name] { return known }
    }
    var outer = scope
    while !outer.isEmpty {
      let owner = outer.joined(separator: ".")
      let members = declarations.members(name, of: owner)
      if !members.isEmpty { return choose(members, name: name, labels: labels, owner: owner) }
      outer.removeLast()
    }
    if let global = declarations.globals[name] {
      return choose(global, name: name, labels: labels, owner: nil)
    }
    guard let type = qualified(name) else {
      return name.first?.isUppercase == true ? TypeName(name: name, isMetatype: true) : nil
    }
    return resolve(TypeName(name: type)).metatype
  }

  private func choose(
    _ members: [Member],
    name: String,
    labels: [String]?,
    owner: String?
  )
    -> TypeName?
  {
    let fitting = members.filter { accepts($0.labels, labels) }
    note(fitting.isEmpty ? members : fitting, owner.map { $0 + "." + name } ?? name)
    called = fitting.first ?? members.first
    let result = called?.result
    return result.map { qualify($0, in: owner ?? "") }
  }

  /// A type in the form that the declaration of a member of `owner` has.
  private func qualify(_ type: TypeName, in owner: String) -> TypeName {
    var type = type
    let path = owner.split(separator: ".").map(String.init)
    if type.name == "Self" { return TypeName(name: owner) }
    if let alias = declarations.aliases[type.name] { type = alias.target }
    if let name = declarations.qualified(type.name, inside: path) { type.name = name }
    type.arguments = type.arguments.map { qualify($0, in: owner) }
    return type
  }

  func infer(
    _ node: MemberAccessExprSyntax,
    labels: [String]?,
    expected: TypeName? = nil
  ) -> TypeName? {
    let name = node.declName.baseName.text
    guard let written = node.base else {
      if let expected, declarations.types[expected.name]?.isKnown == true {
        let members = declarations.members(name, of: expected.name)
        if !members.isEmpty {
          return choose(members, name: name, labels: labels, owner: expected.name)
        }
      }
      note(index.onlyFile(of: name, labels: labels), name)
      return nil
    }
    guard let base = infer(written) else {
      note(index.onlyFile(of: name, labels: labels), name)
      return nil
    }
    if name == "self" { return base }
    if base.isMetatype, name == "init" {
      note(
        declarations.members("init", of: base.name).filter { accepts($0.labels, labels) },
        "init"
      )
      return base.instance
    }
    if base.isMetatype, let nested = qualified(base.name + "." + name), nested != base.name {
      return resolve(TypeName(name: nested)).metatype
    }
    let members = declarations.members(name, of: base.name)
    guard !members.isEmpty else {
      // A member of another module: if the value is a container, the result is often an element.
      switch name {
      case "first", "last", "min", "max", "popLast", "removeFirst", "removeLast", "randomElement":
        return base.element
      case "reversed", "sorted", "filter", "prefix", "suffix", "dropFirst", "dropLast", "lazy":
        return base.element == nil ? nil : base
      case "values": return base.subscripted.map { TypeName(name: "Array", arguments: [$0]) }
      default: return nil
      }
    }
    return choose(members, name: name, labels: labels, owner: base.name)
  }

  func infer(_ node: FunctionCallExprSyntax, expected: TypeName? = nil) -> TypeName? {
    let written = node.arguments.map { $0.label?.text ?? "_" }
    let trailing = node.trailingClosure == nil ? [] : ["_"]
    let labels = written + trailing + node.additionalTrailingClosures.map(\.label.text)
    var element: TypeName?
    var result: TypeName?
    called = nil
    switch node.calledExpression.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let name):
      result = type(ofName: name.baseName.text, labels: labels)
    case .memberAccessExpr(let access):
      if let base = access.base,
        base.is(DeclReferenceExprSyntax.self) || node.trailingClosure != nil
      {
        element = infer(base)?.element
        called = nil
      }
      result = infer(access, labels: labels, expected: expected)
    default:
      result = infer(node.calledExpression)
    }
    if let type = result, type.isMetatype {
      let fitting = declarations.members("init", of: type.name)
        .filter { accepts($0.labels, labels) }
      note(fitting, "init")
      called = fitting.first
      result = type.instance
    }
    inferArguments(of: node, labels: labels, element: element)
    return result
  }

  private func inferArguments(
    of node: FunctionCallExprSyntax,
    labels: [String],
    element: TypeName?
  ) {
    var rest = zip(called?.labels ?? [], called?.parameters ?? []).map { ($0, $1) }[...]
    func parameter(_ label: String) -> Parameter? {
      guard let place = rest.firstIndex(where: { $0.0 == label }) else { return nil }
      defer { rest = rest[(place + 1)...] }
      return rest[place].1
    }
    let closures = called?.parameters.last { $0.closure != nil }
    for argument in node.arguments {
      let known = parameter(argument.label?.text ?? "_")
      if let closure = argument.expression.as(ClosureExprSyntax.self) {
        visitClosure(closure, parameters: known?.closure ?? [element])
      } else {
        _ = infer(argument.expression, expected: known?.type)
      }
    }
    if let closure = node.trailingClosure {
      visitClosure(closure, parameters: closures?.closure ?? [element])
    }
    for closure in node.additionalTrailingClosures { visitClosure(closure.closure, parameters: []) }
  }

  private func visitClosure(_ node: ClosureExprSyntax, parameters: [TypeName?]) {
    begin()
    let types = parameters.map { $0.map { resolve($0) } }
    closureElement.append(types.first ?? nil)
    if let signature = node.signature {
      switch signature.parameterClause {
      case .simpleInput(let names):
        for (place, parameter) in names.enumerated() {
          declare(parameter.name.text, place < types.count ? types[place] : nil)
        }
      case .parameterClause(let clause):
        for (place, parameter) in clause.parameters.enumerated() {
          let name = (parameter.secondName ?? parameter.firstName).text
          declare(name, resolve(parameter.type) ?? (place < types.count ? types[place] : nil))
        }
      default: break
      }
      if let captures = signature.capture { walk(captures) }
    }
    walk(node.statements)
    closureElement.removeLast()
    end()
  }
}
