import SwiftSyntax

/// A place in a source file, and its text in a mutant.
struct Site {
  let path: String
  /// The function or property that it is in.
  let function: String
  let lines: ClosedRange<Int>
  /// The range of its bytes in the file.
  let range: Range<Int>
  let original: String
  let mutant: String
  /// The source text and the mutant's, without the keyword before a condition.
  let expressions: (mutant: String, original: String)

  /// The number of earlier sites with the same text in the function.
  var repetition = 0

  /// A name that stays the same in every version of the file in which the function has this text.
  var name: String {
    "\(path) \(function): \(original) → \(mutant)\(repetition == 0 ? "" : " #\(repetition + 1)")"
  }

  /// The replacement of the text, with the same number of lines.
  func replacement(number: Int) -> String {
    "(isMutant(\(number)) ? (\(expressions.mutant)) : (\(expressions.original)))"
  }

  /// The position in the order of a seed; changes elsewhere do not alter it.
  func rank(seed: UInt64) -> UInt64 {
    var hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 ^ seed) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
    return hash ^ hash >> 31
  }
}

/// A text with its line breaks and indentation replaced by blanks.
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
