import Store

extension AttributeCodec {
  static func transformed(_ type: Any.Type, by name: String) -> AttributeCodec {
    let optional = type as? any OptionalType.Type
    return AttributeCodec(
      type: .transformed,
      isOptional: optional != nil,
      encode: { value in
        guard let wrapped = unwrapped(value) else { return .null }
        guard let transformer = ValueTransformer.named(name) else {
          throw SwiftDataError(.noTransformer(name))
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
          throw SwiftDataError(.noTransformer(name))
        }
        guard let value = transformer.reverseTransformedValue(data) else {
          throw ValueMismatch(value: stored, expected: type)
        }
        return value
      }
    )
  }
}
