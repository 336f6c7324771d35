/// The declared type of an attribute, which determines how its values are stored and logged.
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
  /// A value of any other `Codable` type, as canonical JSON text.
  case json
  /// A value that is converted to bytes by the transformer that the model names.
  case transformed
  /// A value of any storage class, in a column of an adopted table. The value is written after its
  /// storage class, for example `integer:7`.
  case any

  /// The types that attributes of models can have.
  package static let declared = allCases.filter { $0 != .any }
}
