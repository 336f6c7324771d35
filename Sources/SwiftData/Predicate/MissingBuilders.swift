// Foundation on Linux lacks the nodes that `#Predicate` writes for these functions of strings.

extension PredicateExpressions {
  /// A node that looks for a string as a user would, whatever case and accents.
  public struct StringLocalizedStandardContains<
    Root: PredicateExpression,
    Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// A truth value.
    public typealias Output = Bool

    /// The string that is searched.
    public let root: Root
    /// The string that is looked for.
    public let other: Other

    /// Makes a node.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Looks for the one string in the other.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let root = try self.root.evaluate(bindings)
      return String(root).localizedStandardContains(String(try other.evaluate(bindings)))
    }
  }

  /// A node that compares two strings without regard to case.
  public struct StringCaseInsensitiveCompare<
    Root: PredicateExpression,
    Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the two.
    public typealias Output = ComparisonResult

    /// The first string.
    public let root: Root
    /// The second string.
    public let other: Other

    /// Makes a node.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Compares the strings.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let root = try self.root.evaluate(bindings)
      return String(root).caseInsensitiveCompare(String(try other.evaluate(bindings)))
    }
  }

  /// A node that compares two strings in the order of the current locale.
  public struct StringLocalizedCompare<
    Root: PredicateExpression,
    Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the two.
    public typealias Output = ComparisonResult

    /// The first string.
    public let root: Root
    /// The second string.
    public let other: Other

    /// Makes a node.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Compares the strings.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let root = try self.root.evaluate(bindings)
      return String(root).localizedCompare(String(try other.evaluate(bindings)))
    }
  }

  /// Makes the node of `localizedStandardContains(_:)`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }

  /// Makes the node of `caseInsensitiveCompare(_:)`.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }

  /// Makes the node of `localizedCompare(_:)`.
  public static func build_localizedCompare<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringLocalizedCompare<Root, Other> {
    StringLocalizedCompare(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedStandardContains: Codable
where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable
where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedCompare: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedCompare: Codable
where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
