/// The text of an error: the first line says what happened, the second what to do about it.
///
/// Only the literal has lines: a value with line breaks stays where it is written.
package struct Wording: Hashable, Sendable, ExpressibleByStringInterpolation {
  private var lines = [""]

  /// What happened and where.
  package var message: String { lines[0] }
  /// What to do about it; empty if there is nothing to add.
  package var hint: String { lines.dropFirst().joined(separator: " ") }

  /// Makes a wording of a literal.
  package init(stringLiteral text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Makes a wording of a literal with values in it.
  package init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.wording
  }

  /// The same wording, with this hint if its literal has only one line.
  package func withHint(_ hint: String) -> Wording {
    lines.count > 1 || hint.isEmpty ? self : self + "\n\(hint)"
  }

  /// Continues the last line of a wording with the first of another.
  package static func + (left: Wording, right: Wording) -> Wording {
    var result = left
    result.lines[left.lines.count - 1] += right.lines[0]
    result.lines += right.lines.dropFirst()
    return result
  }

  /// Takes the parts of a literal and its values.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var wording = Wording(stringLiteral: "")

    /// Begins with an empty text.
    package init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds text of the literal.
    package mutating func appendLiteral(_ literal: String) {
      wording = wording + Wording(stringLiteral: literal)
    }

    /// Adds a value to the line.
    package mutating func appendInterpolation(_ value: some Any) {
      wording.lines[wording.lines.count - 1] += "\(value)"
    }
  }
}

/// What is data until it is shown: an error, a finding or a notice.
package protocol Worded: CustomStringConvertible {
  /// Its text.
  var wording: Wording { get }
}

extension Worded {
  /// What happened and where.
  package var message: String { wording.message }
  /// What to do about it; empty if there is nothing to add.
  package var hint: String { wording.hint }
  /// The message and the hint.
  package var description: String { hint.isEmpty ? message : "\(message) \(hint)" }
}
