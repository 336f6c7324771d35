import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A message of the compiler: first the problem, then what to do.
struct Sentence: DiagnosticMessage, FixItMessage {
  let message: String
  let id: String
  var severity = DiagnosticSeverity.error
  var diagnosticID: MessageID { MessageID(domain: "SwiftData", id: id) }
  var fixItID: MessageID { diagnosticID }
}

extension Diagnostic {
  /// An error at a piece of source; the name of the calling function is the identifier of the
  /// error.
  static func error(
    _ message: String,
    at node: some SyntaxProtocol,
    fixIts: [FixIt] = [],
    id: String = #function
  ) -> Diagnostic {
    let id = String(id.prefix { $0 != "(" })
    return Diagnostic(node: node, message: Sentence(message: message, id: id), fixIts: fixIts)
  }

  var asWarning: Diagnostic {
    let sentence = Sentence(message: message, id: "warning", severity: .warning)
    return Diagnostic(node: node, position: position, message: sentence, fixIts: fixIts)
  }
}

extension FixIt {
  static func replacing(
    _ old: some SyntaxProtocol,
    with new: some SyntaxProtocol,
    message: String
  ) -> FixIt {
    FixIt(
      message: Sentence(message: message, id: "fixIt"),
      changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))]
    )
  }

  /// Removes a piece of source, and the space after it.
  static func removing(_ node: some SyntaxProtocol, message: String) -> FixIt {
    replacing(node, with: TokenSyntax.nothing(inPlaceOf: node), message: message)
  }

  /// Replaces a piece of source with text; spaces and comments around it remain.
  static func replacing(
    _ old: some SyntaxProtocol,
    withText text: String,
    message: String
  ) -> FixIt {
    let new = TokenSyntax(
      .unknown(text),
      leadingTrivia: old.leadingTrivia,
      trailingTrivia: old.trailingTrivia,
      presence: .present
    )
    return replacing(old, with: new, message: message)
  }
}

extension TokenSyntax {
  /// An empty token that keeps the spaces and comments before a removed piece of source.
  static func nothing(inPlaceOf node: some SyntaxProtocol) -> TokenSyntax {
    TokenSyntax(.unknown(""), leadingTrivia: node.leadingTrivia, presence: .present)
  }
}
