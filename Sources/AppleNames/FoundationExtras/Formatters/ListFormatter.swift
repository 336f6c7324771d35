import Foundation

/// A formatter that joins items with commas and with the word for "and", such as "a, b, and c".
public final class ListFormatter: Formatter, @unchecked Sendable {
  // The class is Sendable, like Apple's formatters: threads may share a formatter that no code
  // changes any more.

  /// The locale whose language is used.
  ///
  /// The default is the locale of the process.
  public var locale = Locale.autoupdatingCurrent
  /// The formatter that writes each item; nil to use the items' descriptions.
  public var itemFormatter: Formatter?

  /// Joins texts in the language of the process; without texts, the result is empty.
  public static func localizedString(byJoining strings: [String]) -> String {
    strings.formatted(.list(type: .and))
  }

  /// Joins items; an item that the item formatter does not accept is written as its description.
  public func string(from items: [Any]) -> String? {
    items.map(text).formatted(.list(type: .and).locale(locale))
  }

  /// Joins the items of an array; returns nil for any other object.
  public override func string(for obj: Any?) -> String? {
    (obj as? [Any]).flatMap(string(from:))
  }

  private func text(of item: Any) -> String {
    itemFormatter?.string(for: item) ?? String(describing: item)
  }
}
