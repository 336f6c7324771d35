import SwiftSyntax

/// The source of a variable that a model class declares.
struct ModelProperty {
  enum Role {
    /// The property is persisted: it has generated accessors and is in the schema.
    case persisted
    /// The property is stored only in memory, because it is marked `@Transient`.
    case transient
    /// The property is computed, so it is not stored.
    case computed
    /// The property is static, so it is not stored in each object.
    case ofType
    /// The property is stored in a way that can't be persisted; the word is `lazy`, `weak` or
    /// `unowned`.
    case unsupported(word: String, modifier: DeclModifierSyntax)
  }

  let declaration: VariableDeclSyntax
  let binding: PatternBindingSyntax
  let identifier: TokenSyntax
  let role: Role

  /// The name without backticks; the schema contains this form.
  var name: String { plainName(identifier) }

  /// The name as it is written, with backticks.
  var reference: String { identifier.text }

  var isConstant: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.let) }

  var isPersisted: Bool {
    if case .persisted = role { true } else { false }
  }

  /// Whether the property is persisted, or would be persisted without its unsupported modifier.
  var isStored: Bool {
    switch role {
    case .persisted, .unsupported: true
    case .computed, .ofType, .transient: false
    }
  }

  var isComputed: Bool {
    if case .computed = role { true } else { false }
  }

  var isOfType: Bool {
    if case .ofType = role { true } else { false }
  }

  /// The declared type, with `T?` instead of `T!`; nil if the type is inferred.
  var type: TypeSyntax? {
    guard let type = binding.typeAnnotation?.type.trimmed else { return nil }
    guard let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return type }
    return TypeSyntax(OptionalTypeSyntax(wrappedType: unwrapped.wrappedType))
  }

  var isOptional: Bool {
    guard let type else { return false }
    return type.is(OptionalTypeSyntax.self) || simpleName(of: type) == "Optional"
  }

  /// Whether the declared type is written as an array or an optional array.
  var isArray: Bool {
    guard let type else {
      return initializer?.as(FunctionCallExprSyntax.self)?.calledExpression.is(ArrayExprSyntax.self)
        ?? false
    }
    let wrapped = type.as(OptionalTypeSyntax.self)?.wrappedType ?? type
    return wrapped.is(ArrayTypeSyntax.self) || simpleName(of: wrapped) == "Array"
  }

  var initializer: ExprSyntax? { binding.initializer?.value.trimmed }

  /// Whether the property has a value before `init` sets one.
  var hasDefault: Bool { initializer != nil || (isOptional && !isConstant) }

  /// Whether the property has the option `.transformable` or `.codable`.
  ///
  /// With one of these options, the type of the property does not determine how it is stored.
  var isTransformable: Bool {
    declaration.attributes.named("Attribute").contains { attribute in
      attribute.labeledArguments.contains { argument in
        argument.label == nil
          && ["transformable", "codable"].contains(optionName(of: argument.expression))
      }
    }
  }

  /// All properties of a declaration; a tuple is left out, because it has no single name.
  static func all(in declaration: VariableDeclSyntax) -> [ModelProperty] {
    declaration.bindings.enumerated().compactMap { position, binding in
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
      return ModelProperty(
        declaration: declaration,
        binding: typed(binding, at: position, in: declaration),
        identifier: pattern.identifier,
        role: role(of: binding, in: declaration)
      )
    }
  }

  /// Assigns the type of the last name to all names, as in `var a, b: Int`.
  private static func typed(
    _ binding: PatternBindingSyntax,
    at position: Int,
    in declaration: VariableDeclSyntax
  ) -> PatternBindingSyntax {
    guard binding.typeAnnotation == nil, binding.initializer == nil else { return binding }
    let following = declaration.bindings.dropFirst(position + 1)
    guard let source = following.first(where: { $0.typeAnnotation != nil || $0.initializer != nil })
    else { return binding }
    return binding.with(\.typeAnnotation, source.typeAnnotation)
  }

  private static func role(
    of binding: PatternBindingSyntax,
    in declaration: VariableDeclSyntax
  ) -> Role {
    let modifiers = declaration.modifiers
    if modifiers.contains(.static) || modifiers.contains(.class) { return .ofType }
    if isComputed(binding) { return .computed }
    if declaration.attributes.contains(named: "Transient") { return .transient }
    for modifier in modifiers {
      switch modifier.name.tokenKind {
      case .keyword(.lazy), .keyword(.weak), .keyword(.unowned):
        return .unsupported(word: modifier.name.text, modifier: modifier)
      default: continue
      }
    }
    return .persisted
  }

  private static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
    guard let accessors = binding.accessorBlock?.accessors else { return false }
    guard case .accessors(let list) = accessors else { return true }
    return list.contains { !isObserver($0) }
  }

  static func isObserver(_ accessor: AccessorDeclSyntax) -> Bool {
    switch accessor.accessorSpecifier.tokenKind {
    case .keyword(.willSet), .keyword(.didSet): true
    default: false
    }
  }
}

/// The name of an option: `unique` for `.unique`, `transformable` for
/// `Schema.Attribute.Option.transformable(by: "…")`.
func optionName(of expression: ExprSyntax) -> String? {
  if let call = expression.as(FunctionCallExprSyntax.self) {
    return optionName(of: call.calledExpression)
  }
  guard let member = expression.as(MemberAccessExprSyntax.self) else { return nil }
  return plainName(member.declName.baseName)
}
