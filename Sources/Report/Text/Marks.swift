import Format

/// Marks words in a text; the caller decides how its terminal shows the marks and the quotes.
package struct Marks: Sendable {
  package typealias Mark = @Sendable (String) -> String

  package var added: Mark = { $0 }
  package var removed: Mark = { $0 }
  package var changed: Mark = { $0 }
  /// Marks less important words.
  package var faint: Mark = { $0 }
  /// Marks the most important words.
  package var strong: Mark = { $0 }

  /// The quotes around a name.
  package var quotes = (open: "“", close: "”")
  /// The sign after a text that is shortened.
  package var ellipsis = "…"

  package init() {}

  func quoted(_ name: String) -> String { quotes.open + visible(name) + quotes.close }
}
