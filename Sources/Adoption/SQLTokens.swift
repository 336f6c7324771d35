/// A word, a quoted name or text, or a symbol of an SQL statement.
enum SQLToken: Hashable {
  /// A bare word or number, as it is written.
  case word(String)
  /// The content between any of SQLite's quotes.
  case quoted(String)
  case symbol(Unicode.Scalar)

  /// Whether the token is this keyword, in upper or lower case.
  func isKeyword(_ keyword: String) -> Bool {
    guard case .word(let word) = self else { return false }
    return word.lowercased() == keyword
  }

  /// The word, or the content of the quotes.
  var text: String? {
    switch self {
    case .word(let text), .quoted(let text): text
    case .symbol: nil
    }
  }
}

/// Splits a statement into tokens, without blanks and comments.
///
/// A quote or a comment that is not closed extends to the end of the statement.
func tokens(of sql: String) -> [SQLToken] {
  var reader = SQLTokenReader(rest: Substring(sql).unicodeScalars)
  var tokens: [SQLToken] = []
  while let token = reader.next() { tokens.append(token) }
  return tokens
}

private struct SQLTokenReader {
  var rest: Substring.UnicodeScalarView

  mutating func next() -> SQLToken? {
    skipBlanks()
    guard let first = rest.popFirst() else { return nil }
    switch first {
    case "'", "\"", "`": return .quoted(content(until: first, isDoubled: true))
    case "[": return .quoted(content(until: "]", isDoubled: false))
    case _ where Self.isPartOfWord(first):
      let others = rest.prefix(while: Self.isPartOfWord)
      rest = rest.dropFirst(others.count)
      return .word(String(first) + String(others))
    default: return .symbol(first)
    }
  }

  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
    default: scalar.value >= 0x80
    }
  }

  private mutating func skipBlanks() {
    while let first = rest.first {
      if rest.starts(with: "--".unicodeScalars) {
        rest = rest.drop { $0 != "\n" }
      } else if rest.starts(with: "/*".unicodeScalars) {
        skipComment()
      } else if [" ", "\t", "\n", "\r", "\u{c}"].contains(first) {
        rest.removeFirst()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() {
    rest = rest.dropFirst(2)
    while !rest.isEmpty, !rest.starts(with: "*/".unicodeScalars) { rest.removeFirst() }
    rest = rest.dropFirst(2)
  }

  private mutating func content(until quote: Unicode.Scalar, isDoubled: Bool) -> String {
    var content = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == quote {
        guard isDoubled, rest.first == quote else { break }
        rest.removeFirst()
      }
      content.append(scalar)
    }
    return String(content)
  }
}

/// Splits a statement into pieces without changing it.
///
/// A quoted text or a comment is one piece, and every other character is a piece too.
struct SQLPieceReader {
  var rest: Substring.UnicodeScalarView

  mutating func next() -> String? {
    guard let first = rest.first else { return nil }
    let end: Substring.UnicodeScalarView.Index
    switch first {
    case "'", "\"", "`": end = endOfQuote(first)
    case "[": end = after("]", from: rest.index(after: rest.startIndex))
    case "-" where rest.starts(with: "--".unicodeScalars): end = after("\n", from: rest.startIndex)
    case "/" where rest.starts(with: "/*".unicodeScalars): end = endOfComment()
    default: end = rest.index(after: rest.startIndex)
    }
    let piece = String(rest[..<end])
    rest = rest[end...]
    return piece
  }

  private func after(
    _ scalar: Unicode.Scalar,
    from start: Substring.UnicodeScalarView.Index
  ) -> Substring.UnicodeScalarView.Index {
    rest[start...].firstIndex(of: scalar).map { rest.index(after: $0) } ?? rest.endIndex
  }

  /// Two quotes, one after the other, mean one quote inside the text.
  private func endOfQuote(_ quote: Unicode.Scalar) -> Substring.UnicodeScalarView.Index {
    var end = after(quote, from: rest.index(after: rest.startIndex))
    while end < rest.endIndex, rest[end] == quote {
      end = after(quote, from: rest.index(after: end))
    }
    return end
  }

  private func endOfComment() -> Substring.UnicodeScalarView.Index {
    var index = rest.index(rest.startIndex, offsetBy: 2)
    while index < rest.endIndex, !rest[index...].starts(with: "*/".unicodeScalars) {
      index = rest.index(after: index)
    }
    return index < rest.endIndex ? rest.index(index, offsetBy: 2) : index
  }
}
