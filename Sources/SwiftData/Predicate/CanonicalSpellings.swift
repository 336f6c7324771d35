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
}
