import SwiftSyntax

/// The access level of a declaration; the members that a macro adds need the same level.
enum AccessLevel {
  case open
  case `public`
  case package
  case `internal`

  /// Reads the level from modifiers.
  ///
  /// Members of `private` and `fileprivate` types need no modifier, because they can't be more
  /// visible than their type.
  init(modifiers: DeclModifierListSyntax) {
    self = .internal
    for modifier in modifiers where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.open): self = .open
      case .keyword(.public): self = .public
      case .keyword(.package): self = .package
      default: continue
      }
    }
  }

  /// The modifier and a space, for a member that a protocol requires.
  var prefix: String {
    switch self {
    case .open, .public: "public "
    case .package: "package "
    case .internal: ""
    }
  }

  /// The modifier and a space, for a member that subclasses in other modules override.
  var overridablePrefix: String {
    self == .open ? "open " : prefix
  }
}
