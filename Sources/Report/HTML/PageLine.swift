import Audit
import Format

/// A transaction as a line of the page's data: its facts as a JSON list, a tab, and its changes as a
/// JSON list.
///
/// The script parses the facts of all lines. It parses the changes of a line only when it shows
/// them.
enum PageLine {
  /// The maximum number of changes of one transaction in the page.
  static let changeLimit = 5000
  /// The size after which a line gets no more changes, so that the script parses a line quickly.
  static let sizeLimit = 1 << 20
  /// The maximum length of a value in the page.
  private static let valueLimit = 8192

  /// Returns the facts of a transaction and the beginning of the list of its changes.
  ///
  /// `written` is the number of changes that the line has.
  static func facts(_ summary: TransactionSummary, history: Int, written: Int) -> [UInt8] {
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
    line += Array("],\(written)".utf8)
    if transaction.reason != nil || transaction.request != nil {
      append(",", text: transaction.reason, to: &line)
      append(",", text: transaction.request, to: &line)
    }
    return line + Array("]\t[".utf8)
  }

  static func change(_ difference: ObjectDifference, isFirst: Bool) -> [UInt8] {
    var line = opening(difference.kind, isFirst: isFirst)
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

  /// Writes a change of a history.
  ///
  /// A change without notes is copied from the bytes of its line, because creating an
  /// ``ObjectDifference`` would take most of the time of a report.
  static func change(_ change: Change, vocabulary: Vocabulary, isFirst: Bool) -> [UInt8] {
    guard change.special.isEmpty, change.large.isEmpty,
      change.entity.count <= 300,
      let line = copied(change, vocabulary: vocabulary, isFirst: isFirst)
    else {
      return Self.change(ObjectDifference(change, vocabulary: vocabulary), isFirst: isFirst)
    }
    return line
  }

  static let end = Array("]\n".utf8)

  private static func opening(_ kind: ChangeKind, isFirst: Bool) -> [UInt8] {
    let number =
      switch kind {
      case .insert: 0
      case .update: 1
      case .delete: 2
      }
    return Array("\(isFirst ? "" : ",")[\(number)".utf8)
  }

  /// A change whose values need no notes; nil if the two sides of an update have different keys.
  private static func copied(
    _ change: Change,
    vocabulary: Vocabulary,
    isFirst: Bool
  ) -> [UInt8]? {
    var line = opening(change.kind, isFirst: isFirst)
    line.reserveCapacity(64 + change.before.count + change.after.count)
    line += Array(",".utf8)
    appendJSONString(change.entity, to: &line)
    append(",", text: change.id.description, to: &line)
    let label = vocabulary.labelKey(of: change.entity).flatMap { key in
      memberValue(of: key, in: change.after) ?? memberValue(of: key, in: change.before)
    }
    append(",", text: label.flatMap { vocabulary.label(in: $0) }, to: &line)
    guard change.kind == .update else {
      forEachMember(of: change.kind == .insert ? change.after : change.before) { key, value in
        append(key: key, to: &line)
        append(value, isSpelled: vocabulary.isSpelled, to: &line)
      }
      line.append(UInt8(ascii: "]"))
      return line
    }
    var before: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
    forEachMember(of: change.before) { before.append(($0, $1)) }
    var index = 0
    var isPaired = true
    forEachMember(of: change.after) { key, value in
      guard isPaired, index < before.count, isSame(before[index].key, key) else {
        isPaired = false
        return
      }
      append(key: key, to: &line)
      append(before[index].value, isSpelled: vocabulary.isSpelled, to: &line)
      append(value, isSpelled: vocabulary.isSpelled, to: &line)
      index += 1
    }
    line.append(UInt8(ascii: "]"))
    return isPaired && index == before.count ? line : nil
  }

  /// Appends the name of a property, without the entity with which a history may qualify it.
  private static func append(key: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    let name = key.dropLast()
    line.append(UInt8(ascii: ","))
    guard name.count <= 300 else {
      return append("", text: parseJSONString(UnsafeRawBufferPointer(rebasing: name)), to: &line)
    }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return line += name }
    line.append(UInt8(ascii: "\""))
    line += name[(dot + 1)...]
  }

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
    guard var value else { return line += Array(#",{"!":"none"}"#.utf8) }
    // JSON has no infinite numbers, so an infinite number is written as a text.
    if value.isSpelled, let plain = value.text.flatMap(plainText), !plain.hasSuffix("inf") {
      value.json = Array(plain.utf8)
    }
    if value.isUnknown { return line += Array(#",{"!":"unknown"}"#.utf8) }
    if value.isErased { return line += Array(#",{"!":"erased"}"#.utf8) }
    if value.large != nil || value.special != nil {
      line += Array(#",{"!":"special","text":"#.utf8)
      appendJSONString(text(of: value), to: &line)
      return line.append(UInt8(ascii: "}"))
    }
    value.json.withUnsafeBytes { append(json: $0, to: &line) }
  }

  /// Appends a value from a line of a log.
  ///
  /// Most spelled values are short texts and integers, whose bytes are in the line.
  private static func append(
    _ value: UnsafeRawBufferPointer,
    isSpelled: Bool,
    to line: inout [UInt8]
  ) {
    guard isSpelled, value.first == UInt8(ascii: "\"") else {
      return append(json: value, to: &line)
    }
    let text = value.dropFirst()
    if value.count <= valueLimit, text.starts(with: "text:".utf8) {
      line += Array(",\"".utf8)
      line += text.dropFirst("text:".utf8.count)
      return
    }
    if text.starts(with: "integer:".utf8) {
      let digits = text.dropFirst("integer:".utf8.count).dropLast()
      if digits.count <= 15, parseUnsignedInteger(UnsafeRawBufferPointer(rebasing: digits)) != nil {
        line.append(UInt8(ascii: ","))
        line += digits
        return
      }
    }
    var spelled = PropertyValue(json: Array(value))
    spelled.isSpelled = true
    append(spelled, to: &line)
  }

  private static func append(json: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    line.append(UInt8(ascii: ","))
    if json.count > valueLimit {
      let start = parseJSONString(json) ?? String(decoding: json, as: UTF8.self)
      line += Array(#"{"!":"cut","text":"#.utf8)
      appendJSONString(String(start.prefix(valueLimit / 4)), to: &line)
      return line += Array(",\"size\":\(json.count)}".utf8)
    }
    let isLongNumber =
      json.count > 15 && json.allSatisfy { $0 == 0x2d || (0x30...0x39).contains($0) }
    guard isLongNumber else { return line.append(contentsOf: json) }
    line += Array(#"{"!":"number","text":""#.utf8)
    line.append(contentsOf: json)
    line += Array(#""}"#.utf8)
  }
}
