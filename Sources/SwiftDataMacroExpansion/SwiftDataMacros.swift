import SwiftSyntaxMacros

/// All macros of this module, by the names that their declarations use.
public var swiftDataMacros: [String: any Macro.Type] {
  [
    "ModelMacro": ModelMacro.self,
    "PersistedPropertyMacro": PersistedPropertyMacro.self,
    "AttributeMacro": AttributeMacro.self,
    "RelationshipMacro": RelationshipMacro.self,
    "TransientMacro": TransientMacro.self,
    "UniqueMacro": UniqueMacro.self,
    "IndexMacro": IndexMacro.self,
    "ModelActorMacro": ModelActorMacro.self,
    "PredicateMacro": PredicateMacro.self,
  ]
}
