/// A value of a JSON5 text, with the place where it stands, so that what is wrong with it can be
/// said with line and column.
package struct JSON5Value: Hashable, Sendable {
  /// What a value can be.
  package enum Content: Hashable, Sendable {
    /// Nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// A number, as it is written.
    case number(String)
    /// A text.
    case string(String)
    /// A list.
    case array([JSON5Value])
    /// Names and values, in the order in which they are written; no name is there twice.
    case object([Member])
  }

  /// A name and its value.
  package struct Member: Hashable, Sendable {
    /// The name.
    package let key: String
    /// Where the name stands.
    package let position: Position
    /// The value.
    package let value: JSON5Value
  }

  /// What it is.
  package let content: Content
  /// Where it begins.
  package let position: Position
}

/// A place in a text; both numbers begin with 1.
package struct Position: Hashable, Sendable, CustomStringConvertible {
  /// The line.
  package let line: Int
  /// The character in the line.
  package let column: Int

  /// The place as compilers write it.
  package var description: String { "\(line):\(column)" }
}

/// Why a text is no JSON5, and where.
package struct JSON5Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where.
  package let position: Position
  /// What is wrong, in a sentence.
  package let message: String

  /// Place and sentence.
  package var description: String { "\(position): \(message)" }
}
