import SwiftSyntax

/// Property wrappers that a macro can recognize by name.
///
/// The compiler rejects all others, because a wrapped property can't have accessors. Rejecting
/// unknown attributes here would also reject other macros.
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
