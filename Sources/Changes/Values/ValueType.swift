/// The declared type of an attribute, which alone decides how its values are stored and logged.
public enum ValueType: String, Codable, Hashable, Sendable, CaseIterable {
  case bool
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
  case float16, float, double
  case decimal
  case string
  case date
  case data
  case uuid
  case url
  /// A `Codable` value that is none of the above, as canonical JSON text.
  case json
  /// A value turned into bytes by a transformer that the model names.
  case transformed
}
