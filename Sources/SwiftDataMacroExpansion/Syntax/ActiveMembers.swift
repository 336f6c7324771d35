import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// The members of a type that are compiled in this build; members in an `#if` are included if its
/// condition holds.
struct ActiveMembers {
  private(set) var declarations: [DeclSyntax] = []

  /// The `#if` blocks whose conditions can't be evaluated here; their members are not included.
  private(set) var undecided: [IfConfigDeclSyntax] = []

  init(of members: MemberBlockItemListSyntax, in context: some MacroExpansionContext) {
    collect(members, configuration: context.buildConfiguration)
  }

  private mutating func collect(
    _ members: MemberBlockItemListSyntax,
    configuration: (any BuildConfiguration)?
  ) {
    for member in members {
      guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else {
        declarations.append(member.decl)
        continue
      }
      guard let configuration else {
        undecided.append(conditional)
        continue
      }
      let (active, problems) = conditional.activeClause(in: configuration)
      if !problems.isEmpty {
        undecided.append(conditional)
      } else if case .decls(let inner) = active?.elements {
        collect(inner, configuration: configuration)
      }
    }
  }
}
