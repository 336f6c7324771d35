/// Splits a canonical JSON object into its members: key with quotes and colon, and text of value.
///
/// The text is what this library wrote, so that only strings and nesting need to be told apart.
package func members(of object: [UInt8]) -> [(key: [UInt8], value: [UInt8])] {
  var result: [(key: [UInt8], value: [UInt8])] = []
  var key: [UInt8] = []
  var start = 1
  var depth = 0
  var isInString = false
  var index = 1
  while index < object.count {
    let byte = object[index]
    if isInString {
      if byte == UInt8(ascii: "\\") {
        index += 1
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
    } else {
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ":") where depth == 0 && key.isEmpty:
        key = Array(object[start...index])
        start = index + 1
      case UInt8(ascii: ",") where depth == 0, UInt8(ascii: "}") where depth == 0:
        if !key.isEmpty { result.append((key, Array(object[start..<index]))) }
        key = []
        start = index + 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    index += 1
  }
  return result
}

/// Splits a canonical JSON list into the texts of its elements.
package func elements(of list: [UInt8]) -> [[UInt8]] {
  var result: [[UInt8]] = []
  var start = 1
  var depth = 0
  var isInString = false
  var index = 0
  while index < list.count {
    let byte = list[index]
    if isInString {
      if byte == UInt8(ascii: "\\") {
        index += 1
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
    } else {
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 1:
        result.append(Array(list[start..<index]))
        start = index + 1
      case UInt8(ascii: "]"):
        depth -= 1
        if depth == 0, index > start { result.append(Array(list[start..<index])) }
      default: break
      }
    }
    index += 1
  }
  return result
}
