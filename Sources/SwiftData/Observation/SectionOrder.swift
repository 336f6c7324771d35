/// How results are divided into sections.
struct SectionOrder<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  let title: (Element) -> SectionTitle
  /// By the title as people sort texts, and then so that only equal titles are equal, which keeps
  /// sections whole.
  ///
  /// In an array, because optimized code that copies a stored `SortDescriptor` needs a symbol that
  /// Foundation does not export.
  private let orders: [SortDescriptor<Element>]

  /// An order that keeps the elements of a section together: by the title, and then as given.
  ///
  /// A given order that begins with the property of the title keeps that beginning.
  func sorting(_ given: [SortDescriptor<Element>]) -> [SortDescriptor<Element>] {
    guard let first = given.first, let path = first.keyPath,
      path == keyPath || LocalizedKeyPaths.origin(of: path)?.path.keyPath == keyPath
    else { return orders + given }
    let rest = given.dropFirst()
    let exact = orders.suffix(1)
    return [first] + (rest.prefix(1) == exact ? [] : exact) + rest
  }
}

extension SectionOrder where SectionTitle == String {
  init<Title: _SectionText>(_ keyPath: KeyPath<Element, Title>) {
    self.keyPath = keyPath
    title = { $0[keyPath: keyPath]._title }
    // Key paths of properties hold nothing but the property.
    let path = unsafeBitCast(keyPath, to: (any KeyPath<Element, Title> & Sendable).self)
    orders = Title._orders(by: path)
  }
}

/// A text that results are divided into sections by: `String` and `String?`.
public protocol _SectionText {
  /// The title of the section; empty where there is no text.
  var _title: String { get }
  /// The order of the sections: as people sort texts, then exactly.
  static func _orders<Model: PersistentModel>(
    by keyPath: any KeyPath<Model, Self> & Sendable
  ) -> [SortDescriptor<Model>]
}

extension String: _SectionText {
  /// The text.
  public var _title: String { self }
  /// As people sort texts, then exactly.
  public static func _orders<Model: PersistentModel>(
    by path: any KeyPath<Model, String> & Sendable
  ) -> [SortDescriptor<Model>] {
    [
      SortDescriptor(path, comparator: .localizedStandard),
      SortDescriptor(path, comparator: .lexical),
    ]
  }
}

extension String?: _SectionText {
  /// The text, or nothing.
  public var _title: String { self ?? "" }
  /// As people sort texts, then exactly; nil first.
  public static func _orders<Model: PersistentModel>(
    by path: any KeyPath<Model, String?> & Sendable
  ) -> [SortDescriptor<Model>] {
    [
      SortDescriptor(path, comparator: .localizedStandard),
      SortDescriptor(path, comparator: .lexical),
    ]
  }
}
