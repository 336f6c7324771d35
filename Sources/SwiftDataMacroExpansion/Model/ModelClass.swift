import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// A class marked `@Model`, as its source says it.
struct ModelClass {
  let declaration: ClassDeclSyntax
  let members: ActiveMembers
  let properties: [ModelProperty]
  let storage: StorageChecks

  /// What the store keeps of this class, in the order of the source: a property's position here
  /// is its index in the generated accessors.
  let persisted: [ModelProperty]

  init(_ declaration: ClassDeclSyntax, in context: some MacroExpansionContext) {
    self.declaration = declaration
    members = ActiveMembers(of: declaration.memberBlock.members, in: context)
    properties = members.declarations.flatMap { member in
      member.as(VariableDeclSyntax.self).map(ModelProperty.all(in:)) ?? []
    }
    // The Swift 6 language mode refuses accessors on a `let`; without word of the mode, so do we.
    let mode = context.buildConfiguration?.languageVersion ?? VersionTuple(6)
    let storage = StorageChecks(properties: properties, allowsConstants: mode < VersionTuple(6))
    persisted = properties.filter { property in
      property.isPersisted && property.declaration.bindings.count == 1
        && storage.problems(of: property).isEmpty
    }
    self.storage = storage
  }

  /// The class's name as it was written, with its backticks.
  var reference: String { declaration.name.text }

  var name: String { plainName(declaration.name) }

  var access: AccessLevel { AccessLevel(modifiers: declaration.modifiers) }

  var isFinal: Bool { declaration.modifiers.contains(.final) }

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

  /// Whether the class gets an `init()`.
  ///
  /// Swift gives one to a class that has none and whose properties all have defaults, and takes it
  /// back because of the initializer that the macro writes. Where something is inherited, a macro
  /// can't know whether the superclass has an `init()` already.
  var getsInitializer: Bool {
    guard !hasInitializer, declaration.inheritanceClause == nil else { return false }
    return properties.allSatisfy { property in
      switch property.role {
      case .persisted, .transient: property.hasDefault
      case .computed, .ofType, .unsupported: true
      }
    }
  }

  /// The index that the accessors of a member use, or nothing if the member isn't persisted.
  func index(of member: VariableDeclSyntax) -> Int? {
    // A static property may have the name of a stored one.
    guard let property = ModelProperty.all(in: member).first, property.isPersisted else {
      return nil
    }
    return persisted.firstIndex { $0.name == property.name }
  }
}
