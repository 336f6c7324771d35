import SwiftDiagnostics
import SwiftSyntax

// Errors about the properties of model classes.
extension Diagnostic {
  /// The error for several properties in one declaration: `var a = 0, b = 1`.
  static func severalProperties(_ variable: VariableDeclSyntax, split: String) -> Diagnostic {
    .error(
      "Macros can't be put on several properties at once; declare each property of a model on its "
        + "own.",
      at: variable,
      fixIts: [.replacing(variable, withText: split, message: "declare each property on its own")]
    )
  }

  /// The error for properties in a tuple: `var (a, b) = (0, 1)`.
  static func tupleProperty(_ binding: PatternBindingSyntax) -> Diagnostic {
    .error(
      "A model can't store properties that are declared as a tuple; declare each property on its "
        + "own.",
      at: binding
    )
  }

  /// The error for a property with neither a type nor a default value: `var name`.
  static func propertyNeedsType(_ property: ModelProperty) -> Diagnostic {
    .error(
      "'\(property.name)' needs a type or a default value to be stored; write "
        + "'var \(property.reference): …'.",
      at: property.identifier
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
    let reason =
      switch word {
      case "lazy": "the store would not know whether the property has a value yet"
      default: "SwiftData manages the references of a relationship itself"
      }
    var fixIts = [
      FixIt.adding("@Transient", to: property.declaration, message: "keep it out of the store")
    ]
    if word != "lazy" {
      fixIts.append(.removing(modifier, message: "remove '\(word)'"))
    }
    return .error(
      "'\(property.name)' can't be both stored and '\(word)', because \(reason); remove '\(word)', "
        + "or mark the property @Transient to keep it out of the store.",
      at: modifier,
      fixIts: fixIts
    )
  }

  /// The error for a property wrapper on a persisted property.
  static func propertyWrapper(
    _ attribute: AttributeSyntax,
    on property: ModelProperty
  ) -> Diagnostic {
    .error(
      "@\(attribute.attributeName.trimmedDescription) is a property wrapper, but SwiftData must "
        + "store '\(property.name)' itself; remove the wrapper, or mark the property @Transient to "
        + "keep it out of the store.",
      at: attribute,
      fixIts: [
        .adding("@Transient", to: property.declaration, message: "keep it out of the store"),
        .removing(attribute, message: "remove the property wrapper"),
      ]
    )
  }

  /// The error for a property with the same name as a member that every model has.
  static func reservedName(_ property: ModelProperty) -> Diagnostic {
    .error(
      "Every model has a member '\(property.name)' that SwiftData needs; rename the property, and "
        + "set 'originalName' to the old name if a store contains the property.",
      at: property.identifier
    )
  }

  /// The error for a member that is named `_name` in a class with the property `name`.
  static func nameTakenByStorage(_ property: ModelProperty, of other: String) -> Diagnostic {
    .error(
      "'\(property.name)' is the name of the storage that @Model generates for '\(other)'; rename "
        + "one of the two properties.",
      at: property.identifier
    )
  }
}
