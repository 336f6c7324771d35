/// A comparator of strings that Foundation does not provide on Linux.
///
/// ```swift
/// let order = SortDescriptor(\Trip.name, comparator: LocalizedStringComparator.localized)
/// ```
public struct LocalizedStringComparator: SortComparator, Sendable {
  enum Kind: Hashable, Sendable {
    case standard, localized
  }

  let kind: Kind
  /// The direction; forward by default.
  public var order: SortOrder

  init(kind: Kind, order: SortOrder = .forward) {
    self.kind = kind
    self.order = order
  }

  /// The same comparison as a standard comparator; nil for `lexical`.
  init?(_ standard: String.StandardComparator) {
    switch String.StandardComparator(standard) {
    case .localizedStandard: self.init(kind: .standard, order: standard.order)
    case .localized: self.init(kind: .localized, order: standard.order)
    default: return nil
    }
  }

  /// Creates a comparator of the same kind with a direction; forward by default.
  public init(_ base: LocalizedStringComparator, order: SortOrder = .forward) {
    self.init(kind: base.kind, order: order)
  }

  /// Compares two strings; strings that compare as the same may differ, for example in case.
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
  /// Compares strings as a file browser does: ignores case, and compares digits as numbers.
  public static var localizedStandard: LocalizedStringComparator { .init(kind: .standard) }

  /// Compares strings in the order of the current locale; accents and case matter.
  public static var localized: LocalizedStringComparator { .init(kind: .localized) }
}

/// A string that is ordered as users expect; used in sort descriptors.
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

/// Finds the original key path of a string for a key path that was extended for sorting.
enum LocalizedKeyPaths {
  struct Origin: Sendable {
    var path: ConstantKeyPath
    var kind: LocalizedStringComparator.Kind
  }

  // The number of entries is limited, because key paths are constants of a program.
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
    // Both key paths are constants, so the result is Sendable. `Sendable` has no witnesses, so both
    // types have the same layout.
    return unsafeBitCast(extended, to: (any KeyPath<Root, Result> & Sendable).self)
  }
}

extension SortDescriptor {
  /// Orders by a string as users expect: ignores case, and compares digits as numbers.
  public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath, comparator: LocalizedStringComparator(kind: .standard), order: order)
  }

  /// Orders by an optional string as users expect; nil comes first.
  public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward) {
    self.init(keyPath, comparator: LocalizedStringComparator(kind: .standard), order: order)
  }

  /// Orders by a string with a comparator; if `order` is nil, in the direction of the comparator.
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

  /// Orders by an optional string with a comparator, nil first; if `order` is nil, in the direction
  /// of the comparator.
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
