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
    // Another attribute may be a property wrapper with a default.
    property.hasDefault || property.declaration.attributes.count > 1
      || property.declaration.modifiers.contains(.weak)
  }

  private func persistedProblems(_ property: ModelProperty) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    if Self.reserved.contains(property.name) || property.name.hasPrefix("_$") {
      problems.append(.reservedName(property.identifier))
    }
    if property.isConstant, !allowsConstants { problems.append(.constantInModel(property)) }
    if let other = properties.first(where: { "_\(property.name)" == $0.name }) {
      problems.append(.reservedName(other.identifier))
    }
    return problems
  }
}
