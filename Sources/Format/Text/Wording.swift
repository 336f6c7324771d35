/// The text of an error: the first line is the message, the second line is the hint.
///
/// Only line breaks in the string literal separate lines. In an interpolated value, line breaks and
/// other characters that control a terminal are escaped: see ``visible(_:)``.
package struct Wording: Hashable, Sendable, ExpressibleByStringInterpolation {
  private var lines = [""]

  /// The message: the problem and its place.
  package var message: String { lines[0] }
  /// The hint: the remedy; empty if there is none.
  package var hint: String { lines.dropFirst().joined(separator: " ") }

  package init(stringLiteral text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  package init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.wording
  }

  /// This wording, with the given hint if it has none.
  package func withHint(_ hint: String) -> Wording {
    lines.count > 1 || hint.isEmpty ? self : self + "\n\(hint)"
  }

  /// This wording with other names, in which characters that control a terminal are escaped.
  package func naming(_ name: (String) -> String) -> Wording {
    var result = self
    // A list is one line here, although its text has line breaks.
    result.lines = lines.map { line in
      line.split(separator: "\n", omittingEmptySubsequences: false)
        .map { visible(name(String($0))) }.joined(separator: "\n")
    }
    return result
  }

  /// Continues the last line of a wording with the first line of another wording.
  package static func + (left: Wording, right: Wording) -> Wording {
    var result = left
    result.lines[left.lines.count - 1] += right.lines[0]
    result.lines += right.lines.dropFirst()
    return result
  }

  /// Collects the parts of a string literal and its interpolated values.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var wording = Wording(stringLiteral: "")

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: String) {
      wording = wording + Wording(stringLiteral: literal)
    }

    package mutating func appendInterpolation(_ value: some Any) {
      wording.lines[wording.lines.count - 1] += visible("\(value)")
    }

    /// Adds a list of the first twenty sentences, and the number of further sentences.
    package mutating func appendInterpolation(
      items: some Collection<some CustomStringConvertible>
    ) {
      wording.lines[wording.lines.count - 1] +=
        items.prefix(20).map { "\n- " + visible("\($0)") }.joined()
        + (items.count > 20 ? "\n- and \(items.count - 20) more" : "")
    }
  }
}

/// Something with a text, such as an error, a finding or a notice.
package protocol Worded: CustomStringConvertible {
  var wording: Wording { get }
}

extension Worded {
  /// The message: the problem and its place.
  package var message: String { wording.message }
  /// The hint: the remedy; empty if there is none.
  package var hint: String { wording.hint }
  package var description: String { hint.isEmpty ? message : "\(message) \(hint)" }
}
