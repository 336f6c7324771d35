import SwiftDiagnostics
import SwiftSyntax

// Errors about the properties of model classes.
extension Diagnostic {
  /// The error for several properties in one declaration: `var a = 0, b = 1`, or a tuple.
  static func severalProperties(_ node: some SyntaxProtocol) -> Diagnostic {
    .error(
      "Macros can't be put on several properties at once; declare each property of a model on its "
        + "own.",
      at: node
    )
  }

  /// The error for a constant such as `let id = UUID()`, whose stored value could not be set when
  /// an object is read.
  static func constantInModel(_ property: ModelProperty) -> Diagnostic {
    let specifier = property.declaration.bindingSpecifier
    let isPrivate = property.declaration.modifiers.contains(.private)
    let variable = isPrivate ? "var" : "private(set) var"
    return .error(
      "The Swift 6 language mode doesn't let a macro store a 'let' property; declare "
        + "'\(property.name)' as '\(variable)'.",
      at: specifier,
      fixIts: [.replacing(specifier, withText: variable, message: "make it a '\(variable)'")]
    )
  }

  /// The error for a persisted property with `lazy`, `weak` or `unowned`.
  static func unsupportedModifier(
    _ property: ModelProperty,
    word: String,
    modifier: DeclModifierSyntax
  ) -> Diagnostic {
    .error(
      "'\(property.name)' can't be both stored and '\(word)'; remove '\(word)', or mark the property "
        + "@Transient to keep it out of the store.",
      at: modifier,
      fixIts: [.removing(modifier, message: "remove '\(word)'")]
    )
  }

  /// The error for a property or a nested type with a name that every model uses.
  static func reservedName(_ name: TokenSyntax) -> Diagnostic {
    .error(
      "@Model uses the name '\(plainName(name))' itself; choose another name, and set 'originalName' "
        + "to the old name if a store contains the property.",
      at: name
    )
  }
}
