struct SectionOrder<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  let title: (Element) -> SectionTitle
  /// By the title in localized order, and then exactly, so that sections are contiguous.
  ///
  /// An array, because optimized code that copies a stored `SortDescriptor` needs a symbol that
  /// Foundation does not export.
  private let orders: [SortDescriptor<Element>]

  /// An order that keeps sections contiguous: by the title, and then as given.
  ///
  /// If the given order begins with the title's property, it stays as it is.
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
    // Key paths of properties contain only the property.
    let path = unsafeBitCast(keyPath, to: (any KeyPath<Element, Title> & Sendable).self)
    orders = Title._orders(by: path)
  }
}

/// A type of section titles: `String` and `String?`.
public protocol _SectionText {
  /// The title of the section; empty for nil.
  var _title: String { get }
  /// The order of the sections: localized, then exact.
  static func _orders<Model: PersistentModel>(
    by keyPath: any KeyPath<Model, Self> & Sendable
  ) -> [SortDescriptor<Model>]
}

extension String: _SectionText {
  /// The text.
  public var _title: String { self }
  /// Localized, then exact.
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
  /// The text; empty for nil.
  public var _title: String { self ?? "" }
  /// Localized, then exact; nil first.
  public static func _orders<Model: PersistentModel>(
    by path: any KeyPath<Model, String?> & Sendable
  ) -> [SortDescriptor<Model>] {
    [
      SortDescriptor(path, comparator: .localizedStandard),
      SortDescriptor(path, comparator: .lexical),
    ]
  }
}
