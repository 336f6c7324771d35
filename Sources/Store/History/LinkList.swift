/// A link as a list in a change has it: the object that it leads to, and where it stands.
struct ListedLink: Equatable {
  let target: Int64
  let link: ChangeDraft.Link
}

/// Appends links as a canonical list; the prefix is what stands before each id.
func appendLinkList(
  _ links: some Collection<(key: Int64, value: ChangeDraft.Link)>,
  _ prefix: [UInt8],
  to json: inout [UInt8]
) {
  json.append(UInt8(ascii: "["))
  for (index, (target, link)) in links.enumerated() {
    if index > 0 { json.append(UInt8(ascii: ",")) }
    json += prefix
    appendInteger(target, to: &json)
    json.append(UInt8(ascii: "\""))
    if let position = link.position {
      json += #","position":"#.utf8
      appendInteger(position, to: &json)
    }
    json.append(UInt8(ascii: "}"))
  }
  json.append(UInt8(ascii: "]"))
}

/// Reads the links in `[{"entity":"Tag","id":"7","position":0}]`, the prefix being what stands before
/// each id.
///
/// - Returns: False where the text is not what ``appendLinkList(_:_:to:)`` writes of links by
///   ascending ids.
func readLinkList(
  _ text: UnsafeRawBufferPointer,
  _ prefix: [UInt8],
  to links: inout [ListedLink]
) -> Bool {
  var rest = LinkText(rest: text)
  guard rest.take("[") else { return false }
  var last: Int64?
  while !rest.take("]") {
    guard last == nil || rest.take(","), rest.take(prefix), let target = rest.takeInteger(),
      rest.take("\""), last.map({ $0 < target }) ?? true
    else { return false }
    var link = ChangeDraft.Link()
    if rest.take(Position.key) {
      guard let position = rest.takeInteger() else { return false }
      link.position = position
    }
    guard rest.take("}") else { return false }
    links.append(ListedLink(target: target, link: link))
    last = target
  }
  return rest.isEmpty
}

private enum Position {
  static let key = Array(#","position":"#.utf8)
}

/// What is not read yet of a list of links.
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
