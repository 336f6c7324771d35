/// The end of the JSON value that starts at a position; the position itself if no value starts
/// there.
///
/// The function recognizes only strings and nesting. The reader of the value must check everything
/// else.
package func endOfValue(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
  var position = start
  var depth = 0
  while position < text.count {
    switch text[position] {
    case 0x22: position = endOfString(in: text, from: position + 1)
    case 0x7b, 0x5b: depth += 1
    case 0x7d, 0x5d:
      if depth == 0 { return position }
      depth -= 1
    case 0x2c where depth == 0: return position
    default: break
    }
    position += 1
  }
  return min(position, text.count)
}

/// The position of the closing quote of a JSON string whose characters start at `start`; the end of
/// the text if the quote is missing.
@inline(__always)
package func endOfString(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
  var position = start
  while true {
    position = indexOfEscape(in: text, from: position)
    guard position < text.count else { return text.count }
    switch text[position] {
    case 0x22: return position
    case 0x5c: position += 2
    default: position += 1
    }
  }
}
