/// A value of a JSON5 text, with the place where it stands, so that what is wrong with it can be
/// said with line and column.
public struct JSON5Value: Hashable, Sendable {
  /// What a value can be.
  public enum Content: Hashable, Sendable {
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
  public struct Member: Hashable, Sendable {
    /// The name.
    public let key: String
    /// Where the name stands.
    public let position: Position
    /// The value.
    public let value: JSON5Value
  }

  /// What it is.
  public let content: Content
  /// Where it begins.
  public let position: Position
}

/// A place in a text; both numbers begin with 1.
public struct Position: Hashable, Sendable, CustomStringConvertible {
  /// The line.
  public let line: Int
  /// The character in the line.
  public let column: Int

  /// The place as compilers write it.
  public var description: String { "\(line):\(column)" }
}

/// Why a text is no JSON5, and where.
public struct JSON5Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where.
  public let position: Position
  /// What is wrong, in a sentence.
  public let message: String

  /// Place and sentence.
  public var description: String { "\(position): \(message)" }
}
