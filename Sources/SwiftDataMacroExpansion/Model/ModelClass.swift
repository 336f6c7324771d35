import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// A class marked `@Model`, as its source says it.
struct ModelClass {
  let declaration: ClassDeclSyntax
  let members: ActiveMembers
  let properties: [ModelProperty]
  /// Whether the compiler lets a macro put accessors on a `let`: up to the Swift 5 language mode.
  let allowsConstants: Bool

  init(_ declaration: ClassDeclSyntax, in context: some MacroExpansionContext) {
    self.declaration = declaration
    members = ActiveMembers(of: declaration.memberBlock.members, in: context)
    let mode = context.buildConfiguration?.languageVersion ?? VersionTuple(6)
    allowsConstants = mode < VersionTuple(6)
    properties = members.declarations.flatMap { member in
      member.as(VariableDeclSyntax.self).map(ModelProperty.all(in:)) ?? []
    }
  }

  /// The class's name as it was written, with its backticks.
  var reference: String { declaration.name.text }

  var name: String { plainName(declaration.name) }

  var access: AccessLevel { AccessLevel(modifiers: declaration.modifiers) }

  var isFinal: Bool { declaration.modifiers.contains(.final) }

  /// What the store keeps of this class, in the order of the source: a property's position here
  /// is its index in the generated accessors.
  var persisted: [ModelProperty] {
    properties.filter { $0.isPersisted && (allowsConstants || !$0.isConstant) }
  }

  /// The `#Unique` and `#Index` declarations.
  var constraints: [MacroExpansionDeclSyntax] {
    members.declarations.compactMap { member in
      guard let macro = member.as(MacroExpansionDeclSyntax.self) else { return nil }
      return ["Unique", "Index"].contains(plainName(macro.macroName)) ? macro : nil
    }
  }

  var hasInitializer: Bool {
    members.declarations.contains { $0.is(InitializerDeclSyntax.self) }
  }

  /// The index that the accessors of a member use, or nothing if the member isn't persisted.
  func index(of member: some DeclSyntaxProtocol) -> Int? {
    guard let variable = member.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let property = ModelProperty.all(in: variable).first, property.isPersisted
    else { return nil }
    return persisted.firstIndex { $0.name == property.name }
  }
}
