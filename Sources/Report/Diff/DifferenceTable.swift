import Audit

/// Differences as a table in the format of RFC 4180, with a row for each property.
package enum DifferenceTable {
  package static let heading =
    "op,entity,id,name,property,before,after,before_special,after_special\r\n"

  /// The rows for a difference.
  ///
  /// Values are canonical JSON, which distinguishes null from an empty text.
  package static func rows(of difference: ObjectDifference) -> String {
    let start = [
      difference.kind.rawValue, difference.entity, difference.id.description,
      difference.label ?? "",
    ]
    let properties =
      difference.properties.isEmpty
      ? [PropertyDifference(name: "", before: nil, after: nil)] : difference.properties
    return properties.map { property in
      let cells =
        start + [
          property.name, text(property.before), text(property.after), special(property.before),
          special(property.after),
        ]
      return cells.map(cell).joined(separator: ",") + "\r\n"
    }
    .joined()
  }

  private static func text(_ value: PropertyValue?) -> String {
    value.map { String(decoding: $0.large ?? $0.json, as: UTF8.self) } ?? ""
  }

  private static func special(_ value: PropertyValue?) -> String {
    value.map { $0.special ?? ($0.large == nil ? "" : "large") } ?? ""
  }

  private static func cell(_ text: String) -> String {
    let needsQuotes = text.utf8.contains { [0x22, 0x2c, 0x0a, 0x0d].contains($0) }
    guard needsQuotes else { return text }
    let inner = text.split(separator: "\"", omittingEmptySubsequences: false)
    return "\"" + inner.joined(separator: "\"\"") + "\""
  }
}
