import SwiftParser
import SwiftSyntax

/// A name without its backticks.
func plainName(_ token: TokenSyntax) -> String {
  let text = token.text
  guard text.count > 2, text.hasPrefix("`"), text.hasSuffix("`") else { return text }
  return String(text.dropFirst().dropLast())
}

/// A name as it has to be written in source: with backticks only where it isn't an identifier.
func spelled(_ name: String) -> String {
  name.isValidSwiftIdentifier(for: .variableName) ? name : "`\(name)`"
}

/// The text of a Swift string literal that holds the name.
func quoted(_ name: String) -> String {
  var text = "\""
  for character in name {
    if character == "\\" || character == "\"" { text.append("\\") }
    text.append(character)
  }
  text.append("\"")
  return text
}

/// The last part of a possibly qualified type name, `Trip` for `SchemaV1.Trip` and
/// `SwiftData.Attribute` alike; nothing for types that have no name.
func simpleName(of type: TypeSyntax) -> String? {
  if let identifier = type.as(IdentifierTypeSyntax.self) { return plainName(identifier.name) }
  if let member = type.as(MemberTypeSyntax.self) { return plainName(member.name) }
  return nil
}

extension AttributeListSyntax {
  /// The attributes that have this name, however they are qualified; those under `#if` are not
  /// looked at.
  func named(_ name: String) -> [AttributeSyntax] {
    compactMap { element in
      guard case .attribute(let attribute) = element else { return nil }
      return simpleName(of: attribute.attributeName) == name ? attribute : nil
    }
  }

  func contains(named name: String) -> Bool {
    !named(name).isEmpty
  }
}

extension AttributeSyntax {
  /// The arguments in the parentheses; empty where there are none.
  var labeledArguments: [LabeledExprSyntax] {
    guard case .argumentList(let list) = arguments else { return [] }
    return Array(list)
  }
}

extension DeclModifierListSyntax {
  func contains(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}
