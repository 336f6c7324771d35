/// An order of strings that Foundation on Linux has no comparator for.
public struct LocalizedStringComparator: SortComparator, Sendable {
  enum Kind: Hashable, Sendable {
    case standard, localized
  }

  let kind: Kind
  /// The direction.
  public var order: SortOrder

  init(kind: Kind, order: SortOrder = .forward) {
    self.kind = kind
    self.order = order
  }

  /// Makes the same comparator for another direction.
  public init(_ base: LocalizedStringComparator, order: SortOrder = .forward) {
    self.init(kind: base.kind, order: order)
  }

  /// Compares two strings.
  public func compare(_ left: String, _ right: String) -> ComparisonResult {
    let result = Self.compare(left, right, kind: kind)
    guard order == .reverse else { return result }
    return switch result {
    case .orderedAscending: .orderedDescending
    case .orderedDescending: .orderedAscending
    default: .orderedSame
    }
  }

  static func compare(_ left: String, _ right: String, kind: Kind) -> ComparisonResult {
    var left = left
    var right = right
    let order = left.withUTF8 { first in
      right.withUTF8 { second in
        kind == .standard
          ? LocalizedOrder.standard(.init(first), .init(second))
          : LocalizedOrder.localized(.init(first), .init(second))
      }
    }
    return order == 0 ? .orderedSame : order < 0 ? .orderedAscending : .orderedDescending
  }
}

extension SortComparator where Self == LocalizedStringComparator {
  /// Compares strings as a file browser does: without regard to case, digits by their value.
  public static var localizedStandard: LocalizedStringComparator { .init(kind: .standard) }

  /// Compares strings in the order of the current locale.
  public static var localized: LocalizedStringComparator { .init(kind: .localized) }
}

extension String.StandardComparator {
  /// Compares strings as a file browser does: without regard to case, digits by their value.
  public static var localizedStandard: LocalizedStringComparator { .init(kind: .standard) }

  /// Compares strings in the order of the current locale.
  public static var localized: LocalizedStringComparator { .init(kind: .localized) }
}

/// A string that is ordered as a user expects; sort descriptors compare these.
struct LocalizedText: Comparable {
  let text: String
  let kind: LocalizedStringComparator.Kind

  static func == (left: Self, right: Self) -> Bool { left.order(right) == .orderedSame }
  static func < (left: Self, right: Self) -> Bool { left.order(right) == .orderedAscending }

  private func order(_ other: Self) -> ComparisonResult {
    LocalizedStringComparator.compare(text, other.text, kind: kind)
  }
}

extension String {
  var localizedStandardText: LocalizedText { LocalizedText(text: self, kind: .standard) }
  var localizedText: LocalizedText { LocalizedText(text: self, kind: .localized) }
}

extension String? {
  fileprivate var localizedStandardText: LocalizedText? { map(\.localizedStandardText) }
  fileprivate var localizedText: LocalizedText? { map(\.localizedText) }
}

/// The key paths of strings behind those that sort descriptors were given for them.
enum LocalizedKeyPaths {
  struct Origin: Sendable {
    var path: ConstantKeyPath
    var kind: LocalizedStringComparator.Kind
  }

  // Key paths are constants of a program, so that this doesn't grow without end.
  private static let origins = Guarded<[ConstantKeyPath: Origin]>([:])

  static func origin(of keyPath: AnyKeyPath) -> Origin? {
    let path = ConstantKeyPath(keyPath)
    return origins.withLock { $0[path] }
  }

  fileprivate static func extend<Root, Middle, Result>(
    _ keyPath: KeyPath<Root, Middle>,
    by further: KeyPath<Middle, Result>,
    kind: LocalizedStringComparator.Kind
  ) -> any KeyPath<Root, Result> & Sendable {
    let extended = keyPath.appending(path: further)
    let path = ConstantKeyPath(extended)
    let origin = Origin(path: ConstantKeyPath(keyPath), kind: kind)
    origins.withLock { $0[path] = origin }
    // A key path made of two constants; `Sendable` has no witnesses, so that the two types have
    // the same form.
    return unsafeBitCast(extended, to: (any KeyPath<Root, Result> & Sendable).self)
  }
}

extension SortDescriptor {
  /// Orders by a string as a user expects it: without regard to case, digits by their value.
  public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath, comparator: LocalizedStringComparator(kind: .standard), order: order)
  }

  /// Orders by a string as a user expects it, nil first.
  public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath, comparator: LocalizedStringComparator(kind: .standard), order: order)
  }

  /// Orders by a string with a comparator of the current locale, in its order if no other is given.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable,
    comparator: LocalizedStringComparator,
    order: SortOrder? = nil
  ) {
    let further: KeyPath<String, LocalizedText> =
      comparator.kind == .standard ? \.localizedStandardText : \.localizedText
    let path = LocalizedKeyPaths.extend(keyPath, by: further, kind: comparator.kind)
    self.init(path, order: order ?? comparator.order)
  }

  /// Orders by a string with a comparator of the current locale, in its order if no other is given;
  /// nil first.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable,
    comparator: LocalizedStringComparator,
    order: SortOrder? = nil
  ) {
    let further: KeyPath<String?, LocalizedText?> =
      comparator.kind == .standard ? \.localizedStandardText : \.localizedText
    let path = LocalizedKeyPaths.extend(keyPath, by: further, kind: comparator.kind)
    self.init(path, order: order ?? comparator.order)
  }
}
