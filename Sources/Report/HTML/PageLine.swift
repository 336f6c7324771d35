import Audit
import Changes

/// A transaction as a line of the page's data: its facts as a JSON list, a tab, and its changes as a
/// JSON list.
///
/// The script parses the facts of all lines. It parses the changes of a line only when it shows
/// them.
enum PageLine {
  /// The maximum number of changes of one transaction in the page.
  static let changeLimit = 5000
  /// The maximum length of a value in the page.
  private static let valueLimit = 8192

  static func facts(_ summary: TransactionSummary, history: Int) -> [UInt8] {
    let transaction = summary.transaction
    let program = [transaction.process, transaction.host].filter { !$0.isEmpty }
    var line = Array("[\(history),".utf8)
    append(number: String(transaction.id), to: &line)
    append(",", text: transaction.time, to: &line)
    append(",", text: transaction.author, to: &line)
    append(",", text: transaction.operation.rawValue, to: &line)
    append(",", text: transaction.state.rawValue, to: &line)
    append(",", text: program.joined(separator: " on "), to: &line)
    line += Array(",[".utf8)
    for (index, entity) in summary.entities.enumerated() {
      append(index == 0 ? "[" : ",[", text: entity.entity, to: &line)
      let counts = entity.counts
      line += Array(",\(counts.inserted),\(counts.updated),\(counts.deleted)]".utf8)
    }
    line.append(UInt8(ascii: "]"))
    if transaction.reason != nil || transaction.request != nil {
      append(",", text: transaction.reason, to: &line)
      append(",", text: transaction.request, to: &line)
    }
    return line + Array("]\t[".utf8)
  }

  static func change(_ difference: ObjectDifference, isFirst: Bool) -> [UInt8] {
    let kind =
      switch difference.kind {
      case .insert: 0
      case .update: 1
      case .delete: 2
      }
    var line = Array("\(isFirst ? "" : ",")[\(kind)".utf8)
    append(",", text: difference.entity, to: &line)
    append(",", text: difference.id.description, to: &line)
    append(",", text: difference.label, to: &line)
    for property in difference.properties {
      append(",", text: property.name, to: &line)
      if difference.kind != .insert { append(property.before, to: &line) }
      if difference.kind != .delete { append(property.after, to: &line) }
    }
    line.append(UInt8(ascii: "]"))
    return line
  }

  static let end = Array("]\n".utf8)

  private static func append(_ separator: String, text: String?, to line: inout [UInt8]) {
    line += Array(separator.utf8)
    guard let text else { return line += Array("null".utf8) }
    appendJSONString(text.utf8.count <= 300 ? text : shortened(text, limit: 100), to: &line)
  }

  /// A number that JavaScript can represent, or its digits as a text.
  private static func append(number: String, to line: inout [UInt8]) {
    let isExact = number.utf8.count <= 15
    line += Array((isExact ? number : "\"\(number)\"").utf8)
  }

  /// Appends a value as JSON.
  ///
  /// A value that JSON can't represent becomes an object with the key `!`.
  private static func append(_ value: PropertyValue?, to line: inout [UInt8]) {
    line.append(UInt8(ascii: ","))
    guard var value else { return line += Array(#"{"!":"none"}"#.utf8) }
    // JSON has no infinite numbers, so an infinite number is written as a text.
    if value.isSpelled, let plain = value.text.flatMap(plainText), !plain.hasSuffix("inf") {
      value.json = Array(plain.utf8)
    }
    if value.isErased { return line += Array(#"{"!":"erased"}"#.utf8) }
    if value.large != nil || value.special != nil {
      line += Array(#"{"!":"special","text":"#.utf8)
      appendJSONString(text(of: value), to: &line)
      return line.append(UInt8(ascii: "}"))
    }
    if value.json.count > valueLimit {
      let start = value.text ?? String(decoding: value.json, as: UTF8.self)
      line += Array(#"{"!":"cut","text":"#.utf8)
      appendJSONString(String(start.prefix(valueLimit / 4)), to: &line)
      return line += Array(",\"size\":\(value.json.count)}".utf8)
    }
    let isLongNumber =
      value.json.count > 15 && value.json.allSatisfy { $0 == 0x2d || (0x30...0x39).contains($0) }
    guard isLongNumber else { return line += value.json }
    line += Array(#"{"!":"number","text":""#.utf8) + value.json + Array(#""}"#.utf8)
  }
}
