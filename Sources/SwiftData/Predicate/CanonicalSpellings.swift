/// The strings that are canonically equivalent to an ASCII string.
///
/// Only three other scalars are equivalent to ASCII: KELVIN SIGN to K, GREEK QUESTION MARK to a
/// semicolon, GREEK VARIA to a grave accent. Comparing with all spellings needs no function, so an
/// index can be used.
enum CanonicalSpellings {
  private static let others: [Unicode.Scalar: Unicode.Scalar] = [
    "K": "\u{212a}", ";": "\u{37e}", "`": "\u{1fef}",
  ]

  /// All spellings; nil for a string that is not ASCII or has too many.
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
