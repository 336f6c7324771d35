import SwiftDiagnostics
import SwiftSyntax

/// Finds what keeps a property of a model from being stored.
struct StorageChecks {
  /// All properties of the class.
  let properties: [ModelProperty]
  /// Whether the compiler lets a macro put accessors on a `let`.
  let allowsConstants: Bool

  /// What every model has and no property can stand in for.
  private static let reserved: Set<String> = [
    "persistentModelID", "persistentBackingData", "modelContext", "schemaMetadata", "Root",
  ]

  /// What is wrong with the property; a property with problems gets no accessors.
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

  /// Whether an object that is read from a store has a value for the transient property.
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
