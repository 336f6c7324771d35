import SwiftSyntax
import SwiftSyntaxBuilder

/// The code that reports a property whose type can't be stored.
///
/// A macro does not see whether a type is Codable. For a type that can't be stored, `initialize`
/// returns another type, and the compiler chooses an unavailable function, whose message has the name
/// and the type of the property.
struct StorableCheck {
  let property: ModelProperty

  init(_ property: ModelProperty) { self.property = property }

  /// The call, with the check if the property may have a type that can't be stored.
  func around(_ call: String) -> String {
    guard !property.isTransformable, !isKnown else { return call }
    return """
      func _$finish(_: Swift.Void) {
      }
      @available(*, unavailable, message: \(quoted(message)))
      func _$finish(_: SwiftData._NotStorable) {
      }
      _$finish(\(call))
      """
  }

  private var message: String {
    let type = property.binding.typeAnnotation?.type.trimmedDescription ?? madeType
    let words = type?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let problem =
      words.map { "'\(property.name)' has the type '\($0)', which is not Codable" }
      ?? "the type of '\(property.name)' is not Codable"
    return problem
      + ", so it can't be stored; make the type Codable, or mark the property @Transient to keep it "
      + "out of the store"
  }

  /// The type in a default such as `Color()` or `[Color]()`; nil if the default has another form.
  private var madeType: String? {
    guard let call = property.initializer?.as(FunctionCallExprSyntax.self) else { return nil }
    let called = call.calledExpression
    let list = called.as(ArrayExprSyntax.self)?.elements
    let named = list == nil ? called : list?.count == 1 ? list?.first?.expression : nil
    guard let name = named?.as(DeclReferenceExprSyntax.self),
      name.baseName.text.first?.isUppercase ?? false
    else { return nil }
    return called.trimmedDescription
  }

  /// Whether the type consists of types that are recognized by their names and can be stored.
  private var isKnown: Bool {
    if let type = property.type { return Self.isKnown(type) }
    switch property.initializer?.kind {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .stringLiteralExpr:
      return true
    default: return madeType.map { Self.isKnown("\(raw: $0)") } ?? false
    }
  }

  private static func isKnown(_ type: TypeSyntax) -> Bool {
    if let optional = type.as(OptionalTypeSyntax.self) { return isKnown(optional.wrappedType) }
    if let array = type.as(ArrayTypeSyntax.self) { return isKnown(array.element) }
    if let dictionary = type.as(DictionaryTypeSyntax.self) {
      return isKnown(dictionary.key) && isKnown(dictionary.value)
    }
    guard let identifier = type.as(IdentifierTypeSyntax.self) else { return false }
    guard let clause = identifier.genericArgumentClause else {
      return ValueTypes.isValue(plainName(identifier.name))
    }
    guard ["Array", "Set", "Dictionary", "Optional"].contains(plainName(identifier.name)) else {
      return false
    }
    return clause.arguments.allSatisfy { argument in
      guard case .type(let inner) = argument.argument else { return false }
      return isKnown(inner)
    }
  }
}
