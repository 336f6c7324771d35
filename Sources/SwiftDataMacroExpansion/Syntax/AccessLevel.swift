import SwiftSyntax

/// How visible a declaration is, as far as the members that a macro adds to it are concerned.
enum AccessLevel {
  case open
  case `public`
  case package
  case `internal`

  /// Reads the level from a declaration's modifiers; `private` and `fileprivate` need no word of
  /// their own on members, since these can't be more visible than the type.
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

  /// The modifier, with a blank after it, for a member that fulfils a protocol's requirement.
  var prefix: String {
    switch self {
    case .open, .public: "public "
    case .package: "package "
    case .internal: ""
    }
  }

  /// The same for a member that subclasses override, in other modules too.
  var overridablePrefix: String {
    self == .open ? "open " : prefix
  }
}
