import SwiftSyntax
import SwiftSyntaxBuilder

/// The default values that fix-its offer; they exist for types that are recognized by their name.
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
