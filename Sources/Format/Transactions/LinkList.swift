/// Writes the links of an object, which are rows of a join table, as a value of the object.
package struct LinkEncoder {
  /// The JSON key of the list of links, with quotes and colon.
  package let key: [UInt8]
  private let prefix: [UInt8]

  package init(_ table: JoinTable, layouts: [EntityLayout]) {
    key = memberKey(table.logName(layouts))
    prefix = referencePrefix(layouts[table.destination].entity.name)
  }

  package func list(_ targets: [Int64]) -> EncodedValue {
    var json: [UInt8] = []
    appendLinkList(targets, prefix: prefix, to: &json)
    return EncodedValue(json: json)
  }
}

/// Appends links as a canonical list.
///
/// The prefix is the text before each id in the list.
func appendLinkList(
  _ targets: some Sequence<Int64>,
  prefix: [UInt8],
  to json: inout [UInt8]
) {
  json.append(UInt8(ascii: "["))
  var isFirst = true
  for target in targets {
    if !isFirst { json.append(UInt8(ascii: ",")) }
    isFirst = false
    json += prefix
    appendInteger(target, to: &json)
    json += "\"}".utf8
  }
  json.append(UInt8(ascii: "]"))
}

/// Reads the ids in a list such as `[{"entity":"Tag","id":"7"}]`.
///
/// The prefix is the text before each id in the list.
///
/// - Returns: Whether the text is a canonical list with ids in ascending order.
package func readLinkList(
  _ text: UnsafeRawBufferPointer,
  prefix: [UInt8],
  to targets: inout [Int64]
) -> Bool {
  var rest = LinkText(rest: text)
  guard rest.take("[") else { return false }
  var last: Int64?
  while !rest.take("]") {
    guard last == nil || rest.take(","), rest.take(prefix), let target = rest.takeInteger(),
      rest.take("\""), rest.take("}"), last.map({ $0 < target }) ?? true
    else { return false }
    targets.append(target)
    last = target
  }
  return rest.isEmpty
}

/// Calls the closure with the targets of a value, if the value is a reference or a list of links.
///
/// Values of attributes are never objects or lists, because JSON in an attribute is a text.
package func forEachLink(
  in value: UnsafeRawBufferPointer,
  _ body: (_ entity: UnsafeRawBufferPointer, _ id: Int64) throws -> Void
) rethrows {
  let opening: StaticString = #"{"entity":""#
  let middle: StaticString = #"","id":""#
  var start = value.first == UInt8(ascii: "[") ? 1 : 0
  func has(_ text: StaticString) -> Bool {
    start + text.utf8CodeUnitCount <= value.count
      && isSame(
        UnsafeRawBufferPointer(rebasing: value[start..<start + text.utf8CodeUnitCount]),
        text
      )
  }
  while has(opening) {
    start += opening.utf8CodeUnitCount
    let end = endOfString(in: value, from: start)
    let entity = UnsafeRawBufferPointer(rebasing: value[start..<end])
    start = end
    guard has(middle) else { return }
    start += middle.utf8CodeUnitCount
    let last = endOfString(in: value, from: start)
    guard last < value.count,
      let id = parseInteger(UnsafeRawBufferPointer(rebasing: value[start..<last]))
    else { return }
    try body(entity, id)
    // The quote, the brace, and the comma before the next link.
    start = last + 3
  }
}

/// The rest of a list of links that is not read yet.
private struct LinkText {
  private var rest: Slice<UnsafeRawBufferPointer>

  init(rest: UnsafeRawBufferPointer) { self.rest = rest[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func take(_ bytes: [UInt8]) -> Bool {
    guard rest.count >= bytes.count,
      isSame(UnsafeRawBufferPointer(rebasing: rest.prefix(bytes.count)), bytes)
    else { return false }
    rest.removeFirst(bytes.count)
    return true
  }

  mutating func takeInteger() -> Int64? {
    let isOfNumber = { (byte: UInt8) in byte == 0x2d || byte &- 0x30 < 10 }
    let digits = rest.prefix(while: isOfNumber)
    rest.removeFirst(digits.count)
    return parseInteger(UnsafeRawBufferPointer(rebasing: digits))
  }
}
