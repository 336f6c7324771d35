// Foundation on Linux has the type `String.StandardComparator`, but only its member `lexical`. The
// other members have the same parts as on Apple's systems.

extension String.StandardComparator {
  // Without the attribute, `.localizedStandard` would be ambiguous in functions that also have an
  // overload for `LocalizedStringComparator`.

  /// Compares strings as a file browser does: ignores case, and compares digits as numbers.
  @_disfavoredOverload
  public static var localizedStandard: String.StandardComparator {
    Self(options: [.numeric, .caseInsensitive, .widthInsensitive, .forcedOrdering])
  }

  /// Compares strings in the order of the current locale; accents and case matter.
  @_disfavoredOverload
  public static var localized: String.StandardComparator { Self(options: []) }

  /// The stored parts of Foundation's type, which has no initializer for them.
  private struct Parts {
    var options: String.CompareOptions
    var isLocalized = true
    var order = SortOrder.forward
  }

  private init(options: String.CompareOptions) {
    self = unsafeBitCast(Parts(options: options), to: Self.self)
  }
}

// Foundation's functions with this comparator ignore the locale. The compiler prefers these
// functions, because they are more specific.

extension SortDescriptor where Compared: PersistentModel {
  /// Orders by a string; the direction is that of the comparator.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable,
    comparator: String.StandardComparator
  ) {
    self.init(keyPath, comparator: comparator, order: comparator.order)
  }

  /// Orders by an optional string, nil first, in the direction of the comparator.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable,
    comparator: String.StandardComparator
  ) {
    self.init(keyPath, comparator: comparator, order: comparator.order)
  }

  /// Orders by a string with a comparator, whose own direction has no effect.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable,
    comparator: String.StandardComparator,
    order: SortOrder
  ) {
    guard let localized = LocalizedStringComparator(comparator) else {
      self = .lexical(keyPath, order: order)
      return
    }
    self.init(keyPath, comparator: localized, order: order)
  }

  /// Orders by an optional string with a comparator, whose own direction has no effect; nil comes
  /// first.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable,
    comparator: String.StandardComparator,
    order: SortOrder
  ) {
    guard let localized = LocalizedStringComparator(comparator) else {
      self = .lexical(keyPath, order: order)
      return
    }
    self.init(keyPath, comparator: localized, order: order)
  }
}

extension SortDescriptor {
  // Here the class of the objects is not known to be a model, so these are Foundation's initializers.

  fileprivate static func lexical(
    _ keyPath: any KeyPath<Compared, String> & Sendable,
    order: SortOrder
  ) -> Self {
    Self(keyPath, comparator: String.StandardComparator.lexical, order: order)
  }

  fileprivate static func lexical(
    _ keyPath: any KeyPath<Compared, String?> & Sendable,
    order: SortOrder
  ) -> Self {
    Self(keyPath, comparator: String.StandardComparator.lexical, order: order)
  }
}

extension Sequence where Element == String {
  /// The strings in the order of a comparator; unlike Foundation's function, it uses the locale.
  public func sorted(using comparator: String.StandardComparator) -> [String] {
    LocalizedStringComparator(comparator).map { sorted(using: $0) }
      ?? sorted { comparator.compare($0, $1) == .orderedAscending }
  }
}
