import FoundationEssentials

extension EntityLayout.Column {
  /// The value of an erased property in a replica's row, until history has another value.
  ///
  /// The placeholder for an optional property is null. Any other placeholder has the type of the
  /// property. If the type has enough values, each object has a different placeholder, because the
  /// property may have to be unique.
  package func placeholder(for object: Int64) -> Value {
    guard !isOptional else { return .null }
    // The id of an object is never zero, so the reference does not refer to an object.
    guard let type else { return .integer(0) }
    switch type {
    case .bool: return .integer(0)
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
      let range = type.integers ?? 0...0
      // A log may contain any id, even the minimum integer, which can't be negated. So the
      // subtraction must be allowed to overflow.
      let negative = 0 &- object
      return .integer(range.contains(negative) ? negative : range.contains(object) ? object : 0)
    case .float16, .float, .double, .date: return .real(Double(object))
    case .decimal: return .text(String(object))
    case .string: return .text("erased \(object)")
    case .url: return .text("erased:\(object)")
    case .json: return .text("null")
    case .uuid:
      let digits = String(UInt64(bitPattern: object), radix: 16, uppercase: true)
      let all = String(repeating: "0", count: 32 - digits.count) + digits
      let ends = [8, 12, 16, 20, 32]
      let parts = zip([0] + ends, ends).map { all.dropFirst($0).prefix($1 - $0) }
      return .text(parts.joined(separator: "-"))
    case .data, .transformed: return .blob(Data("erased \(object)".utf8))
    case .any: return .null
    }
  }
}
