import SwiftParser
import SwiftSyntax

func plainName(_ token: TokenSyntax) -> String {
  let text = token.text
  guard text.count > 2, text.hasPrefix("`"), text.hasSuffix("`") else { return text }
  return String(text.dropFirst().dropLast())
}

/// A name as it must be written in source: with backticks only if it is not an identifier.
func spelled(_ name: String) -> String {
  name.isValidSwiftIdentifier(for: .variableName) ? name : "`\(name)`"
}

func quoted(_ name: String) -> String {
  var text = "\""
  for character in name {
    if character == "\\" || character == "\"" { text.append("\\") }
    text.append(character)
  }
  text.append("\"")
  return text
}

/// The last part of a qualified type name, such as `Trip` in `SchemaV1.Trip`; nil if the type has
/// no name.
func simpleName(of type: TypeSyntax) -> String? {
  if let identifier = type.as(IdentifierTypeSyntax.self) { return plainName(identifier.name) }
  if let member = type.as(MemberTypeSyntax.self) { return plainName(member.name) }
  return nil
}

extension AttributeListSyntax {
  /// The attributes with a name, even if the name is qualified; attributes inside `#if` are not
  /// included.
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
  /// The arguments in parentheses; empty if there are none.
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
