import SwiftSyntax
import SwiftSyntaxBuilder

/// Values that a fix-it may offer for a type that it knows by name.
enum DefaultValues {
  static func obvious(for type: TypeSyntax) -> ExprSyntax? {
    if type.is(ArrayTypeSyntax.self) { return "[]" }
    if type.is(DictionaryTypeSyntax.self) { return "[:]" }
    guard let name = simpleName(of: type) else { return nil }
    switch name {
    case "Bool": return "false"
    case "String": return #""""#
    case "Array", "Set": return "[]"
    case "Date", "UUID", "Data": return "\(raw: name)()"
    case _ where numbers.contains(name): return "0"
    default: return nil
    }
  }

  /// Types of the standard library and of Foundation that are no model classes.
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
