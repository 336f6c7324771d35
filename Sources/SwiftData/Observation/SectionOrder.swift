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
  init(_ keyPath: KeyPath<Element, String>) {
    self.keyPath = keyPath
    title = { $0[keyPath: keyPath] }
    // Key paths of properties hold nothing but the property.
    let path = unsafeBitCast(keyPath, to: (any KeyPath<Element, String> & Sendable).self)
    orders = [
      SortDescriptor(path, comparator: .localizedStandard),
      SortDescriptor(path, comparator: .lexical),
    ]
  }

  /// The title of elements whose property is nil is empty.
  init(_ keyPath: KeyPath<Element, String?>) {
    self.keyPath = keyPath
    title = { $0[keyPath: keyPath] ?? "" }
    let path = unsafeBitCast(keyPath, to: (any KeyPath<Element, String?> & Sendable).self)
    orders = [
      SortDescriptor(path, comparator: .localizedStandard),
      SortDescriptor(path, comparator: .lexical),
    ]
  }
}
