import SwiftParser
import SwiftSyntax

func plainName(_ token: TokenSyntax) -> String {
  let text = token.text
  guard text.count > 2, text.hasPrefix("`"), text.hasSuffix("`") else { return text }
  return String(text.dropFirst().dropLast())
}

/// A name in source, with backticks only if it isn't an identifier.
func spelled(_ name: String) -> String {
  name.isValidSwiftIdentifier(for: .variableName) ? name : "`\(name)`"
}

/// A Swift string literal with the name.
func quoted(_ name: String) -> String {
  var text = "\""
  for character in name {
    if character == "\\" || character == "\"" { text.append("\\") }
    text.append(character)
  }
  text.append("\"")
  return text
}

/// The last part of a qualified type name, such as `Trip` for `SchemaV1.Trip`; nil for a type
/// without a name.
func simpleName(of type: TypeSyntax) -> String? {
  if let identifier = type.as(IdentifierTypeSyntax.self) { return plainName(identifier.name) }
  if let member = type.as(MemberTypeSyntax.self) { return plainName(member.name) }
  return nil
}

extension AttributeListSyntax {
  /// The attributes with this name, qualified or not, without those under `#if`.
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
  /// The arguments in parentheses; empty without any.
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
