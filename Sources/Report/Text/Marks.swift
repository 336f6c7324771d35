/// What sets words off in a text, as far as its reader can show it.
///
/// A room that writes texts knows no terminal: whoever calls it says how a word is made green.
package struct Marks: Sendable {
  /// For what came.
  package var added: @Sendable (String) -> String
  /// For what went.
  package var removed: @Sendable (String) -> String
  /// For what changed.
  package var changed: @Sendable (String) -> String
  /// For what matters less.
  package var faint: @Sendable (String) -> String
  /// For what is looked for first.
  package var strong: @Sendable (String) -> String

  /// Makes marks; what is not said is left as it is.
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
