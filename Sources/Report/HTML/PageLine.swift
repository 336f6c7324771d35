import Audit
import Format
import Glibc

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
    line += ",[".utf8
    for (index, entity) in summary.entities.enumerated() {
      append(index == 0 ? "[" : ",[", text: entity.entity, to: &line)
      let counts = entity.counts
      line += ",\(counts.inserted),\(counts.updated),\(counts.deleted)]".utf8
    }
    line += "],\(written)".utf8
    if transaction.reason != nil || transaction.request != nil {
      append(",", text: transaction.reason, to: &line)
      append(",", text: transaction.request, to: &line)
    }
    return line + Array("]\t[".utf8)
  }

  static func append(_ difference: ObjectDifference, isFirst: Bool, to line: inout [UInt8]) {
    open(difference.kind, isFirst: isFirst, in: &line)
    append(",", text: difference.entity, to: &line)
    append(",", text: difference.id.description, to: &line)
    append(",", text: difference.label, to: &line)
    for property in difference.properties {
      append(",", text: property.name, to: &line)
      if difference.kind != .insert { append(property.before, to: &line) }
      if difference.kind != .delete { append(property.after, to: &line) }
    }
    line.append(UInt8(ascii: "]"))
  }

  /// Appends a change of a history.
  ///
  /// A change without notes is copied from the bytes of its line, because creating an
  /// ``ObjectDifference`` would take most of the time of a report.
  static func append(
    _ change: Change,
    vocabulary: Vocabulary,
    isFirst: Bool,
    to line: inout [UInt8]
  ) {
    let start = line.count
    if change.special.isEmpty, change.large.isEmpty, change.entity.count <= 300,
      copy(change, vocabulary: vocabulary, isFirst: isFirst, to: &line)
    {
      return
    }
    line.removeSubrange(start...)
    append(ObjectDifference(change, vocabulary: vocabulary), isFirst: isFirst, to: &line)
  }

  static let end = Array("]\n".utf8)

  private static func open(_ kind: ChangeKind, isFirst: Bool, in line: inout [UInt8]) {
    if !isFirst { line.append(UInt8(ascii: ",")) }
    line.append(UInt8(ascii: "["))
    switch kind {
    case .insert: line.append(UInt8(ascii: "0"))
    case .update: line.append(UInt8(ascii: "1"))
    case .delete: line.append(UInt8(ascii: "2"))
    }
  }

  /// Appends a change whose values need no notes; false if the two sides of an update have different
  /// keys.
  private static func copy(
    _ change: Change,
    vocabulary: Vocabulary,
    isFirst: Bool,
    to line: inout [UInt8]
  ) -> Bool {
    open(change.kind, isFirst: isFirst, in: &line)
    line.append(UInt8(ascii: ","))
    appendJSONString(change.entity, to: &line)
    append(",", text: change.id.description, to: &line)
    let label = vocabulary.labelKey(of: change.entity).flatMap { key in
      memberValue(of: key, in: change.after) ?? memberValue(of: key, in: change.before)
    }
    append(",", text: label.flatMap { vocabulary.label(in: $0) }, to: &line)
    var before: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
    if change.kind == .update { forEachMember(of: change.before) { before.append(($0, $1)) } }
    var count = 0
    var isPaired = true
    forEachMember(of: change.kind == .delete ? change.before : change.after) { key, value in
      append(key: key, to: &line)
      if change.kind == .update {
        guard count < before.count, isSame(before[count].key, key) else { return isPaired = false }
        append(before[count].value, isSpelled: vocabulary.isSpelled, to: &line)
        count += 1
      }
      append(value, isSpelled: vocabulary.isSpelled, to: &line)
    }
    line.append(UInt8(ascii: "]"))
    return isPaired && count == before.count
  }

  /// Appends the name of a property, without the entity with which a history may qualify it.
  private static func append(key: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    let name = UnsafeRawBufferPointer(rebasing: key.dropLast())
    line.append(UInt8(ascii: ","))
    guard name.count <= 300 else {
      return append("", text: parseJSONString(name), to: &line)
    }
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else {
      return line.append(contentsOf: name)
    }
    line.append(UInt8(ascii: "\""))
    line.append(contentsOf: UnsafeRawBufferPointer(rebasing: name[(dot + 1)...]))
  }

  private static func append(_ separator: String, text: String?, to line: inout [UInt8]) {
    line += separator.utf8
    guard let text else { return line += "null".utf8 }
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
    guard var value else { return line += #",{"!":"none"}"#.utf8 }
    // JSON has no infinite numbers, so an infinite number is written as a text.
    if value.isSpelled, let plain = value.text.flatMap(plainText), !plain.hasSuffix("inf") {
      value.json = Array(plain.utf8)
    }
    if value.isUnknown { return line += #",{"!":"unknown"}"#.utf8 }
    if value.isErased { return line += #",{"!":"erased"}"#.utf8 }
    if value.large != nil || value.special != nil {
      line += #",{"!":"special","text":"#.utf8
      appendJSONString(text(of: value), to: &line)
      return line.append(UInt8(ascii: "}"))
    }
    value.json.withUnsafeBytes { append(json: $0, to: &line) }
  }

  /// Appends a value from a line of a log.
  ///
  /// Most spelled values are short texts and numbers, whose bytes are in the line.
  private static func append(
    _ value: UnsafeRawBufferPointer,
    isSpelled: Bool,
    to line: inout [UInt8]
  ) {
    guard isSpelled, value.first == UInt8(ascii: "\"") else {
      return append(json: value, to: &line)
    }
    if value.count <= valueLimit, let rest = remainder(of: value, after: "\"text:") {
      line += ",\"".utf8
      return line.append(contentsOf: rest)
    }
    if let rest = remainder(of: value, after: "\"integer:") {
      let digits = UnsafeRawBufferPointer(rebasing: rest.dropLast())
      if digits.count <= 15, parseUnsignedInteger(digits) != nil {
        line.append(UInt8(ascii: ","))
        return line.append(contentsOf: digits)
      }
    }
    if let rest = remainder(of: value, after: "\"real:") {
      let number = UnsafeRawBufferPointer(rebasing: rest.dropLast())
      if isDecimal(number) {
        line.append(UInt8(ascii: ","))
        return line.append(contentsOf: number)
      }
    }
    var spelled = PropertyValue(json: Array(value))
    spelled.isSpelled = true
    append(spelled, to: &line)
  }

  /// Whether a number has the form `-1.5`, in which JSON and spelled values have the same bytes.
  private static func isDecimal(_ number: UnsafeRawBufferPointer) -> Bool {
    let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number[...]
    guard let point = digits.firstIndex(of: UInt8(ascii: ".")), point > digits.startIndex,
      point + 1 < digits.endIndex,
      point == digits.startIndex + 1 || digits.first != UInt8(ascii: "0")
    else { return false }
    return digits.indices.allSatisfy { $0 == point || (0x30...0x39).contains(digits[$0]) }
  }

  private static func remainder(
    of value: UnsafeRawBufferPointer,
    after beginning: StaticString
  ) -> UnsafeRawBufferPointer? {
    let count = beginning.utf8CodeUnitCount
    guard value.count >= count, let bytes = value.baseAddress,
      memcmp(bytes, beginning.utf8Start, count) == 0
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: value[count...])
  }

  private static func append(json: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    line.append(UInt8(ascii: ","))
    if json.count > valueLimit {
      let start = parseJSONString(json) ?? String(decoding: json, as: UTF8.self)
      line += #"{"!":"cut","text":"#.utf8
      appendJSONString(String(start.prefix(valueLimit / 4)), to: &line)
      return line += ",\"size\":\(json.count)}".utf8
    }
    let isLongNumber =
      json.count > 15 && json.allSatisfy { $0 == 0x2d || (0x30...0x39).contains($0) }
    guard isLongNumber else { return line.append(contentsOf: json) }
    line += #"{"!":"number","text":""#.utf8
    line.append(contentsOf: json)
    line += #""}"#.utf8
  }
}
