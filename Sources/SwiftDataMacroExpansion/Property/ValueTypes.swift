/// The types of values that are recognized by their names.
enum ValueTypes {
  /// Whether the name belongs to a type of the standard library or Foundation that is not a model.
  static func isValue(_ name: String) -> Bool {
    numbers.contains(name) || values.contains(name)
  }

  private static let numbers: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "Float", "Float16", "Float32", "Float64", "Double", "Decimal", "TimeInterval",
  ]

  private static let values: Set<String> = [
    "Bool", "String", "Character", "Date", "UUID", "Data", "URL",
  ]
}
