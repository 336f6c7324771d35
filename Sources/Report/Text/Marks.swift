/// Marks words in a text; the caller decides how its terminal shows the marks.
package struct Marks: Sendable {
  package typealias Mark = @Sendable (String) -> String

  package var added: Mark = { $0 }
  package var removed: Mark = { $0 }
  package var changed: Mark = { $0 }
  /// For less important words.
  package var faint: Mark = { $0 }
  /// For the most important words.
  package var strong: Mark = { $0 }

  package init() {}
}
