import SwiftDiagnostics
import SwiftSyntax

/// Finds the reasons why a property of a model can't be stored.
struct StorageChecks {
  let properties: [ModelProperty]
  /// Whether the compiler allows accessors on a `let`.
  let allowsConstants: Bool

  /// The names of members that every model has; properties can't use these names.
  private static let reserved: Set<String> = [
    "persistentModelID", "persistentBackingData", "modelContext", "schemaMetadata", "Root",
  ]

  /// The errors of the property; a property with errors has no generated accessors.
  func problems(of property: ModelProperty) -> [Diagnostic] {
    switch property.role {
    case .unsupported(let word, let modifier):
      [.unsupportedModifier(property, word: word, modifier: modifier)]
    case .transient:
      isComplete(property) ? [] : [.transientNeedsDefault(property)]
    case .computed, .ofType:
      []
    case .persisted:
      persistedProblems(property)
    }
  }

  /// Whether a transient property gets a value when an object is read from a store.
  private func isComplete(_ property: ModelProperty) -> Bool {
    property.hasDefault || PropertyWrappers.first(on: property) != nil
      || property.declaration.modifiers.contains(.weak)
  }

  private func persistedProblems(_ property: ModelProperty) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    if property.type == nil, property.initializer == nil {
      problems.append(.propertyNeedsType(property))
    }
    if let wrapper = PropertyWrappers.first(on: property) {
      problems.append(.propertyWrapper(wrapper, on: property))
    }
    if Self.reserved.contains(property.name) || property.name.hasPrefix("_$") {
      problems.append(.reservedName(property))
    }
    if property.isConstant, !allowsConstants { problems.append(.constantInModel(property)) }
    if let other = properties.first(where: { "_\(property.name)" == $0.name }) {
      problems.append(.nameTakenByStorage(other, of: property.name))
    }
    return problems
  }
}

/// The property wrappers that the macro recognizes by their names.
///
/// The compiler rejects all other wrappers, because a wrapped property can't have accessors. If the
/// macro rejected unknown attributes here, it would also reject other macros.
enum PropertyWrappers {
  private static let known: Set<String> = [
    "AppStorage", "Binding", "Bindable", "Clamped", "Environment", "EnvironmentObject",
    "FocusState",
    "GestureState", "Injected", "Namespace", "ObservedObject", "Published", "Query", "SceneStorage",
    "State", "StateObject", "TaskLocal", "UserDefault", "ThreadSafe", "Atomic", "Lazy",
  ]

  static func first(on property: ModelProperty) -> AttributeSyntax? {
    for case .attribute(let attribute) in property.declaration.attributes {
      if let name = simpleName(of: attribute.attributeName), known.contains(name) {
        return attribute
      }
    }
    return nil
  }
}
