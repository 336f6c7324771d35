import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: read by `@Model`; by itself it adds nothing.
public enum AttributeMacro: PeerMacro {
  /// Checks that it stands on a property of a model class.
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Placement.check(node, "Attribute", on: declaration, in: context)
    return []
  }
}

/// `@Relationship`: read by `@Model`; by itself it adds nothing.
public enum RelationshipMacro: PeerMacro {
  /// Checks that it stands on a property of a model class.
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Placement.check(node, "Relationship", on: declaration, in: context)
    return []
  }
}

/// `@Transient`: read by `@Model`; by itself it adds nothing.
public enum TransientMacro: PeerMacro {
  /// Checks that it has a property to mark.
  public static func expansion(
    of node: AttributeSyntax,
    providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Placement.checkTransient(node, on: declaration, in: context)
    return []
  }
}

/// `#Unique`: read by `@Model`; by itself it adds nothing.
public enum UniqueMacro: DeclarationMacro {
  /// Checks that it stands in a model class.
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Placement.check(node, "Unique", in: context)
    return []
  }
}

/// `#Index`: read by `@Model`; by itself it adds nothing.
public enum IndexMacro: DeclarationMacro {
  /// Checks that it stands in a model class.
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    Placement.check(node, "Index", in: context)
    return []
  }
}
