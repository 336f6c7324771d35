/// Marks words in a text; the caller knows how its terminal does that.
package struct Marks: Sendable {
  package var added: @Sendable (String) -> String
  package var removed: @Sendable (String) -> String
  package var changed: @Sendable (String) -> String
  /// For less important words.
  package var faint: @Sendable (String) -> String
  /// For the most important words.
  package var strong: @Sendable (String) -> String

  /// A mark that is not given leaves its words unchanged.
  package init(
    added: @escaping @Sendable (String) -> String = { $0 },
    removed: @escaping @Sendable (String) -> String = { $0 },
    changed: @escaping @Sendable (String) -> String = { $0 },
    faint: @escaping @Sendable (String) -> String = { $0 },
    strong: @escaping @Sendable (String) -> String = { $0 }
  ) {
    self.added = added
    self.removed = removed
    self.changed = changed
    self.faint = faint
    self.strong = strong
  }
}
