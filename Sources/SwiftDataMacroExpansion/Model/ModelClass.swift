import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// The source of a class to which `@Model` is attached.
struct ModelClass {
  let declaration: ClassDeclSyntax
  let members: ActiveMembers
  let properties: [ModelProperty]
  let storage: StorageChecks

  /// The persisted properties in the order of the source; the position of a property is its index
  /// in the generated accessors.
  let persisted: [ModelProperty]

  init(_ declaration: ClassDeclSyntax, in context: some MacroExpansionContext) {
    self.declaration = declaration
    members = ActiveMembers(of: declaration.memberBlock.members, in: context)
    properties = members.declarations.flatMap { member in
      member.as(VariableDeclSyntax.self).map(ModelProperty.all(in:)) ?? []
    }
    // Swift 6 does not allow accessors on a `let`. If the language mode is unknown, a `let` is
    // rejected too.
    let mode = context.buildConfiguration?.languageVersion ?? VersionTuple(6)
    let storage = StorageChecks(properties: properties, allowsConstants: mode < VersionTuple(6))
    persisted = properties.filter { property in
      property.isPersisted && property.declaration.bindings.count == 1
        && storage.problems(of: property).isEmpty
    }
    self.storage = storage
  }

  /// The name of the class as it is written, with backticks.
  var reference: String { declaration.name.text }

  var name: String { plainName(declaration.name) }

  var access: AccessLevel { AccessLevel(modifiers: declaration.modifiers) }

  var isFinal: Bool { declaration.modifiers.contains(.final) }

  var constraints: [MacroExpansionDeclSyntax] {
    members.declarations.compactMap { member in
      guard let macro = member.as(MacroExpansionDeclSyntax.self) else { return nil }
      return ["Unique", "Index"].contains(plainName(macro.macroName)) ? macro : nil
    }
  }

  var hasInitializer: Bool {
    members.declarations.contains { $0.is(InitializerDeclSyntax.self) }
  }

  /// Whether the macro generates an `init()` for the class.
  ///
  /// Swift generates an `init()` for a class without initializers whose properties all have
  /// defaults, but not if a macro generates an initializer. A subclass gets no `init()`, because a
  /// macro can't know whether the superclass has an `init()`.
  var getsInitializer: Bool {
    guard !hasInitializer, declaration.inheritanceClause == nil else { return false }
    return properties.allSatisfy { property in
      switch property.role {
      case .persisted, .transient: property.hasDefault
      case .computed, .ofType, .unsupported: true
      }
    }
  }

  /// The index of a member in the generated accessors; nil if the member is not persisted.
  func index(of member: VariableDeclSyntax) -> Int? {
    // The name is not enough: a static property may have the same name as a persisted one.
    guard let property = ModelProperty.all(in: member).first, property.isPersisted else {
      return nil
    }
    return persisted.firstIndex { $0.name == property.name }
  }
}
