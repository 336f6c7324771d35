// Nodes for functions of strings in `#Predicate`, which Foundation on Linux does not have.

extension PredicateExpressions {
  /// A node that applies a function to two strings.
  public struct _StringFunctionNode<
    Function: _StringFunction,
    Root: PredicateExpression,
    Other: PredicateExpression
  >: PredicateExpression where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The string that the function is called on.
    public let root: Root
    /// The argument of the function.
    public let other: Other

    /// Creates a node for two strings.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Applies the function to the values of both strings.
    public func evaluate(_ bindings: PredicateBindings) throws -> Function.Output {
      let root = String(try root.evaluate(bindings))
      return Function._apply(root, String(try other.evaluate(bindings)))
    }
  }

  /// The node of `localizedStandardContains(_:)`, which ignores case and accents.
  ///
  /// ```swift
  /// let fjords = #Predicate<Trip> { $0.name.localizedStandardContains("fjord") }
  /// ```
  public typealias StringLocalizedStandardContains<
    Root: PredicateExpression,
    Other: PredicateExpression
  > = _StringFunctionNode<_LocalizedStandardContains, Root, Other>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// The node of `caseInsensitiveCompare(_:)`, which ignores case but not accents.
  public typealias StringCaseInsensitiveCompare<
    Root: PredicateExpression,
    Other: PredicateExpression
  > = _StringFunctionNode<_CaseInsensitiveCompare, Root, Other>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// The node of `localizedCompare(_:)`, in the order of the current locale; SQL can evaluate it
  /// too.
  public typealias StringLocalizedCompare<
    Root: PredicateExpression,
    Other: PredicateExpression
  > = _StringFunctionNode<_LocalizedCompare, Root, Other>
  where Root.Output: StringProtocol, Other.Output: StringProtocol

  /// Creates the node of `localizedStandardContains(_:)`; only macros use it.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    _StringFunctionNode(root: root, other: other)
  }

  /// Creates the node of `caseInsensitiveCompare(_:)`; only macros use it.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    _StringFunctionNode(root: root, other: other)
  }

  /// Creates the node of `localizedCompare(_:)`; only macros use it.
  public static func build_localizedCompare<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringLocalizedCompare<Root, Other> {
    _StringFunctionNode(root: root, other: other)
  }
}

extension PredicateExpressions._StringFunctionNode: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions._StringFunctionNode: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions._StringFunctionNode: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

/// A function of two strings in predicates.
public protocol _StringFunction {
  /// The type of the function's result.
  associatedtype Output
  /// Calls the function with the string and its argument.
  static func _apply(_ root: String, _ other: String) -> Output
}

/// Searches for a string, ignoring case and accents.
public enum _LocalizedStandardContains: _StringFunction {
  /// Whether the first string contains the second one.
  public static func _apply(_ root: String, _ other: String) -> Bool {
    root.localizedStandardContains(other)
  }
}

/// Compares two strings, ignoring case.
public enum _CaseInsensitiveCompare: _StringFunction {
  /// The order of the two strings.
  public static func _apply(_ root: String, _ other: String) -> ComparisonResult {
    root.caseInsensitiveCompare(other)
  }
}

/// Compares two strings in the order of the current locale.
public enum _LocalizedCompare: _StringFunction {
  /// The order of the two strings.
  public static func _apply(_ root: String, _ other: String) -> ComparisonResult {
    root.localizedCompare(other)
  }
}
