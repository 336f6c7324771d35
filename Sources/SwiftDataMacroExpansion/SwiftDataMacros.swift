import SwiftSyntaxMacros

/// Every macro of the module, by the name that its declaration refers to.
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
