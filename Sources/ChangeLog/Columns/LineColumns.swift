import Format

/// The columns of the lines of logs.
///
/// Each key of a line is a column.
///
/// A property in `before` or `after` is an entry of a map: the characters of a text, or any other
/// value as the line spells it. So no value needs a type, and every line fits into the same columns.
final class LineColumns {
  /// The place of some lines: the log in which they are.
  struct Place {
    var store: [UInt8]
    var partial: [UInt8]
    var lineage: Int64
    /// The digest of the schema.
    var schema: [UInt8]
    /// The digest of the transaction whose state a snapshot contains; nil for other logs.
    var previous: [UInt8]?
    /// Only the lines of later transactions become rows.
    var after: Int64?
  }

  private let store = ArrowTexts()
  private let partial = ArrowTexts()
  private let lineage = ArrowIntegers()
  private let kind = ArrowTexts()
  private let transaction = ArrowIntegers()
  private let sequence = ArrowIntegers()
  private let n = ArrowIntegers()
  private let lines = ArrowIntegers()
  private let time = ArrowTexts()
  private let author = ArrowTexts()
  private let reason = ArrowTexts()
  private let request = ArrowTexts()
  private let operation = ArrowTexts()
  private let entity = ArrowTexts()
  private let object = ArrowTexts()
  private let changed = ArrowLists()
  private let before = ArrowMaps()
  private let after = ArrowMaps()
  private let specialBefore = ArrowMaps()
  private let specialAfter = ArrowMaps()
  private let largeBefore = ArrowMaps()
  private let largeAfter = ArrowMaps()
  private let schema = ArrowTexts()
  private let digest = ArrowTexts()
  private let meta = ArrowMaps()

  /// The number of bytes of values since the columns were emptied, about.
  private(set) var size = 0
  var count: Int { kind.count }

  var stream: ArrowStream {
    ArrowStream(columns: [
      ("store", store), ("partial", partial), ("lineage", lineage), ("kind", kind),
      ("txn", transaction), ("seq", sequence), ("n", n), ("count", lines), ("ts", time),
      ("author", author), ("reason", reason), ("request", request), ("op", operation),
      ("entity", entity), ("id", object), ("changed", changed), ("before", before),
      ("after", after), ("special_before", specialBefore), ("special_after", specialAfter),
      ("large_before", largeBefore), ("large_after", largeAfter), ("schema", schema),
      ("digest", digest), ("meta", meta),
    ])
  }

  func removeAll() {
    for (_, column) in stream.columns { column.removeAll() }
    size = 0
  }

  /// Adds the line of a change, a transaction or an omission, without its line break.
  ///
  /// - Throws: ``Refusal`` if the line is spelled in another way than the writer spells it. The
  ///   columns then have different lengths, so nobody may use them.
  func append(_ line: UnsafeRawBufferPointer, at place: Place) throws(Refusal) {
    var text = LineParts(line)
    try text.expect(#"{"kind":"#)
    let kind = text.quoted()
    try text.expect(#","txn":"#)
    let id = try text.integer()
    if let after = place.after, id <= after { return }
    size += line.count
    try self.kind.append(json: kind)
    transaction.append(id)
    append(place)
    try append(text.value(#","seq":"#), to: sequence)
    try append(text.value(#","n":"#), to: n)
    try append(text.value(#","count":"#), to: lines)
    try append(text.value(#","ts":"#), to: time)
    try append(text.value(#","author":"#), to: author)
    // Nothing in a table can be proven, so it needs no salts.
    _ = (text.value(#","seed":"#), text.value(#","values":"#), text.value(#","salt":"#))
    try append(text.value(#","op":"#), to: operation)
    try append(text.value(#","entity":"#), to: entity)
    try append(text.value(#","id":"#), to: object)
    try appendList(text.value(#","changed":"#))
    try appendMap(#","before":"#, of: &text, to: before)
    try appendMap(#","after":"#, of: &text, to: after)
    try appendSides(#","special":"#, of: &text, before: specialBefore, after: specialAfter)
    try appendSides(#","large":"#, of: &text, before: largeBefore, after: largeAfter)
    try append(text.value(#","reason":"#), to: reason)
    try append(text.value(#","request":"#), to: request)
    try append(text.value(#","digest":"#), to: digest)
    try appendMap(#","meta":"#, of: &text, to: meta, previous: place.previous)
    try text.expect("}")
    guard text.isAtEnd else { throw Refusal(message: "the line has text after its end") }
  }

  private func append(_ place: Place) {
    store.append(place.store)
    partial.append(place.partial)
    lineage.append(place.lineage)
    schema.append(place.schema)
  }

  private func append(_ value: UnsafeRawBufferPointer, to column: ArrowTexts) throws(Refusal) {
    if value.isEmpty { column.appendNull() } else { try column.append(json: value) }
  }

  private func append(_ value: UnsafeRawBufferPointer, to column: ArrowIntegers) throws(Refusal) {
    if value.isEmpty { return column.appendNull() }
    var text = LineParts(value)
    column.append(try text.integer())
  }

  /// Adds the members of an object to a map; null if the object's key is not next.
  private func appendMap(
    _ key: StaticString,
    of text: inout LineParts,
    to column: ArrowMaps,
    previous: [UInt8]? = nil
  ) throws(Refusal) {
    guard text.has(key) else { return column.appendNull() }
    let (keys, values) = (column.entries.keys, column.entries.values)
    try text.readMembers { name, value throws(Refusal) in
      try keys.append(json: name)
      try values.append(json: value)
    }
    if let previous {
      keys.append(Array("previous".utf8))
      values.append(previous)
    }
    column.close()
  }

  /// Adds the two sides of `special` or `large`, each of which can be missing.
  private func appendSides(
    _ key: StaticString,
    of text: inout LineParts,
    before: ArrowMaps,
    after: ArrowMaps
  ) throws(Refusal) {
    guard text.has(key) else {
      before.appendNull()
      return after.appendNull()
    }
    try appendMap(#"{"after":"#, of: &text, to: after)
    // Without the other side, this one begins the object.
    if !text.isNext("}") {
      try appendMap(text.isNext(",") ? #","before":"# : #"{"before":"#, of: &text, to: before)
    } else {
      before.appendNull()
    }
    try text.expect("}")
  }

  private func appendList(_ list: UnsafeRawBufferPointer) throws(Refusal) {
    if list.isEmpty { return changed.appendNull() }
    var position = 1
    while position < list.count - 1 {
      let end = endOfValue(in: list, from: position)
      guard end > position else { throw Refusal.text }
      try changed.items.append(json: UnsafeRawBufferPointer(rebasing: list[position..<end]))
      position = end + 1
    }
    changed.close()
  }
}

extension LineParts {
  /// Reads an object, and calls `body` with each key, with its quotes, and with each value.
  fileprivate mutating func readMembers(
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(Refusal) -> Void
  ) throws(Refusal) {
    try expect("{")
    if has("}") { return }
    repeat {
      let key = quoted()
      try expect(":")
      let start = position
      let end = endOfValue(in: line, from: start)
      guard !key.isEmpty, end > start else { throw Refusal.empty }
      move(to: end)
      try body(key, part(start..<end))
    } while has(",")
    try expect("}")
  }
}
