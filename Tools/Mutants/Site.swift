import SwiftSyntax

/// A place in a source file, and what a mutant has there.
struct Site {
  let path: String
  /// The function or property that it is in.
  let function: String
  let lines: ClosedRange<Int>
  /// Its bytes in the file.
  let range: Range<Int>
  let original: String
  let mutant: String
  /// What `original` and `mutant` stand for: the condition of a guard, without the word.
  let expressions: (mutant: String, original: String)

  /// How many sites of the same text the function has before it.
  var repetition = 0

  /// Names it in every version of the file in which the function has this text.
  var name: String {
    "\(path) \(function): \(original) → \(mutant)\(repetition == 0 ? "" : " #\(repetition + 1)")"
  }

  /// The text that takes its place; it has as many lines.
  func replacement(number: Int) -> String {
    "(isMutant(\(number)) ? (\(expressions.mutant)) : (\(expressions.original)))"
  }

  /// Where it comes in the order of a seed, which changes elsewhere do not alter.
  func rank(seed: UInt64) -> UInt64 {
    var hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 ^ seed) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
    return hash ^ hash >> 31
  }
}

/// A text on one line.
func oneLine(_ text: String) -> String {
  text.split { $0.isWhitespace }.joined(separator: " ")
}

/// The function or property around a node, with its type.
func functionName(around node: some SyntaxProtocol) -> String {
  var names: [String] = []
  var next = node.parent
  while let syntax = next {
    if let function = syntax.as(FunctionDeclSyntax.self) {
      let labels = function.signature.parameterClause.parameters.map { $0.firstName.text + ":" }
      names.append("\(function.name.text)(\(labels.joined()))")
    } else if syntax.is(InitializerDeclSyntax.self) {
      names.append("init")
    } else if syntax.is(SubscriptDeclSyntax.self) {
      names.append("subscript")
    } else if let variable = syntax.as(VariableDeclSyntax.self), isMember(variable) {
      names.append(variable.bindings.first?.pattern.trimmedDescription ?? "_")
    } else if let type = syntax.asProtocol((any NamedDeclSyntax).self) {
      names.append(type.name.text)
    } else if let type = syntax.as(ExtensionDeclSyntax.self) {
      names.append(type.extendedType.trimmedDescription)
    }
    next = syntax.parent
  }
  return names.reversed().joined(separator: ".")
}

private func isMember(_ variable: VariableDeclSyntax) -> Bool {
  variable.parent?.is(MemberBlockItemSyntax.self) == true
    || variable.parent?.parent?.parent?.is(SourceFileSyntax.self) == true
}
