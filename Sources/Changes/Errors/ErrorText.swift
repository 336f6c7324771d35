import Glibc

/// A command or a name in quotes.
package func inQuotes(_ text: String) -> String { "“\(text)”" }

/// A value of at most 80 characters, or the beginning of a longer value with the size of the value.
package func abbreviated(_ text: String) -> String {
  text.count > 80 ? "\(text.prefix(50))… (\(text.count) characters)" : text
}

/// The system's text for an error number.
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

/// A list of the first twenty sentences, and the number of further sentences.
package func itemsText(_ items: some Collection<some CustomStringConvertible>) -> String {
  items.prefix(20).map { "\n- \($0)" }.joined()
    + (items.count > 20 ? "\n- and \(items.count - 20) more" : "")
}
