import SwiftSyntax
import SwiftSyntaxMacros

/// An attribute that `@Model` reads; the attribute itself generates no code.
package protocol AnnotationMacro: PeerMacro {
  static var name: String { get }
}

extension AnnotationMacro {
  /// Reports an error if the attribute is not on a property of a model class.
  package static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Placement.check(node, name: name, on: declaration, in: context)
    return []
  }
}

package enum AttributeMacro: AnnotationMacro {
  package static let name = "Attribute"
}

package enum RelationshipMacro: AnnotationMacro {
  package static let name = "Relationship"
}

package enum TransientMacro: AnnotationMacro {
  package static let name = "Transient"
}

/// A declaration in a model class that `@Model` reads; it generates no code itself.
package protocol ConstraintMacro: DeclarationMacro {
  static var name: String { get }
}

extension ConstraintMacro {
  /// Reports an error if the declaration is not in a model class.
  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Placement.check(node, name: name, in: context)
    return []
  }
}

package enum UniqueMacro: ConstraintMacro {
  package static let name = "Unique"
}

package enum IndexMacro: ConstraintMacro {
  package static let name = "Index"
}
