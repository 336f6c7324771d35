/// A value of a JSON5 text, with its position for messages.
package struct JSON5Value: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number, spelled as in the text.
    case number(String)
    case string(String)
    case array([JSON5Value])
    /// The properties in the order of the text; their names are unique.
    case object([Member])
  }

  package struct Member: Hashable, Sendable {
    package let key: String
    package let position: Position
    package let value: JSON5Value
  }

  package let content: Content
  package let position: Position
}

/// A position in a text, counted from 1.
package struct Position: Hashable, Sendable, CustomStringConvertible {
  package let line: Int
  package let column: Int

  /// The position in the form that compilers use.
  package var description: String { "\(line):\(column)" }
}

/// The reason why a text is not JSON5.
package struct JSON5Error: Error, Hashable, Sendable, CustomStringConvertible {
  package let position: Position
  /// The reason in a sentence.
  package let message: String

  package var description: String { "\(position): \(message)" }
}
