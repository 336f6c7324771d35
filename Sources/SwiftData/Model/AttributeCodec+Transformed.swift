import Store

/// A class that turns values into others and back, found by its name.
///
/// Linux has none; this one has what `.transformable(by:)` needs of Apple's.
open class ValueTransformer {
  private static let registered = Guarded<[String: @Sendable () -> ValueTransformer]>([:])

  /// Makes a transformer.
  public required init() {}

  /// The class of the transformed values.
  open class func transformedValueClass() -> AnyClass { NSData.self }
  /// True if values can be turned back.
  open class func allowsReverseTransformation() -> Bool { true }
  /// Turns a value into its transformed form.
  open func transformedValue(_ value: Any?) -> Any? { value }
  /// Turns a transformed form back into the value.
  open func reverseTransformedValue(_ value: Any?) -> Any? { value }

  /// Makes a transformer known by a name.
  public static func setValueTransformer(
    _ transformer: ValueTransformer?,
    forName name: NSValueTransformerName
  ) {
    guard let transformer else {
      registered.withLock { $0[name.rawValue] = nil }
      return
    }
    let type = Swift.type(of: transformer)
    registered.withLock { $0[name.rawValue] = { type.init() } }
  }

  static func named(_ name: String) -> ValueTransformer? {
    registered.withLock { $0[name] }?()
  }

  static func register(_ type: ValueTransformer.Type) -> String {
    let name = String(describing: type)
    registered.withLock { $0[name] = { type.init() } }
    return name
  }
}

/// The name of a transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The text of the name.
  public let rawValue: String
  /// Makes a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Makes a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension AttributeCodec {
  /// The codec of a property whose values a transformer turns into bytes.
  static func transformed(_ type: Any.Type, by name: String) -> AttributeCodec {
    let optional = type as? any OptionalType.Type
    return AttributeCodec(
      type: .transformed,
      isOptional: optional != nil,
      encode: { value in
        guard let wrapped = unwrapped(value) else { return .null }
        guard let transformer = ValueTransformer.named(name) else {
          throw SwiftDataError(.unsupportedType, unknownTransformer(name))
        }
        switch transformer.transformedValue(wrapped) {
        case let data as Data: return .blob(data)
        case let data as NSData: return .blob(Data(referencing: data))
        case let other: throw ValueMismatch(value: other as Any, expected: Data.self)
        }
      },
      decode: { stored in
        if case .null = stored, let optional { return optional.nothing }
        guard case .blob(let data) = stored else {
          throw ValueMismatch(value: stored, expected: Data.self)
        }
        guard let transformer = ValueTransformer.named(name) else {
          throw SwiftDataError(.unsupportedType, unknownTransformer(name))
        }
        guard let value = transformer.reverseTransformedValue(data) else {
          throw ValueMismatch(value: stored, expected: type)
        }
        return value
      }
    )
  }
}

private func unknownTransformer(_ name: String) -> String {
  "No value transformer is registered by the name \(name). Register it with "
    + "ValueTransformer.setValueTransformer(_:forName:) before the container is made."
}
