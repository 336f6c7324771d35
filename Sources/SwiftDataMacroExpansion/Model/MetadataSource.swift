import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes `schemaMetadata`: a list of the properties and constraints of the class, without those of
/// its superclass.
struct MetadataSource {
  let model: ModelClass
  let isRoot: Bool
  let isBroken: Bool

  private static let type = "[SwiftData.Schema.PropertyMetadata]"

  /// The function that returns the list.
  ///
  /// The function is isolated to the class's actor, because key paths to the class's properties can
  /// be written only there.
  var list: DeclSyntax {
    let entries = model.persisted.map(entry(for:)) + model.constraints.map(entry(for:))
    let array = entries.isEmpty || isBroken ? "[]" : "[\n\(entries.joined(separator: ",\n")),\n]"
    return """
      \(raw: availability)private static func _$metadata() -> \(raw: Self.type) {
        \(raw: array)
      }
      """
  }

  /// The property `schemaMetadata`, which the protocol requires.
  ///
  /// The list can be read on any thread, because key paths that serve only as names do not need the
  /// actor.
  var requirement: DeclSyntax {
    """
    \(raw: availability)nonisolated \(raw: modifiers) var schemaMetadata: \(raw: Self.type) {
      SwiftData._listed(\(raw: model.reference)._$metadata)
    }
    """
  }

  /// Marks the member as deprecated: only deprecated code may use deprecated properties without a
  /// warning.
  ///
  /// Applications do not call `schemaMetadata`, so they never see the mark.
  private var availability: String {
    let isDeprecated = model.persisted.contains { property in
      property.declaration.attributes.named("available").contains { attribute in
        attribute.tokens(viewMode: .sourceAccurate).contains { $0.text == "deprecated" }
      }
    }
    return isDeprecated ? "@available(*, deprecated, message: \"For SwiftData alone.\")\n" : ""
  }

  private var modifiers: String {
    if !isRoot { return "\(model.access.overridablePrefix)override class" }
    return model.isFinal
      ? "\(model.access.prefix)static" : "\(model.access.overridablePrefix)class"
  }

  private func entry(for property: ModelProperty) -> String {
    """
      SwiftData.Schema.PropertyMetadata(
        name: \(quoted(property.name)),
        keypath: \\\(model.reference).\(property.reference),
        defaultValue: \(defaultValue(of: property)),
        metadata: \(metadata(of: property))
      )
    """
  }

  private func entry(for constraint: MacroExpansionDeclSyntax) -> String {
    let type = plainName(constraint.macroName)
    let arguments = constraint.arguments.map(\.trimmedDescription).joined(separator: " ")
    return """
        SwiftData.Schema.PropertyMetadata(
          name: "",
          keypath: \\\(model.reference).self,
          defaultValue: nil,
          metadata: SwiftData.Schema.\(type)<\(model.reference)>(\(arguments))
        )
      """
  }

  /// The default value together with the declared type, so that `.now` and `[]` have the same
  /// meaning as in the class.
  private func defaultValue(of property: ModelProperty) -> String {
    guard let initializer = property.initializer, !initializer.is(NilLiteralExprSyntax.self) else {
      return "nil"
    }
    guard let type = property.type else { return initializer.description }
    return "(\(initializer)) as \(type)"
  }

  private func metadata(of property: ModelProperty) -> String {
    for name in ["Attribute", "Relationship"] {
      let attributes = property.declaration.attributes.named(name)
      guard !attributes.isEmpty else { continue }
      // Several attributes are combined into one: first all options, then the labelled arguments.
      let arguments = attributes.flatMap(\.labeledArguments)
      let ordered = arguments.filter { $0.label == nil } + arguments.filter { $0.label != nil }
      let source = ordered.map { $0.with(\.trailingComma, nil).trimmedDescription }
      let annotation = "SwiftData.Schema.\(name)(\(source.joined(separator: ", ")))"
      guard name == "Attribute", !arguments.isEmpty else { return annotation }
      // The macro does not see whether the property is a relationship.
      return "SwiftData._attribute(\(annotation), of: \\\(model.reference).\(property.reference))"
    }
    return "nil"
  }
}
