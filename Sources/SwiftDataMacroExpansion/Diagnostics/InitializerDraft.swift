import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The draft of an initializer that sets all persisted properties, for a class without
/// initializers.
struct InitializerDraft {
  let model: ModelClass

  /// The fix-it that inserts the draft, as a list.
  ///
  /// The list is empty if the source does not show the type of a property, or if there is a
  /// superclass whose initializer may need arguments.
  var fixIts: [FixIt] {
    guard let text = source else { return [] }
    let block = model.declaration.memberBlock
    let initializer: DeclSyntax = "\(raw: text)"
    let member = MemberBlockItemSyntax(decl: initializer)
      .with(\.leadingTrivia, .newlines(2) + .spaces(2))
    var changed = block
    changed.members.append(member)
    return [.replacing(block, with: changed, message: "add an init")]
  }

  private var source: String? {
    guard model.declaration.inheritanceClause == nil else { return nil }
    var parameters: [String] = []
    var assignments: [String] = []
    for property in model.persisted {
      if property.isConstant, property.initializer != nil { continue }
      guard let type = property.type else {
        // The property's type is unknown, but its default gives it a type and a value.
        if property.initializer == nil { return nil }
        continue
      }
      let value = property.initializer?.description ?? (property.hasDefault ? "nil" : nil)
      let suffix = value.map { " = \($0)" } ?? ""
      parameters.append("\(property.reference): \(type)\(suffix)")
      assignments.append("    self.\(property.reference) = \(property.reference)")
    }
    let head = "\(model.access.prefix)init(\(parameters.joined(separator: ", ")))"
    guard !assignments.isEmpty else { return "\(head) {}" }
    return "\(head) {\n\(assignments.joined(separator: "\n"))\n  }"
  }
}
