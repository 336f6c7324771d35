import Glibc

package func inQuotes(_ text: String) -> String { "“\(text)”" }

/// A value of at most 80 characters, or the beginning of a longer value with the size of the value.
package func abbreviated(_ text: String) -> String {
  text.count > 80 ? "\(text.prefix(50))… (\(text.count) characters)" : text
}

package func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }

/// A number with its noun, such as “1 row” or “2 rows”.
package func countText(_ count: Int, noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// A range of transactions, such as “Transaction 3” or “Transactions 3 to 5”.
package func rangeText(_ range: ClosedRange<Int64>) -> String {
  range.lowerBound == range.upperBound
    ? "Transaction \(range.lowerBound)"
    : "Transactions \(range.lowerBound) to \(range.upperBound)"
}

/// The first ten names, and the number of further names.
package func listText(_ names: [String], of total: Int? = nil) -> String {
  let shown = names.prefix(10)
  let rest = (total ?? names.count) - shown.count
  return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}

/// A text without characters that begin a line, control a terminal or change the direction of the
/// line; instead of them it has escapes such as `\u{a}`.
///
/// Names of files and values can come from unknown people, and could imitate the lines of a program.
package func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if isUnsafe(scalar) {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7f...0x9f, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
  default: false
  }
}
