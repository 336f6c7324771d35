struct SectionOrder<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  let title: (Element) -> SectionTitle
  /// The order of the sections: by the title in localized order, then in exact order, so that each
  /// section is contiguous.
  ///
  /// The sort descriptor is in an array, because optimized code that copies a single stored
  /// `SortDescriptor` needs a symbol that Foundation does not export.
  private let orders: [SortDescriptor<Element>]

  /// An order in which each section is contiguous: first by the title, then by the given order.
  ///
  /// If the given order already begins with the property of the titles, only the exact order of the
  /// titles is added after that property.
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
    // The key path of a model's property captures nothing, so it is Sendable.
    let path = unsafeBitCast(keyPath, to: (any KeyPath<Element, Title> & Sendable).self)
    orders = Title._orders(by: path)
  }
}

/// A type that a section title may have: `String` or `String?`.
public protocol _SectionText {
  /// The title of the section; an empty text for nil.
  var _title: String { get }
  /// The order of the sections: first in localized order, then in exact order.
  static func _orders<Model: PersistentModel>(
    by keyPath: any KeyPath<Model, Self> & Sendable
  ) -> [SortDescriptor<Model>]
}

extension String: _SectionText {
  /// The title, which is the text itself.
  public var _title: String { self }
  /// The order of the sections: first in localized order, then in exact order.
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
  /// The title; an empty text for nil.
  public var _title: String { self ?? "" }
  /// The order of the sections: nil first, then in localized order, then in exact order.
  public static func _orders<Model: PersistentModel>(
    by path: any KeyPath<Model, String?> & Sendable
  ) -> [SortDescriptor<Model>] {
    [
      SortDescriptor(path, comparator: .localizedStandard),
      SortDescriptor(path, comparator: .lexical),
    ]
  }
}
