import Format

/// The strings that are canonically equivalent to an ASCII string.
///
/// Only three characters outside of ASCII are equivalent to an ASCII character: KELVIN SIGN to K,
/// GREEK QUESTION MARK to a semicolon, and GREEK VARIA to a grave accent. Comparing a column with a
/// list of all spellings needs no function, so SQLite can use an index.
enum CanonicalSpellings {
  private static let others: [Unicode.Scalar: Unicode.Scalar] = [
    "K": "\u{212a}", ";": "\u{37e}", "`": "\u{1fef}",
  ]

  /// All equivalent strings; nil if the string is not ASCII or has too many of them.
  static func of(_ text: String) -> [String]? {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let places = text.unicodeScalars.filter { others[$0] != nil }.count
    guard places <= 4 else { return nil }
    if places == 0 { return [text] }
    var spellings = [""]
    for scalar in text.unicodeScalars {
      let choices = [scalar] + (others[scalar].map { [$0] } ?? [])
      spellings = choices.flatMap { choice in
        spellings.map { spelling in
          var longer = spelling
          longer.unicodeScalars.append(choice)
          return longer
        }
      }
    }
    return spellings
  }

  /// The condition that an indexed column is in the range of the texts that can begin with an
  /// equivalent of a text; nil if the text shows no such range.
  ///
  /// The index has the order of bytes, and not Swift's. But ASCII characters that have no other
  /// spelling are the same bytes in each equivalent, unless a combining character follows.
  static func range(of text: String, in column: SQLQuery) -> SQLQuery? {
    var lower = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard scalar.isASCII, others[scalar] == nil else {
        if scalar.value >= 0x300 { _ = lower.popLast() }
        break
      }
      lower.append(scalar)
    }
    guard let last = lower.last, last.value < 0x7f else { return nil }
    var upper = lower
    upper.removeLast()
    upper.append(Unicode.Scalar(UInt8(last.value + 1)))
    return """
      \(column) >= \(bind: .text(String(lower))) AND \(column) < \(bind: .text(String(upper)))
      """
  }
}
