import SwiftSyntax

/// The access level of a declaration, for members that a macro adds.
enum AccessLevel {
  case open
  case `public`
  case package
  case `internal`

  /// Reads the level from modifiers; members of `private` and `fileprivate` types need no modifier,
  /// because they can't be more visible than the type.
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

  /// The modifier and a space, for a member that satisfies a protocol's requirement.
  var prefix: String {
    switch self {
    case .open, .public: "public "
    case .package: "package "
    case .internal: ""
    }
  }

  /// The same for a member that subclasses in other modules override.
  var overridablePrefix: String {
    self == .open ? "open " : prefix
  }
}
