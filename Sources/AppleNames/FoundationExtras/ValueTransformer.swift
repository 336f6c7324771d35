import Foundation

/// A class that converts values into other values and back, and that is found by its name.
///
/// Foundation on Linux does not have this class. This class has the part that `.transformable(by:)`
/// needs.
open class ValueTransformer {
  private static let lock = NSLock()
  // The dictionary is only read and written while `lock` is held.
  nonisolated(unsafe) private static var registered: [String: ValueTransformer.Type] = [:]

  /// Creates a transformer.
  ///
  /// SwiftData creates transformers itself, so a transformer must not keep state.
  public required init() {}

  /// The class of the transformed values; `NSData` unless a subclass overrides the function.
  open class func transformedValueClass() -> AnyClass { NSData.self }
  /// Whether values can be converted back; true unless a subclass overrides the function.
  open class func allowsReverseTransformation() -> Bool { true }
  /// Converts a value into its transformed form.
  ///
  /// Unless a subclass overrides the function, the value is returned unchanged.
  open func transformedValue(_ value: Any?) -> Any? { value }
  /// Converts a transformed form back into the value.
  ///
  /// Unless a subclass overrides the function, the value is returned unchanged.
  open func reverseTransformedValue(_ value: Any?) -> Any? { value }

  /// Registers the class of a transformer under a name; nil removes the name.
  public static func setValueTransformer(
    _ transformer: ValueTransformer?,
    forName name: NSValueTransformerName
  ) {
    lock.withLock { registered[name.rawValue] = transformer.map { type(of: $0) } }
  }

  /// A new transformer of the class that is registered under the name.
  package static func named(_ name: String) -> ValueTransformer? {
    lock.withLock { registered[name] }?.init()
  }

  /// Registers the class under its own name, and returns that name.
  package static func register(_ type: ValueTransformer.Type) -> String {
    let name = String(describing: type)
    lock.withLock { registered[name] = type }
    return name
  }
}

/// The name of a transformer, such as `NSValueTransformerName("ColorTransformer")`.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The text of the name, such as "ColorTransformer".
  public let rawValue: String
  /// Creates a name.
  ///
  /// A transformer with the name need not exist.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a name without a label; the same as ``init(rawValue:)``.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}
